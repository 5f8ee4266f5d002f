"""From an answered proposal to the exact file changes, checked against the bytes of this moment. It writes nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from gardener.config.store import Store
from gardener.errors import StaleError, UsageError
from gardener.model.edit import Archive, Edit, Move, Supersede, paths_of
from gardener.model.memory import IndexLine, Memory
from gardener.model.operation import FileChange
from gardener.model.proposal import Base, Proposal
from gardener.storage.load import Reading, load, read_bytes
from gardener.text.rewrite import index_changes, rewrite


@dataclass(frozen=True)
class Now:
    """The store as it is while the lock is held."""

    store: Store
    reading: Reading

    @property
    def memories(self) -> dict[str, Memory]:
        return self.reading.snapshot.by_path

    def lines_for(self, paths: Iterable[str]) -> list[IndexLine]:
        """Index lines that name one of these memories."""
        wanted = set(paths)
        return [line for line in self.reading.snapshot.index_lines if line.target in wanted]


def look(store: Store) -> Now:
    """Read the store as it is now."""
    return Now(store, load(store.root, store.layout))


def moved_on(proposal: Proposal, now: Now, only: tuple[Edit, ...] = ()) -> tuple[frozenset[str], frozenset[str]]:
    """(changed targets, changed others): base files that do not hold the bytes the proposal was written against.

    With `only`, the files those edits name; else every file the proposal speaks of.
    """
    edits = only or (*proposal.edits, *(edit for choice in proposal.choices for edit in choice.edits))
    named = set(paths_of(only)) if only else set(proposal.subjects)
    targets = {edit.path for edit in edits}
    bases = [base for base in proposal.base if not base.index and base.path in named]
    changed = {base.path for base in bases if _sha(base.path, now) != base.sha256}
    return frozenset(changed & targets), frozenset(changed - targets)


def changes_for(edits: tuple[Edit, ...], proposal: Proposal, now: Now, at: datetime) -> tuple[FileChange, ...]:
    """The files after `edits`. StaleError where something that counts moved on; nothing was touched."""
    _only_base(edits, proposal, now)
    for edit in edits:
        if isinstance(edit, Archive):
            _nothing_links(edit.path, edits, now)
    retired = [edit.path for edit in edits if isinstance(edit, Supersede | Archive | Move)]
    retired = [path for path in retired if path in now.memories and now.memories[path].conventions.marks_description]
    lines = now.lines_for(retired)
    _lines_as_read(lines, proposal)
    memories = rewrite(edits, now.memories, at)
    indexes = {line.path: read_bytes(now.store.root, line.path) for line in lines}
    changes = (*memories, *index_changes(indexes, lines))
    if all(change.before == change.after for change in changes):
        raise StaleError("there is nothing left to change; run gardener tend")
    return changes


def all_shown(paths: Iterable[str], now: Now) -> None:
    """StaleError where the system does not show one of the files: that is no sign of its being gone."""
    for problem in now.reading.snapshot.unheard:
        for path in paths:
            if problem.path in {path, "."} or path.startswith(f"{problem.path}/"):
                raise StaleError(f"{problem}; put that right and run it again")


def _sha(path: str, now: Now) -> str:
    memory = now.memories.get(path)
    return memory.sha256 if memory else ""


def _only_base(edits: tuple[Edit, ...], proposal: Proposal, now: Now) -> None:
    """No edit reaches a file the proposal did not show; a move goes to a free place among memories or notes."""
    allowed = {base.path for base in proposal.base if not base.index}
    strange = [path for path in paths_of(edits) if path not in allowed]
    if strange:
        raise UsageError(f"{strange[0]} is not among the memories this proposal speaks of")
    roots = (*now.store.layout.memory, *now.store.layout.notes)
    for edit in edits:
        if isinstance(edit, Move) and not any(edit.to.startswith(f"{top}/") or top == "." for top in roots):
            raise UsageError(f"{edit.to} is not in a memory or notes folder")


def _nothing_links(path: str, edits: tuple[Edit, ...], now: Now) -> None:
    for problem in now.reading.snapshot.unheard:
        raise StaleError(f"{problem}, and it may link to {path}; put that right and run it again")
    gone = {edit.path for edit in edits}
    links = [source for source in now.reading.snapshot.linked_from.get(path, ()) if source not in gone]
    if links:
        raise StaleError(f"{path}: {links[0]} links to it now; run gardener tend")


def _lines_as_read(lines: list[IndexLine], proposal: Proposal) -> None:
    """Every index line that would go is one the proposal was written against."""
    here = {(line.path, line.sha256) for line in lines}
    pinned = {(base.path, base.sha256) for base in proposal.base if base.index}
    extra = here - pinned
    if extra:
        raise StaleError(f"{min(extra)[0]}: the index line changed since; run gardener tend")


def base_now(proposal: Proposal, now: Now) -> tuple[Base, ...] | None:
    """The proposal's bases with the hashes of this moment; None where a memory is gone."""
    fresh = [Base(_sha(base.path, now), base.path) for base in proposal.base if not base.index]
    if any(not base.sha256 for base in fresh):
        return None
    return (*fresh, *(base for base in proposal.base if base.index))


def sha_of(data: bytes | None) -> str:
    """sha256 of a file's bytes, "" for an absent one."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


def memory_named(memories: Mapping[str, Memory], wanted: str) -> Memory:
    """The memory a person names by path, PROJECT/NAME or name. UsageError where it is none or more than one."""
    if wanted in memories:
        return memories[wanted]
    found = [m for m in memories.values() if wanted in {m.label, m.name, m.stem, m.id} or m.path.endswith(f"/{wanted}")]
    active = [memory for memory in found if memory.active] or found
    if len(active) == 1:
        return active[0]
    if not active:
        raise UsageError(f"{wanted}: no such memory; give its path, or PROJECT/NAME")
    raise UsageError(f"{wanted}: more than one memory is called so ({', '.join(m.path for m in active[:4])})")
