"""What the last run saw, so that this one can tell a loss from a decision: kept in the cache, never relied upon."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from gardener.model.snapshot import Snapshot
from gardener.proposals.document import Document, parse
from gardener.proposals.inbox import Filed, Inbox
from gardener.proposals.written import sha_of
from gardener.storage.cache import Cache
from gardener.text.frontmatter import moment, stamp

AWAY_DAYS = 30
"""How long a pending file that a person deleted stays away."""


@dataclass(frozen=True, slots=True)
class Known:
    """The last run's view. `manifest` is path → sha256; `pending` are ids; `rejected` is id → the file's
    text, so that a refusal holds though its file was deleted; `left` is id → until when; `missing` is path →
    (sha256, the day a report told of the loss, "" for not yet).
    """

    memories: int = 0
    head: str | None = None
    manifest: Mapping[str, str] = field(default_factory=dict)
    pending: frozenset[str] = frozenset()
    rejected: Mapping[str, str] = field(default_factory=dict)
    left: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def away(self) -> frozenset[str]:
        """Ids of pending files that a person removed and that stay away for now."""
        return frozenset(self.left)

    def away_now(self, inbox: Inbox, head: str | None, now: datetime) -> Known:
        """With the files removed since the last run noted, and those whose time is up forgotten.

        A file that went while git moved went with git, and nobody said no to it.
        """
        left = {key: until for key, until in self.left.items() if (then := moment(until)) and then > now}
        if self.head == head:
            present = {*inbox.by_id, *(_id_in(one.path) for one in inbox.malformed)}
            gone = self.pending - present
            left |= dict.fromkeys(gone, stamp(now + timedelta(days=AWAY_DAYS)))
            lost = {key: text for key, text in self.rejected.items() if key not in present}
            written = self.written
        else:
            lost, written = {}, {}
        return replace(self, left=left, rejected=lost, written=written)

    @property
    def lost(self) -> tuple[Document, ...]:
        """After `away_now`: refusals whose files were deleted by hand, and which hold all the same."""
        return tuple(parse(text) for text in self.rejected.values())

    @property
    def says(self) -> tuple[str, ...]:
        """After `away_now`: one line for a person where refusals were deleted."""
        if not self.rejected:
            return ()
        return (
            f"deleted rejections still hold: {', '.join(self.rejected)}; gardener doctor --recover writes them back",
        )

    def absent(self, snapshot: Snapshot, inbox: Inbox) -> tuple[dict[str, str], dict[str, str]]:
        """Path → sha256 of the memories and notes that vanished, or whose loss is still to be told; and of those
        that the system did not show this time.
        """
        there = {*snapshot.hashes, *snapshot.mute_links}
        there |= {change.path for filed in inbox.decided for change in filed.document.changes if change.to}
        hashes = set(snapshot.hashes.values())
        unseen = tuple(f"{problem.path}/" for problem in snapshot.unheard)
        known = {**{path: sha for path, (sha, _) in self.missing.items()}, **self.manifest}
        lost = {path: sha for path, sha in known.items() if path not in there and sha not in hashes}
        refused = {problem.path for problem in snapshot.problems}
        hidden = {path: sha for path, sha in lost.items() if path in refused or path.startswith(unseen)}
        return {path: sha for path, sha in lost.items() if path not in hidden}, hidden

    def vanished(self, gone: Collection[str], head: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """(alarms, news) about what is `gone`."""
        if not gone:
            return (), ()
        shown = ", ".join(sorted(gone)[:5]) + (f" and {len(gone) - 5} more" if len(gone) > 5 else "")
        many = "memory file" if len(gone) == 1 else "memory files"
        if self.head != head:
            return (), (f"{len(gone)} {many} went with a git checkout or merge: {shown}",)
        return (f"{len(gone)} {many} vanished outside a decision: {shown}",), ()

    def still_missing(
        self, gone: Mapping[str, str], hidden: Mapping[str, str], head: str | None, told: str
    ) -> dict[str, tuple[str, str]]:
        """`missing` for the next run. `told` is the day of the report that was just written, "" for none."""
        if self.head != head:
            gone = {}
        lost = {path: (sha, self.missing.get(path, ("", ""))[1] or told) for path, sha in gone.items()}
        return lost | {path: (sha, "") for path, sha in hidden.items()}


def recall(cache: Cache, today: str) -> Known:
    """The last run's view from the cache; an empty one where there is none. A loss is an alarm until the day it was
    reported on is over.
    """
    missing: dict[str, tuple[str, str]] = cache.fact("missing", {})
    return Known(
        memories=cache.fact("memories", 0),
        head=cache.fact("head"),
        manifest=cache.manifest(),
        pending=frozenset(cache.fact("pending", ())),
        rejected=cache.fact("rejected", {}),
        left=cache.fact("left", {}),
        written=cache.fact("written", {}),
        missing={path: (sha, told) for path, (sha, told) in missing.items() if told in {"", today}},
    )


def known_now(
    known: Known, snapshot: Snapshot, inbox: Inbox, head: str | None, ours: Mapping[str, bytes]
) -> dict[str, Any]:
    """The facts to keep for the next run. `ours` is path → what this run wrote there."""
    return {
        "memories": len(snapshot.memories),
        "head": head,
        "pending": sorted(filed.id for filed in inbox.pending),
        "rejected": {**known.rejected, **_rejected(inbox)},
        "left": dict(known.left),
        "written": {filed.path: _written(known, filed, ours) for filed in inbox.pending},
    }


def _written(known: Known, filed: Filed, ours: Mapping[str, bytes]) -> str:
    """The hash to compare with next time: of what we wrote, even where a person has written there since."""
    if filed.path in ours:
        return sha_of(ours[filed.path])
    now = sha_of(filed.data)
    before = known.written.get(filed.path, now)
    return now if now in before else before


def _rejected(inbox: Inbox) -> dict[str, str]:
    return {filed.id: filed.data.decode("utf-8", "replace") for filed in inbox.decided if filed.state == "rejected"}


def _id_in(path: str) -> str:
    return path.removesuffix(".md").rsplit("-", 1)[-1]
