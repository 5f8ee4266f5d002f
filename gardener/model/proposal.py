"""A proposal as its file states it: what is asked, of which bytes, and what a person answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from gardener.model.edit import Edit, members_of
from gardener.model.finding import Choice, Risk, question_of

State: TypeAlias = Literal["pending", "snoozed", "decided", "applied", "rejected", "hidden"]
Did: TypeAlias = Literal["apply", "reject", "keep", "hide", "undone"]


@dataclass(frozen=True, slots=True)
class Base:
    """One memory the proposal speaks of, and the sha256 of what it said. An index line has `index` True."""

    sha256: str
    path: str
    index: bool = False


@dataclass(frozen=True, slots=True)
class Decided:
    """One entry of the record. `seen` maps a base's letter to (sketch, values) as §6 defines them."""

    did: Did
    by: str
    at: str
    code: str
    declined: tuple[tuple[str, ...], ...] = ()
    seen: dict[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Proposal:
    """`decision` is the raw decision line; `ticks` are (box label, code) of ticked boxes, in file order."""

    id: str
    pass_name: str
    risk: Risk
    base: tuple[Base, ...]
    edits: tuple[Edit, ...] = ()
    choices: tuple[Choice, ...] = ()
    summary: str = ""
    decision: str = "pending"
    reason: str = ""
    until: str = ""
    earlier: str = ""
    rejecting: str = ""
    ticks: tuple[tuple[str, str], ...] = ()
    decided: tuple[Decided, ...] = ()

    @property
    def question(self) -> str:
        return question_of(self.edits, self.choices)

    @property
    def members(self) -> tuple[tuple[Edit, ...], ...]:
        """What is decided box by box: one run of edits per changed file."""
        return members_of(self.edits)

    @property
    def subjects(self) -> tuple[str, ...]:
        return tuple(base.path for base in self.base if not base.index)
