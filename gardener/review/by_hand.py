"""The lifecycle by hand: supersede, qualify, archive. The same path as an apply, with its record and its undo."""

from __future__ import annotations

from gardener.errors import UsageError
from gardener.model.edit import Archive, Edit, Qualify, Supersede, paths_of
from gardener.model.finding import Finding
from gardener.model.operation import FileChange
from gardener.model.proposal import Decided
from gardener.proposals.document import parse
from gardener.proposals.draft import draft, text_of
from gardener.proposals.inbox import Inbox
from gardener.review.decide import Decider
from gardener.review.filing import Done, carry, changes_of, record, to_bytes
from gardener.review.locked import locked
from gardener.review.plan import Now, changes_for, look, memory_named
from gardener.review.siblings import settle
from gardener.text.frontmatter import stamp

NAME = "by_hand"
"""The pass a decision is filed under that no pass proposed."""


def supersede(decider: Decider, old: str, new: str) -> Done:
    """`old` is replaced by `new`."""
    with locked(decider.store) as inbox:
        now = look(decider.store)
        a, b = memory_named(now.memories, old), memory_named(now.memories, new)
        if a.path == b.path:
            raise UsageError(f"{a.path} cannot supersede itself")
        says = f'"{a.name}" is superseded by "{b.name}"'
        return filed_by_hand(decider, (Supersede(a.path, b.path),), says, inbox, now)


def qualify(decider: Decider, old: str, new: str) -> Done:
    """`new` narrows or dates `old`; both stay active."""
    with locked(decider.store) as inbox:
        now = look(decider.store)
        a, b = memory_named(now.memories, old), memory_named(now.memories, new)
        if a.path == b.path:
            raise UsageError(f"{a.path} cannot qualify itself")
        return filed_by_hand(decider, (Qualify(a.path, b.path),), f'"{a.name}" is qualified by "{b.name}"', inbox, now)


def archive(decider: Decider, wanted: str, reason: str) -> Done:
    """The memory goes out of every index, for `reason`."""
    if not reason.strip():
        raise UsageError("archive needs a reason: --reason TEXT")
    with locked(decider.store) as inbox:
        now = look(decider.store)
        memory = memory_named(now.memories, wanted)
        return filed_by_hand(decider, (Archive(memory.path, reason),), f'"{memory.name}" is archived', inbox, now)


def filed_by_hand(
    decider: Decider,
    edits: tuple[Edit, ...],
    says: str,
    inbox: Inbox,
    now: Now,
    *,
    exact: tuple[FileChange, ...] | None = None,
    extra: tuple[FileChange, ...] = (),
) -> Done:
    """Apply `edits`, or the `exact` changes a record gives for them, and file that as decided; under the lock."""
    finding = Finding(NAME, says, paths_of(edits), edits)
    lines = {path: tuple(now.lines_for([path])) for path in paths_of(edits)}
    taken = {filed.id for filed in inbox.files}
    one = draft(finding, now.memories, lines, taken, decider.store.layout.proposals)
    files = exact if exact is not None else changes_for(edits, one.proposal, now, decider.now)
    entry = Decided("apply", decider.by, stamp(decider.now), one.code)
    document = record(parse(text_of(one, now.memories)), "accept", entry, changes=changes_of(files))
    target = one.path.replace("/pending/", "/applied/")
    others = settle(inbox.pending, files, now.memories, now.reading.formats)
    operation = (*files, FileChange(target, None, to_bytes(document)), *extra, *others)
    kept = carry(decider.store, says, operation)
    return Done(one.proposal.id, "apply", says, tuple(change.path for change in files), target, kept)
