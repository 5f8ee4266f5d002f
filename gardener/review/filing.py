"""How a decision is written down: in the proposal file, with what it did to each file, and committed in one piece."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from gardener.config.store import Store
from gardener.errors import BusyError, StaleError, UsageError
from gardener.model.operation import FileChange, Operation
from gardener.model.proposal import Decided, Did, Proposal
from gardener.proposals.document import Change, Document, write
from gardener.proposals.inbox import Filed
from gardener.proposals.written import arrived, expect
from gardener.review.hunks import hunks
from gardener.review.plan import sha_of
from gardener.review.siblings import emptied
from gardener.storage.cache import open_cache
from gardener.storage.commit import commit
from gardener.text.frontmatter import stamp
from gardener.text.secrets import values


@dataclass(frozen=True, slots=True)
class Done:
    """A decision that was carried out. `paths` are the memories and indexes changed, `notices` are for the person, and
    `final` is one that cannot be undone.
    """

    id: str
    did: str
    summary: str
    paths: tuple[str, ...] = ()
    filed: str = ""
    notices: tuple[str, ...] = ()
    final: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision at hand: who decides, when, about which file, and why if they say so."""

    store: Store
    by: str
    now: datetime
    filed: Filed
    reason: str = ""

    @property
    def proposal(self) -> Proposal:
        return self.filed.document.proposal

    def target(self, folder: str) -> str:
        """Where the file goes."""
        return f"{self.store.layout.proposals}/{folder}/{self.filed.path.rsplit('/', 1)[-1]}"

    def entry(self, did: Did, declined: tuple[tuple[str, ...], ...], seen: dict[str, tuple[str, str]]) -> Decided:
        """What the file says of it ever after."""
        return Decided(did, self.by, stamp(self.now), self.filed.document.plan, declined, seen)

    def voided(self, why: StaleError) -> StaleError:
        """The error for a decision about text that is not there any more; a person's marks are emptied and named."""
        if self.filed.document.owned:
            emptied_file = to_bytes(emptied(self.filed.document))
            carry(self.store, f"void {self.filed.id}", (FileChange(self.filed.path, self.filed.data, emptied_file),))
        return why

    def moved(self, paths: Iterable[str]) -> StaleError:
        gone = ", ".join(sorted(paths))
        told = f"{self.filed.id}: {gone} changed since it was proposed; run gardener tend, then look again"
        return self.voided(StaleError(told))


def changes_of(files: tuple[FileChange, ...], *, wipe: bool = False) -> tuple[Change, ...]:
    """The record of what was done to each file, by which it can be undone."""
    created = {change.path: change for change in files if change.before is None}
    found = []
    for change in files:
        if change.before is None:
            continue
        to = next((path for path, new in created.items() if change.after is None and new.after is not None), "")
        after = change.after if change.after is not None else created[to].after if to else b""
        lines = None if wipe else hunks(change.before, after or b"")
        if lines and gives_away(change, "".join(line for _, old, new in lines for line in (*old, *new))):
            raise UsageError(f"{change.path}: a line that would change holds a credential; redact it first")
        found.append(Change(change.path, "" if wipe else sha_of(change.before), sha_of(after), lines, to))
    return tuple(found)


def gives_away(change: FileChange, shown: str) -> bool:
    """Whether a part of a changed file would show a credential of the file before or after."""
    whole = "\n".join((data or b"").decode("utf-8", "surrogateescape") for data in (change.before, change.after))
    return any(value in shown for value in values(whole))


def record(
    document: Document, word: str, entry: Decided, *, reason: str = "", changes: tuple[Change, ...] = ()
) -> Document:
    """The document as it is filed: its decision line says what was answered, `decided` is what counts."""
    one = replace(
        document.proposal,
        decision=word,
        reason=reason or document.proposal.reason,
        until="",
        earlier="",
        decided=(*document.proposal.decided, entry),
    )
    return replace(document, proposal=one, code=document.plan, changes=changes or document.changes)


def to_bytes(document: Document) -> bytes:
    """The file's bytes."""
    return write(document).encode("utf-8", "surrogateescape")


def carry(store: Store, name: str, changes: tuple[FileChange, ...], *, wipe: bool = False) -> tuple[str, ...]:
    """Commit, once it is noted what the pending files will hold, so that tend can tell a person's words from ours.

    Gives a line for each file that another program went on writing to, and where what it wrote is kept.
    """
    place = f"{store.layout.proposals}/pending/"
    ours = {one.path: (one.before, one.after) for one in changes if one.path.startswith(place)}
    with open_cache(store.root) as cache:
        former = expect(cache, ours)
        try:
            outcome = commit(store.root, Operation(name, changes, wipe), store.layout.proposals)
        except (StaleError, BusyError):
            cache.keep(former)  # nothing was changed, and nothing is expected
            raise
        arrived(cache, ours)
    return tuple(map(str, outcome.kept))
