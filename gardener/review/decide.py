"""Carrying out one person's decision about one proposal, and filing it. All of it or nothing, under the lock."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeAlias

from gardener.config.store import Store
from gardener.errors import BusyError, GardenerError, PartialError, StaleError, UsageError
from gardener.model.edit import Edit
from gardener.model.memory import Memory
from gardener.model.operation import FileChange, Operation
from gardener.model.proposal import Base, Decided, Did, Proposal
from gardener.proposals.answers import Answer, Refusal, check, choice_of, members, read_answer
from gardener.proposals.document import Change, Document, write
from gardener.proposals.identity import plan_code, resolve
from gardener.proposals.inbox import Filed, Inbox, read_inbox
from gardener.proposals.settled import declined, seen
from gardener.proposals.written import expect
from gardener.review.hunks import hunks
from gardener.review.outlook import rebased
from gardener.review.plan import Now, changes_for, look, moved_on, sha_of
from gardener.review.siblings import emptied, reread, settle
from gardener.storage.cache import open_cache
from gardener.storage.commit import Outcome, commit, recover
from gardener.storage.gitdir import git_busy
from gardener.storage.lock import hold
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
class Shown:
    """What a person saw and said yes to: the code of the file, and the bytes where a kept memory had changed."""

    code: str
    bases: tuple[Base, ...] | None


@dataclass(frozen=True)
class Decider:
    """Who decides, when, in which store. Every method takes the lock, and nothing is kept between two of them."""

    store: Store
    by: str
    now: datetime

    def answer(
        self,
        wanted: str,
        answer: Answer,
        *,
        edited: bool = False,
        reason: str = "",
        plan: tuple[Edit, ...] | None = None,
        code: str | None = None,
        bases: tuple[Base, ...] | None = None,
    ) -> Done:
        """Carry out `answer` for the pending proposal `wanted`. StaleError, UsageError or PartialError if not.

        `plan` takes the place of the proposal's edits, over the same bases; `code` is that of the file as it was
        shown, and another one there now is refused; `bases` are the bytes that were shown, where only a memory that
        is kept had changed.
        """
        with locked(self.store) as inbox:
            filed = pending(inbox, wanted)
            if code is not None and filed.document.code != code:
                raise StaleError(f"{filed.id} was written anew meanwhile; look again")
            if bases is not None:
                filed = rebased(filed, bases)
            if plan is not None:
                filed = replanned(filed, plan)
            return _carry_out(self, filed, answer, inbox, edited=edited, reason=reason)

    def decided(self, wanted: str, *, edited: bool = False) -> Done:
        """Carry out what the file itself says."""
        with locked(self.store) as inbox:
            filed = pending(inbox, wanted)
            said = read_answer(filed.document)
            if said is None:
                raise UsageError(f"{filed.path}: holds no answer")
            if isinstance(said, Refusal):
                raise UsageError(f"{filed.path}: {said.reason}")
            reason = filed.document.proposal.reason
            return _carry_out(self, filed, said, inbox, edited=edited, reason=reason)


@contextmanager
def locked(store: Store) -> Iterator[Inbox]:
    """Hold the store with no interrupted apply left in it, and read its proposals."""
    with hold(store.root):
        busy = git_busy(store.root)
        if busy:
            raise BusyError(f"git is in the middle of something here ({busy}); finish it, then run this again")
        recovered(recover(store.root, store.layout.proposals))
        yield read_inbox(store.root, store.layout.proposals)


def current(store: Store) -> Inbox:
    """The proposals as they are once an interrupted apply is ended."""
    with locked(store) as inbox:
        return inbox


def recovered(outcome: Outcome) -> None:
    """Stop with what a person has to look at after an interrupted apply was ended."""
    if outcome.stuck or outcome.kept:
        said = "; ".join(str(kept) for kept in outcome.kept) or ", ".join(outcome.stuck)
        raise PartialError(f"an earlier apply was put right, and something else had been written meanwhile: {said}")


def pending(inbox: Inbox, wanted: str) -> Filed:
    """The pending proposal a person names. UsageError where there is none, saying what became of it."""
    malformed = {one.path.rsplit("/", 1)[-1]: one for one in inbox.malformed}
    if wanted.rsplit("/", 1)[-1] in malformed:
        one = malformed[wanted.rsplit("/", 1)[-1]]
        raise UsageError(f"{one.path}: {one.reason}")
    identity = resolve(wanted, inbox.by_id, UsageError)
    filed = inbox.by_id[identity]
    if filed.state != "pending":
        undone = filed.document.proposal.decided[-1].did == "undone" if filed.document.proposal.decided else False
        how = "undone; gardener list shows what it goes on as" if undone else f"decided already ({filed.state})"
        raise UsageError(f"{identity} was {how}; gardener log {identity} shows how")
    return filed


def _carry_out(decider: Decider, filed: Filed, said: Answer, inbox: Inbox, *, edited: bool, reason: str) -> Done:
    document = filed.document
    if document.edited and not edited and said.word in {"accept", "choose"}:
        raise UsageError(f"{filed.id}: its plan was edited by hand; look at it with show, then apply with --edited")
    if document.code != document.plan and not document.edited:
        raise UsageError(f"{filed.path}: its code does not fit its plan; run gardener tend to write it anew")
    answer = check(document.proposal, said)
    if isinstance(answer, Refusal):
        raise UsageError(f"{filed.id}: {answer.reason}")
    if answer.word == "snooze":
        return _snooze(decider, filed, answer.days)
    if answer.word in {"reject", "hide"}:
        return _refuse(decider, filed, "hide" if answer.word == "hide" else "reject", reason)
    if answer.word == "choose" and not choice_of(document.proposal, answer.choice).edits:
        return _refuse(decider, filed, "keep", reason)
    return _apply(decider, filed, answer, inbox, reason)


def replanned(filed: Filed, plan: tuple[Edit, ...]) -> Filed:
    """The same proposal with other edits over the same bases."""
    one = replace(filed.document.proposal, edits=plan)
    code = plan_code(one.pass_name, one.base, plan, one.choices)
    return replace(filed, document=replace(filed.document, proposal=one, code=code, plan=code, boxes=()))


def _snooze(decider: Decider, filed: Filed, days: int) -> Done:
    if not 1 <= days <= 3650:
        raise UsageError("snooze takes 1 to 3650 days")
    until = stamp(decider.now + timedelta(days=days))
    document = emptied(filed.document)
    document = replace(document, proposal=replace(document.proposal, until=until, earlier=""))
    carry(decider.store, f"snooze {filed.id}", (FileChange(filed.path, filed.data, to_bytes(document)),))
    return Done(filed.id, "snooze", filed.document.proposal.summary, filed=filed.path, notices=(f"until {until[:10]}",))


def _refuse(decider: Decider, filed: Filed, did: Did, reason: str) -> Done:
    proposal = filed.document.proposal
    did = "keep" if did == "reject" and proposal.rejecting else did
    now = look(decider.store)
    targets, others = moved_on(proposal, now)
    if did != "hide" and (targets or others):
        raise _voided(decider, filed, targets | others)
    memories = now.memories
    entry = Decided(
        did, decider.by, stamp(decider.now), filed.document.plan, declined(proposal), seen(proposal, memories)
    )
    word = "hide" if did == "hide" else "reject"
    document = record(filed.document, word, entry, reason=reason)
    target = f"{decider.store.layout.proposals}/rejected/{filed.path.rsplit('/', 1)[-1]}"
    changes = (FileChange(target, None, to_bytes(document)), FileChange(filed.path, filed.data, None))
    carry(decider.store, f"{did} {filed.id}", changes)
    return Done(filed.id, did, proposal.summary, filed=target)


def _apply(decider: Decider, filed: Filed, answer: Answer, inbox: Inbox, reason: str) -> Done:
    store, document = decider.store, filed.document
    proposal = document.proposal
    now = look(store)
    accepted, skipped = _still_possible(decider, filed, answer, now)
    if answer.word == "choose":
        edits = choice_of(proposal, answer.choice).edits
    else:
        runs = members(proposal)
        edits = tuple(edit for name in accepted for edit in runs[name])
    try:
        files = changes_for(edits, proposal, now, decider.now)
    except StaleError:
        if document.owned:
            carry(store, f"void {filed.id}", (FileChange(filed.path, filed.data, to_bytes(emptied(document))),))
        raise
    wipe = proposal.risk == "lossy"
    entry = Decided(
        "apply",
        decider.by,
        stamp(decider.now),
        document.plan,
        declined(proposal) if answer.word == "choose" else declined(proposal, (*accepted, *skipped)),
        seen(proposal, _afterwards(now, files)),
    )
    word = f"accept {answer.choice}" if answer.word == "choose" else f"accept {','.join(accepted)}"
    done = record(document, word, entry, reason=reason, changes=changes_of(files, wipe=wipe))
    target = f"{store.layout.proposals}/applied/{filed.path.rsplit('/', 1)[-1]}"
    others = [one for one in inbox.pending if one.id != filed.id]
    operation = (
        *files,
        FileChange(target, None, to_bytes(done)),
        FileChange(filed.path, filed.data, None),
        *settle(others, files, now.memories, now.reading.formats),
    )
    carry(store, f"apply {filed.id}", operation, wipe=wipe)
    paths = tuple(change.path for change in files)
    result = Done(filed.id, "apply", proposal.summary, paths, target, final=wipe)
    if skipped:
        gone = ", ".join(skipped)
        raise PartialError(f"{filed.id}: applied {', '.join(accepted)}; {gone} changed since and will be asked again")
    return result


def _afterwards(now: Now, files: tuple[FileChange, ...]) -> dict[str, Memory]:
    """The memories as they are once the files are changed: text that an apply folds in counts as seen."""
    known = now.memories
    changed = {
        change.path: memory
        for change in files
        if change.path in known and known[change.path].root in now.reading.formats
        if (memory := reread(known[change.path], change.after, now.reading.formats)) is not None
    }
    return {**known, **changed}


def _still_possible(
    decider: Decider, filed: Filed, answer: Answer, now: Now
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(members to apply, members that moved on). StaleError, with the file's marks emptied, where nothing can be."""
    proposal = filed.document.proposal
    targets, others = moved_on(proposal, now, _asked_for(proposal, answer))
    if not targets and not others:
        return answer.members, ()
    runs = members(proposal)
    independent = len(runs) > 1 and all(len({edit.path for edit in run}) == 1 for run in runs.values()) and not others
    independent = independent and not any(hasattr(edit, "by") for run in runs.values() for edit in run)
    if answer.word == "accept" and independent:
        left = tuple(name for name in answer.members if runs[name][0].path not in targets)
        if left:
            return left, tuple(name for name in answer.members if name not in left)
    raise _voided(decider, filed, targets | others)


def _asked_for(proposal: Proposal, answer: Answer) -> tuple[Edit, ...]:
    """The edits an answer is about: what stays as it is may have moved on."""
    if answer.word == "choose":
        return choice_of(proposal, answer.choice).edits
    runs = members(proposal)
    kept_apart = len(runs) > 1 and set(answer.members) != set(runs)
    return tuple(edit for name in answer.members for edit in runs[name]) if kept_apart else ()


def _voided(decider: Decider, filed: Filed, moved: frozenset[str]) -> StaleError:
    """The error for a decision about text that is not there any more; a person's marks are emptied and named."""
    if filed.document.owned:
        change = FileChange(filed.path, filed.data, to_bytes(emptied(filed.document)))
        carry(decider.store, f"void {filed.id}", (change,))
    gone = ", ".join(sorted(moved))
    return StaleError(f"{filed.id}: {gone} changed since it was proposed; run gardener tend, then look again")


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


def carry(store: Store, name: str, changes: tuple[FileChange, ...], *, wipe: bool = False) -> None:
    """Commit, once it is noted what the pending files will hold, so that tend can tell a person's words from ours."""
    place = f"{store.layout.proposals}/pending/"
    with open_cache(store.root) as cache:
        expect(cache, {one.path: (one.before, one.after) for one in changes if one.path.startswith(place)})
    commit(store.root, Operation(name, changes, wipe), store.layout.proposals)


Asking: TypeAlias = Callable[[Filed, Answer], Shown | None]
"""Shows a person what an answer would do now where that is not what was proposed. None where there is nothing to show;
StaleError where the person says no.
"""


def run_all(
    decider: Decider, wanted: Mapping[str, Answer | None], *, edited: bool = False, asking: Asking | None = None
) -> list[Done | GardenerError]:
    """Decide each on its own; an error is a value beside the rest."""
    results: list[Done | GardenerError] = []
    for identity, answer in wanted.items():
        try:
            if answer is None:
                results.append(decider.decided(identity, edited=edited))
            else:
                results.append(_answered(decider, identity, answer, edited, asking))
        except GardenerError as error:
            results.append(error)
    return results


def _answered(decider: Decider, wanted: str, answer: Answer, edited: bool, asking: Asking | None) -> Done:
    filed = pending(read_inbox(decider.store.root, decider.store.layout.proposals), wanted)
    shown = asking(filed, answer) if asking else None
    if shown is None:
        return decider.answer(wanted, answer, edited=edited)
    return decider.answer(wanted, answer, edited=True, code=shown.code, bases=shown.bases)


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
