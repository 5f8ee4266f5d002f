"""What a person's marks in a proposal file say: one answer, none, or something that must not be guessed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gardener.model.edit import Edit
from gardener.model.finding import Choice
from gardener.model.proposal import Proposal
from gardener.proposals.document import Document
from gardener.proposals.identity import letter

Word: TypeAlias = Literal["accept", "choose", "reject", "hide", "snooze"]


@dataclass(frozen=True, slots=True)
class Answer:
    """`members` are base letters (accept), `choice` one small letter, `days` how long to snooze."""

    word: Word
    members: tuple[str, ...] = ()
    choice: str = ""
    days: int = 0


@dataclass(frozen=True, slots=True)
class Refusal:
    """The file says something that cannot be carried out as it stands."""

    reason: str


def members(proposal: Proposal) -> dict[str, tuple[Edit, ...]]:
    """The edits decided box by box, by the letter of the memory they change."""
    letters = {path: letter(i) for i, path in enumerate(proposal.subjects)}
    return {letters.get(run[0].path, "?"): run for run in proposal.members}


def read_answer(document: Document) -> Answer | Refusal | None:
    """The answer in the decision line or the boxes; None where nobody answered."""
    one = document.proposal
    found = [said for said in (_from_line(document), _from_boxes(document)) if said is not None]
    refused = next((said for said in found if isinstance(said, Refusal)), None)
    if refused or not found:
        return refused
    if len(found) == 2 and found[0] != found[1]:
        return Refusal("the decision line and the boxes say different things; keep one of them")
    answer = found[0]
    assert isinstance(answer, Answer)
    return check(one, answer)


def check(one: Proposal, answer: Answer) -> Answer | Refusal:
    """The answer with its members filled in, refused where it does not fit the proposal."""
    if answer.word == "accept" and one.choices:
        return Refusal(f"this is a choice; answer with one of {', '.join(c.letter for c in one.choices)}")
    if answer.word == "choose" and answer.choice not in {c.letter for c in one.choices}:
        return Refusal(f"there is no choice {answer.choice!r} here")
    if answer.word == "accept":
        known = members(one)
        unknown = [m for m in answer.members if m not in known]
        if unknown:
            return Refusal(f"there is no box {', '.join(unknown)} here; the boxes are {', '.join(known)}")
        wanted = tuple(m for m in known if m in answer.members) if answer.members else tuple(known)
        return Answer("accept", wanted)
    return answer


def _from_line(document: Document) -> Answer | Refusal | None:
    words = document.proposal.decision.split()
    if words == ["pending"] or not words:
        return None
    if not document.code:
        return Refusal("the decision has no code; leave the eight characters behind it as they were")
    if document.code != document.plan and not document.edited:
        return Refusal("the decision has another proposal's code; run gardener tend and decide again")
    return _word(words, document.proposal)


def _word(words: list[str], proposal: Proposal) -> Answer | Refusal:
    word, rest = words[0].lower(), " ".join(words[1:])
    if word in {"reject", "hide"} and not rest:
        return Answer("reject" if word == "reject" else "hide")
    if word == "snooze" and (found := re.fullmatch(r"(\d{1,4})d", rest)):
        return Answer("snooze", days=int(found.group(1)))
    if word == "accept" and proposal.choices and rest:
        return Answer("choose", choice=rest.lower())
    if word == "accept" and re.fullmatch(r"(?:[A-Za-z]{1,3}(?:\s*,\s*[A-Za-z]{1,3})*)?", rest):
        return Answer("accept", tuple(part.strip().upper() for part in rest.split(",") if part.strip()))
    return Refusal(f"not an answer: {' '.join(words)[:40]}; use accept, reject, hide or snooze 14d")


def _from_boxes(document: Document) -> Answer | Refusal | None:
    ticks = document.proposal.ticks
    if not ticks:
        return None
    own = document.code if document.edited else document.plan
    if any(code != own for _, code in ticks):
        return Refusal("a ticked box has another proposal's code, or none; tick it again in a fresh file")
    said = {_box(label, document.proposal) for label, _ in ticks}
    accepted = {a for a in said if a and a.word == "accept"}
    others = said - accepted
    if None in said:
        return Refusal("a ticked box is not one that gardener wrote")
    if len(others) > 1 or (others and accepted):
        return Refusal("two boxes are ticked that cannot both hold; leave one")
    if others:
        return next(iter(others))
    return Answer("accept", tuple(sorted((m for a in accepted if a for m in a.members), key=lambda m: (len(m), m))))


def _box(label: str, proposal: Proposal) -> Answer | None:
    word = label.split(":")[0].split(" ")[0]
    if word in {"reject", "hide"}:
        return Answer("reject" if word == "reject" else "hide")
    if label.split(":")[0] == "accept":
        return Answer("accept")
    if proposal.choices and (found := re.match(r"([a-z]): ", label)):
        return Answer("choose", choice=found.group(1))
    found = re.match(r"[a-z]+ ([A-Z]{1,3})(?:\b|$)", label)
    return Answer("accept", (found.group(1),)) if found else None


def choice_of(proposal: Proposal, wanted: str) -> Choice:
    """The choice with that letter; it was checked before."""
    return next(choice for choice in proposal.choices if choice.letter == wanted)
