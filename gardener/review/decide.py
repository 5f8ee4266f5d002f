"""Carrying out one person's decision about one proposal, and filing it. All of it or nothing, under the lock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeAlias

from gardener.config.store import Store
from gardener.errors import GardenerError, StaleError, UsageError
from gardener.model.edit import Edit
from gardener.model.operation import FileChange
from gardener.model.proposal import Base, Did
from gardener.proposals.answers import Answer, Refusal, check, choice_of, read_answer
from gardener.proposals.identity import plan_code
from gardener.proposals.inbox import Filed, Inbox, read_inbox
from gardener.proposals.settled import declined, seen
from gardener.review.apply import apply
from gardener.review.filing import Decision, Done, carry, record, to_bytes
from gardener.review.locked import locked, pending
from gardener.review.outlook import rebased
from gardener.review.plan import all_shown, look, moved_on
from gardener.review.siblings import emptied
from gardener.text.frontmatter import stamp


@dataclass(frozen=True, slots=True)
class Shown:
    """What a person saw and said yes to: the code of the plan, the answer, the bytes where a kept memory changed."""

    plan: str
    answer: Answer
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
        seen: str | None = None,
        bases: tuple[Base, ...] | None = None,
    ) -> Done:
        """Carry out `answer` for the pending proposal `wanted`. StaleError, UsageError or PartialError if not.

        `plan` takes the place of the proposal's edits, over the same bases; `seen` is the code of the plan that was
        shown (with `plan`, of the one it takes the place of), and another one there now is refused; `bases` are the
        bytes that were shown, where only a memory that is kept had changed.
        """
        with locked(self.store) as inbox:
            filed = pending(inbox, wanted)
            if seen is not None and filed.document.plan != seen:
                raise StaleError(f"{filed.id} was written anew meanwhile; look again")
            if bases is not None:
                filed = rebased(filed, bases)
            if plan is not None:
                filed = replanned(filed, plan)
            return _carry_out(self, filed, answer, inbox, edited=edited, reason=reason)

    def decided(self, wanted: str, *, edited: bool = False, shown: Shown | None = None) -> Done:
        """Carry out what the file itself says, or what it said when it was `shown`."""
        with locked(self.store) as inbox:
            filed = pending(inbox, wanted)
            said = answer_in(filed)
            if shown is not None:
                if (filed.document.plan, said) != (shown.plan, shown.answer):
                    raise StaleError(f"{filed.id} was written anew meanwhile; look again")
                filed = filed if shown.bases is None else rebased(filed, shown.bases)
            reason = filed.document.proposal.reason
            return _carry_out(self, filed, said, inbox, edited=edited or shown is not None, reason=reason)


def answer_in(filed: Filed) -> Answer:
    """What the file itself says; UsageError where that is nothing, or cannot be carried out."""
    said = read_answer(filed.document)
    if said is None:
        raise UsageError(f"{filed.path}: holds no answer")
    if isinstance(said, Refusal):
        raise UsageError(f"{filed.path}: {said.reason}")
    return said


def _carry_out(decider: Decider, filed: Filed, said: Answer, inbox: Inbox, *, edited: bool, reason: str) -> Done:
    document = filed.document
    if document.edited and not edited and said.word in {"accept", "choose"}:
        raise UsageError(f"{filed.id}: its plan was edited by hand; look at it with show, then apply with --edited")
    if document.code != document.plan and not document.edited:
        raise UsageError(f"{filed.path}: its code does not fit its plan; run gardener tend to write it anew")
    answer = check(document.proposal, said)
    if isinstance(answer, Refusal):
        raise UsageError(f"{filed.id}: {answer.reason}")
    decision = Decision(decider.store, decider.by, decider.now, filed, reason)
    if answer.word == "snooze":
        return _snooze(decision, answer.days)
    if answer.word in {"reject", "hide"}:
        return _refuse(decision, "hide" if answer.word == "hide" else "reject")
    if answer.word == "choose" and not choice_of(document.proposal, answer.choice).edits:
        return _refuse(decision, "keep")
    return apply(decision, answer, inbox)


def replanned(filed: Filed, plan: tuple[Edit, ...]) -> Filed:
    """The same proposal with other edits over the same bases."""
    one = replace(filed.document.proposal, edits=plan)
    code = plan_code(one.pass_name, one.base, plan, one.choices)
    return replace(filed, document=replace(filed.document, proposal=one, code=code, plan=code, boxes=()))


def _snooze(decision: Decision, days: int) -> Done:
    if not 1 <= days <= 3650:
        raise UsageError("snooze takes 1 to 3650 days")
    filed, until = decision.filed, stamp(decision.now + timedelta(days=days))
    document = emptied(filed.document)
    document = replace(document, proposal=replace(document.proposal, until=until, earlier=""))
    carry(decision.store, f"snooze {filed.id}", (FileChange(filed.path, filed.data, to_bytes(document)),))
    return Done(filed.id, "snooze", filed.document.proposal.summary, filed=filed.path, notices=(f"until {until[:10]}",))


def _refuse(decision: Decision, did: Did) -> Done:
    filed, proposal = decision.filed, decision.proposal
    did = "keep" if did == "reject" and proposal.rejecting else did
    now = look(decision.store)
    all_shown(proposal.subjects, now)
    targets, others = moved_on(proposal, now)
    if did != "hide" and (targets or others):
        raise decision.moved(targets | others)
    entry = decision.entry(did, declined(proposal), seen(proposal, now.memories))
    document = record(filed.document, "hide" if did == "hide" else "reject", entry, reason=decision.reason)
    target = decision.target("rejected")
    changes = (FileChange(target, None, to_bytes(document)), FileChange(filed.path, filed.data, None))
    carry(decision.store, f"{did} {filed.id}", changes)
    return Done(filed.id, did, proposal.summary, filed=target)


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
            results.append(_answered(decider, identity, answer, edited, asking))
        except GardenerError as error:
            results.append(error)
    return results


def _answered(decider: Decider, wanted: str, answer: Answer | None, edited: bool, asking: Asking | None) -> Done:
    filed = pending(read_inbox(decider.store.root, decider.store.layout.proposals), wanted)
    shown = asking(filed, answer_in(filed) if answer is None else answer) if asking else None
    if answer is None:
        return decider.decided(wanted, edited=edited, shown=shown)
    if shown is None:
        return decider.answer(wanted, answer, edited=edited)
    return decider.answer(wanted, answer, edited=True, seen=shown.plan, bases=shown.bases)
