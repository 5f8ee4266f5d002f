"""What a pass noticed, and the edits it would take to mend it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from gardener.model.edit import Append, Archive, Edit, Move, Qualify, Redact, Replace, Restore, SetField, Supersede

Risk: TypeAlias = Literal["safe", "judgement", "lossy"]
RISKS: tuple[Risk, ...] = ("safe", "judgement", "lossy")
"""In the order in which lists show them."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer among several. No edits means that both stay as they are ("keep both")."""

    letter: str
    says: str
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Quote:
    """Text of a memory shown as evidence. `line` is the file's, 1-based, or None."""

    path: str
    text: str
    line: int | None = None
    says: str = ""


@dataclass(frozen=True, slots=True)
class Loss:
    """What only the retired memory says: `sentences` of its `total`, in reading order."""

    path: str
    total: int
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding. Without edits and choices it is advice; with edits or choices it becomes a proposal.

    `subjects` are paths, the kept memory first where there is one. `summary` is one sentence and, with
    `why`, `quotes` and `losses`, may rest only on the subjects' own text and the settings. `score` (0..1)
    and `parts` (named contributions that add up to it) order and explain, and are never written down.
    `rejecting` names what rejecting means where that is an answer of its own ("still true").
    `group` makes findings with the same non-empty value and disjoint subjects one proposal.
    """

    pass_name: str
    summary: str
    subjects: tuple[str, ...]
    edits: tuple[Edit, ...] = ()
    choices: tuple[Choice, ...] = ()
    risk: Risk = "judgement"
    score: float = 0.5
    why: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()
    losses: tuple[Loss, ...] = ()
    parts: tuple[tuple[str, float], ...] = ()
    rejecting: str = ""
    holds_days: int | None = None
    group: str = ""
    first: bool = False

    @property
    def is_advice(self) -> bool:
        return not (self.edits or self.choices)

    @property
    def question(self) -> str:
        return question_of(self.edits, self.choices)


def question_of(edits: tuple[Edit, ...], choices: tuple[Choice, ...] = ()) -> str:
    """`lifecycle`, `field NAME` or `body`: what is being asked about the memory.

    A lifecycle edit decides; a field edit names its key; anything else is about the body.
    """
    every = (*edits, *(edit for choice in choices for edit in choice.edits))
    if any(isinstance(edit, Supersede | Qualify | Archive | Restore | Move) for edit in every):
        return "lifecycle"
    for edit in every:
        if isinstance(edit, SetField):
            return f"field {edit.key}"
    assert all(isinstance(edit, Replace | Append | Redact) for edit in every)
    return "body"
