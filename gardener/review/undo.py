"""Undoing a decision from its own file, and restoring a memory: byte-exact where the record allows it."""

from __future__ import annotations

import re
from dataclasses import replace

from gardener.errors import StaleError, UsageError
from gardener.formats import is_index
from gardener.model.edit import Archive, Restore, Supersede
from gardener.model.memory import Memory
from gardener.model.operation import FileChange
from gardener.model.proposal import Decided
from gardener.proposals.document import Change, Document
from gardener.proposals.identity import file_name, id_of, letter, plan_code, proposal_id, resolve
from gardener.proposals.inbox import Filed, Inbox
from gardener.proposals.settled import seen
from gardener.review.by_hand import NAME, filed_by_hand
from gardener.review.decide import Decider
from gardener.review.filing import Done, carry, to_bytes
from gardener.review.hunks import undone
from gardener.review.locked import locked
from gardener.review.plan import Now, all_shown, base_now, look, memory_named, sha_of
from gardener.storage.beneath import exists
from gardener.storage.load import read_bytes
from gardener.text.frontmatter import stamp


def undo(decider: Decider, wanted: str) -> Done:
    """Take back an apply, reject, keep or hide. The finding is written anew in pending under its next id."""
    with locked(decider.store) as inbox:
        filed = inbox.by_id[resolve(wanted, inbox.by_id, UsageError)]
        document = filed.document
        if not document.proposal.decided or filed.state == "pending":
            raise UsageError(f"{filed.id} is not decided; there is nothing to undo")
        if document.proposal.decided[-1].did == "undone":
            successor = _next_id(filed, inbox, look(decider.store))
            goes_on = f"; it goes on as {successor}" if filed.document.proposal.pass_name != NAME else ""
            raise UsageError(f"{filed.id} was undone already{goes_on}")
        files = tuple(back for change in document.changes for back in _back(decider, change))
        if document.proposal.decided[-1].did == "apply" and not document.changes:
            raise UsageError(f"{filed.id} was applied by hand, outside gardener; undo it by hand, or with git")
        entry = Decided("undone", decider.by, stamp(decider.now), document.plan)
        history = replace(document, proposal=replace(document.proposal, decided=(*document.proposal.decided, entry)))
        again = _anew(decider, filed, inbox, files)
        operation = (*files, FileChange(filed.path, filed.data, to_bytes(history)), *again)
        kept = carry(decider.store, f"undo {filed.id}", operation)
        new = (*kept, *(f"it is open again as {id_of(change.path)}" for change in again))
        return Done(filed.id, "undone", document.proposal.summary, tuple(c.path for c in files), filed.path, new)


def restore(decider: Decider, wanted: str) -> Done:
    """Make one retired memory active again. The pair it came from is settled like a rejection."""
    with locked(decider.store) as inbox:
        now = look(decider.store)
        memory = memory_named(now.memories, wanted)
        if memory.active:
            raise UsageError(f"{memory.path} is active; there is nothing to restore")
        found = _record_of(memory, inbox)
        exact = _exact(decider, memory, found)
        extra: tuple[FileChange, ...] = ()
        if found is not None:
            extra = (FileChange(found.path, found.data, to_bytes(_settled(decider, found, memory, now))),)
        edits = (Restore(memory.path),)
        return filed_by_hand(decider, edits, f'"{memory.name}" is restored', inbox, now, exact=exact, extra=extra)


def _back(decider: Decider, change: Change) -> tuple[FileChange, ...]:
    """The file with the change taken out, exactly where nothing else was written since."""
    root = decider.store.root
    here = change.to or change.path
    if change.hunks is None:
        raise UsageError(f"{change.path}: a redaction keeps no old text and cannot be undone")
    if not exists(root, here):
        raise StaleError(f"{here} is gone; put it back with git, then undo again")
    data = read_bytes(root, here)
    if sha_of(data) == change.before and not change.to:
        return ()  # somebody put it back already
    moved = sha_of(data) != change.after
    before = undone(data, change.hunks, here, data_moved=moved and not is_index(here, data))
    if not moved and sha_of(before) != change.before:
        raise StaleError(f"{here}: the record does not give back the bytes it names; nothing was changed")
    if change.to:
        if exists(root, change.path):
            raise StaleError(f"{change.path} is there again; move it away, then undo again")
        return (FileChange(change.path, None, before), FileChange(here, data, None))
    return (FileChange(here, data, before),)


def _anew(decider: Decider, filed: Filed, inbox: Inbox, files: tuple[FileChange, ...]) -> tuple[FileChange, ...]:
    """The proposal in pending again, against the bytes that undoing leaves; nothing where a subject is gone."""
    if filed.document.proposal.pass_name == NAME:
        return ()  # nobody asked: what a person did by hand is not a question when it is taken back
    now = look(decider.store)
    all_shown([base.path for base in filed.document.proposal.base], now)
    base = base_now(filed.document.proposal, now)
    back = {change.path: sha_of(change.after) for change in files if change.after is not None}
    if base is None and not back:
        return ()
    proposal = filed.document.proposal
    fresh = tuple(
        replace(one, sha256=back.get(one.path) or (now.memories[one.path].sha256 if one.path in now.memories else ""))
        if not one.index
        else one
        for one in proposal.base
    )
    if any(not one.sha256 for one in fresh):
        return ()
    identity = _next_id(filed, inbox, now)
    code = plan_code(proposal.pass_name, fresh, proposal.edits, proposal.choices)
    body = filed.document.body.replace(f"`{filed.document.plan}`", f"`{code}`")
    body = body.replace(f"`gardener undo {filed.id}`", f"`gardener undo {identity}`")
    body = re.sub(r"^- \[[xX]\]", "- [ ]", body, flags=re.MULTILINE)
    open_again = replace(proposal, id=identity, base=fresh, decision="pending", reason="", decided=(), ticks=())
    edits = proposal.edits or proposal.choices[-1].edits
    stem = edits[0].path.rsplit("/", 1)[-1].removesuffix(".md")
    path = f"{decider.store.layout.proposals}/pending/{file_name(proposal.pass_name, stem, identity)}"
    return (FileChange(path, None, to_bytes(Document(open_again, code, code, body))),)


def _next_id(filed: Filed, inbox: Inbox, now: Now) -> str:
    proposal = filed.document.proposal
    subjects = [now.memories[path].subject if path in now.memories else path for path in proposal.subjects]
    taken = {one.id for one in inbox.decided}
    return proposal_id(proposal.pass_name, proposal.question, subjects, taken)


def _record_of(memory: Memory, inbox: Inbox) -> Filed | None:
    """The decided file whose apply retired this memory as it stands."""
    for filed in inbox.decided:
        document = filed.document
        retiring = any(isinstance(e, Supersede | Archive) and e.path == memory.path for e in document.proposal.edits)
        for change in document.changes:
            if retiring and change.path == memory.path and change.after == memory.sha256:
                return filed
    return None


def _exact(decider: Decider, memory: Memory, found: Filed | None) -> tuple[FileChange, ...] | None:
    if found is None:
        return None
    own = [c for c in found.document.changes if c.path == memory.path and c.hunks is not None]
    back = tuple(change for one in own for change in _back(decider, one))
    return (*back, *_relisted(decider, memory, found)) if back else None


def _relisted(decider: Decider, memory: Memory, found: Filed) -> tuple[FileChange, ...]:
    """The index lines that the record took out for this memory, at the end of their index again."""
    subjects = set(found.document.proposal.subjects)
    name = memory.path.rsplit("/", 1)[-1]
    changes = []
    for change in found.document.changes:
        lines = [line for _, old, _ in change.hunks or () for line in old if name in line or f"[[{memory.stem}" in line]
        if change.path not in subjects and lines:
            data = read_bytes(decider.store.root, change.path)
            joint = b"" if data.endswith(b"\n") or not data else b"\n"
            changes.append(
                FileChange(change.path, data, data + joint + "".join(lines).encode("utf-8", "surrogateescape"))
            )
    return tuple(changes)


def _settled(decider: Decider, found: Filed, memory: Memory, now: Now) -> Document:
    """The record with one more entry: this member was taken back and is not to be asked about again."""
    proposal = found.document.proposal
    letters = {path: letter(i) for i, path in enumerate(proposal.subjects)}
    by = next((e.by for e in proposal.edits if isinstance(e, Supersede) and e.path == memory.path), None)
    unit = tuple(sorted(letters[path] for path in (memory.path, by) if path))
    entry = Decided("keep", decider.by, stamp(decider.now), found.document.plan, (unit,), seen(proposal, now.memories))
    return replace(found.document, proposal=replace(proposal, decided=(*proposal.decided, entry)))
