"""Applying one proposal: the files it changes, its own file, and what that means for its siblings, all at once."""

from __future__ import annotations

from gardener.errors import PartialError, StaleError
from gardener.model.edit import Edit
from gardener.model.memory import Memory
from gardener.model.operation import FileChange
from gardener.model.proposal import Proposal
from gardener.proposals.answers import Answer, choice_of, members
from gardener.proposals.inbox import Inbox
from gardener.proposals.settled import declined, seen
from gardener.review.filing import Decision, Done, carry, changes_of, record, to_bytes
from gardener.review.plan import Now, all_shown, changes_for, look, moved_on
from gardener.review.siblings import reread, settle


def apply(decision: Decision, answer: Answer, inbox: Inbox) -> Done:
    """Change the files as `answer` says and file the proposal. StaleError where what it speaks of moved on;
    PartialError where that is so for some members of a group of independent repairs, the others being applied.
    """
    filed, proposal = decision.filed, decision.proposal
    now = look(decision.store)
    all_shown([base.path for base in proposal.base], now)
    accepted, skipped = _still_possible(decision, answer, now)
    if answer.word == "choose":
        edits = choice_of(proposal, answer.choice).edits
    else:
        runs = members(proposal)
        edits = tuple(edit for name in accepted for edit in runs[name])
    try:
        files = changes_for(edits, proposal, now, decision.now)
    except StaleError as error:
        raise decision.voided(error) from None
    wipe = proposal.risk == "lossy"
    refused = declined(proposal) if answer.word == "choose" else declined(proposal, (*accepted, *skipped))
    entry = decision.entry("apply", refused, seen(proposal, _afterwards(now, files)))
    word = f"accept {answer.choice}" if answer.word == "choose" else f"accept {','.join(accepted)}"
    done = record(filed.document, word, entry, reason=decision.reason, changes=changes_of(files, wipe=wipe))
    target = decision.target("applied")
    others = [one for one in inbox.pending if one.id != filed.id]
    operation = (
        *files,
        FileChange(target, None, to_bytes(done)),
        FileChange(filed.path, filed.data, None),
        *settle(others, files, now.memories, now.reading.formats),
    )
    kept = carry(decision.store, f"apply {filed.id}", operation, wipe=wipe)
    paths = tuple(change.path for change in files)
    result = Done(filed.id, "apply", proposal.summary, paths, target, kept, final=wipe)
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


def _still_possible(decision: Decision, answer: Answer, now: Now) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(members to apply, members that moved on). StaleError, with the file's marks emptied, where nothing can be."""
    proposal = decision.proposal
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
    raise decision.moved(targets | others)


def _asked_for(proposal: Proposal, answer: Answer) -> tuple[Edit, ...]:
    """The edits an answer is about: what stays as it is may have moved on."""
    if answer.word == "choose":
        return choice_of(proposal, answer.choice).edits
    runs = members(proposal)
    kept_apart = len(runs) > 1 and set(answer.members) != set(runs)
    return tuple(edit for name in answer.members for edit in runs[name]) if kept_apart else ()
