"""A day's figures and the recorded history of them. Pure: lines in, lines out."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

_ID = re.compile(r"[0-9A-Z]{6}")
_PASS = re.compile(r"[a-z_]{1,40}")
MOST = 1_000_000_000
FIRST_YEAR = 2020
"""What is larger, or older, was never a figure of a store."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a day's line of history holds. `date` is YYYY-MM-DD; `passes` is name → (right, decided) so far."""

    date: str
    active: int
    notes: int
    pending: tuple[str, ...]
    decided: int
    problems: int
    passes: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def line(self) -> str:
        """One line of history.jsonl."""
        raw = {
            "date": self.date,
            "active": self.active,
            "notes": self.notes,
            "pending": list(self.pending),
            "decided": self.decided,
            "problems": self.problems,
            "passes": {name: list(pair) for name, pair in sorted(self.passes.items())},
        }
        return json.dumps(raw, ensure_ascii=False)

    @property
    def share(self) -> float:
        """Files with a problem in a hundred."""
        return 100 * self.problems / max(1, self.active + self.notes, self.problems)

    @property
    def compared(self) -> tuple[Any, ...]:
        """All but the date: a report is written only where this differs from the last line's."""
        return self.active, self.notes, self.pending, self.decided, self.problems, sorted(self.passes.items())


def read_history(text: str) -> tuple[Figures, ...]:
    """The lines that can be read, in order of their dates; others (a merge may leave halves) are passed over."""
    found = (_read(line) for line in text.splitlines())
    by_date = {one.date: one for one in found if one is not None}
    return tuple(by_date[key] for key in sorted(by_date))


def write_history(history: Iterable[Figures], today: Figures) -> str:
    """The history with today's line in place of an earlier one of the same date."""
    kept = [one for one in history if one.date != today.date]
    return "".join(f"{one.line()}\n" for one in sorted([*kept, today], key=lambda one: one.date))


def _read(line: str) -> Figures | None:
    """A file that two machines merge may hold anything: what is no date, id or pass has no place in a report."""
    try:
        raw = json.loads(line)
        return Figures(
            date=_day(raw["date"]).isoformat(),
            active=_figure(raw["active"]),
            notes=_figure(raw["notes"]),
            pending=tuple(one for one in raw["pending"] if _ID.fullmatch(one)),
            decided=_figure(raw["decided"]),
            problems=_figure(raw["problems"]),
            passes={n: (_figure(pair[0]), _figure(pair[1])) for n, pair in raw["passes"].items() if _PASS.fullmatch(n)},
        )
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, RecursionError):
        return None


def _figure(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value <= MOST:
        raise ValueError("not a figure of a store")
    return value


def _day(text: str) -> datetime.date:
    day = datetime.date.fromisoformat(text)
    if day.year < FIRST_YEAR:
        raise ValueError("before there were any")
    return day
