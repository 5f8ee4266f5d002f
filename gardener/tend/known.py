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
    text, so that a refusal holds though its file was deleted; `left` is id → until when.
    """

    memories: int = 0
    head: str | None = None
    manifest: Mapping[str, str] = field(default_factory=dict)
    pending: frozenset[str] = frozenset()
    rejected: Mapping[str, str] = field(default_factory=dict)
    left: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[str, str] = field(default_factory=dict)

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

    def vanished(self, snapshot: Snapshot, head: str | None, inbox: Inbox) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """(alarms, news) about memories and notes that were there at the last run and are not now."""
        there = {*snapshot.hashes, *snapshot.mute_links, *(problem.path for problem in snapshot.problems)}
        there |= {change.path for filed in inbox.decided for change in filed.document.changes if change.to}
        hashes = set(snapshot.hashes.values())
        unseen = tuple(f"{problem.path}/" for problem in snapshot.unheard)
        lost = [path for path, sha in self.manifest.items() if path not in there and sha not in hashes]
        gone = [path for path in lost if not path.startswith(unseen)]
        if not gone:
            return (), ()
        shown = ", ".join(sorted(gone)[:5]) + (f" and {len(gone) - 5} more" if len(gone) > 5 else "")
        many = "memory file" if len(gone) == 1 else "memory files"
        if self.head != head:
            return (), (f"{len(gone)} {many} went with a git checkout or merge: {shown}",)
        return (f"{len(gone)} {many} vanished outside a decision: {shown}",), ()


def recall(cache: Cache) -> Known:
    """The last run's view from the cache; an empty one where there is none."""
    return Known(
        memories=cache.fact("memories", 0),
        head=cache.fact("head"),
        manifest=cache.manifest(),
        pending=frozenset(cache.fact("pending", ())),
        rejected=cache.fact("rejected", {}),
        left=cache.fact("left", {}),
        written=cache.fact("written", {}),
    )


def known_now(
    known: Known, snapshot: Snapshot, inbox: Inbox, head: str | None, ours: Collection[str]
) -> dict[str, Any]:
    """The facts to keep for the next run. `ours` are the paths this run wrote."""
    return {
        "memories": len(snapshot.memories),
        "head": head,
        "pending": sorted(filed.id for filed in inbox.pending),
        "rejected": {**known.rejected, **_rejected(inbox)},
        "left": dict(known.left),
        "written": {filed.path: _written(known, filed, ours) for filed in inbox.pending},
    }


def _written(known: Known, filed: Filed, ours: Collection[str]) -> str:
    """The hash to compare with next time: of what we wrote, even where a person has written there since."""
    now = sha_of(filed.data)
    before = known.written.get(filed.path, now)
    return now if filed.path in ours or now in before else before


def _rejected(inbox: Inbox) -> dict[str, str]:
    return {filed.id: filed.data.decode("utf-8", "replace") for filed in inbox.decided if filed.state == "rejected"}


def _id_in(path: str) -> str:
    return path.removesuffix(".md").rsplit("-", 1)[-1]
