"""The closed vocabulary of edits: the only things a proposal can ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

JsonValue: TypeAlias = "str | int | float | bool | list[JsonValue] | dict[str, JsonValue] | None"


@dataclass(frozen=True, slots=True)
class Supersede:
    """`path` is replaced by the active memory `by`."""

    path: str
    by: str


@dataclass(frozen=True, slots=True)
class Qualify:
    """`path` gains a line naming `by`, the memory that narrows or dates it; both stay active."""

    path: str
    by: str


@dataclass(frozen=True, slots=True)
class Archive:
    """`path` becomes inactive for `reason`, without a successor."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Restore:
    """`path` becomes active again: its retiring stamps and tombstone go."""

    path: str


@dataclass(frozen=True, slots=True)
class SetField:
    """The front matter key `key` (dotted when nested) of `path` gets `value`."""

    path: str
    key: str
    value: JsonValue


@dataclass(frozen=True, slots=True)
class Replace:
    """File line `line` (1-based, without its ending) changes from `old` to `new`.

    `new` may hold line feeds and then becomes several lines; None removes the line.
    """

    path: str
    line: int
    old: str
    new: str | None


@dataclass(frozen=True, slots=True)
class Append:
    """The body of `path` gains `text` after one blank line."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Move:
    """The file goes to `to`, a path in the store that does not exist yet."""

    path: str
    to: str


@dataclass(frozen=True, slots=True)
class Redact:
    """Columns `start`..`end` (1-based, inclusive, characters) of file line `line` hold a secret of `kind`."""

    path: str
    line: int
    start: int
    end: int
    kind: str


Edit: TypeAlias = Supersede | Qualify | Archive | Restore | SetField | Replace | Append | Move | Redact


def partner(edit: Edit) -> str | None:
    """The other memory an edit names: the successor of a supersede or qualify."""
    return edit.by if isinstance(edit, Supersede | Qualify) else None


def paths_of(edits: tuple[Edit, ...]) -> tuple[str, ...]:
    """Every existing path the edits name, kept ones first, each once, in order."""
    partners = [by for edit in edits if (by := partner(edit))]
    return tuple(dict.fromkeys([*partners, *(edit.path for edit in edits)]))


def members_of(edits: tuple[Edit, ...]) -> tuple[tuple[Edit, ...], ...]:
    """The edits cut into what is decided together: one run per changed file.

    An edit of a member's successor (folding text into the kept memory) belongs to that member.
    """
    members: list[list[Edit]] = []
    reach: set[str | None] = set()
    for edit in edits:
        if edit.path in reach:
            members[-1].append(edit)
        else:
            members.append([edit])
            reach = {edit.path}
        reach.add(partner(edit))
    return tuple(tuple(member) for member in members)
