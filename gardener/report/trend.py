"""How the figures moved: the last day's line on or before a date holds until the next. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property

from gardener.report.figures import Figures

STEP = timedelta(days=2)
STEPS = 7
"""The small lines of the table reach back a fortnight; a character a day would not fit a phone."""

WEEKS = 13
"""How far the chart reaches back."""

WEEK = timedelta(days=7)
_BARS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class Trend:
    """`lines` are the recorded figures and today's, oldest first; `decided` the day of each decision that stands."""

    lines: tuple[Figures, ...]
    decided: tuple[date, ...]

    @property
    def today(self) -> date:
        return date.fromisoformat(self.lines[-1].date)

    def on(self, day: date) -> Figures | None:
        """The figures that held on a day, None before the first."""
        return next((one for one in reversed(self.lines) if one.date <= day.isoformat()), None)

    def held(self, day: date) -> Figures:
        """The same, the first ones before the first."""
        return self.on(day) or self.lines[0]

    @cached_property
    def first(self) -> dict[str, date]:
        """For each proposal the day of the first line that names it: it is as old as that."""
        return {identity: date.fromisoformat(one.date) for one in reversed(self.lines) for identity in one.pending}

    def oldest(self, day: date) -> int:
        """The age in days of the proposal that had waited longest."""
        return max(((day - self.first[identity]).days for identity in self.held(day).pending), default=0)

    def decided_within(self, day: date, span: timedelta = WEEK) -> int:
        """Decisions on the days of a span that ends with `day`."""
        return sum(1 for one in self.decided if day - span < one <= day)

    def days(self) -> list[date]:
        """The days of the small lines, from the first recorded one."""
        every = [self.today - back * STEP for back in reversed(range(STEPS))]
        return [day for day in every if self.on(day)]

    def weeks(self) -> list[date]:
        """The last days of the chart's weeks, from the first recorded one."""
        every = [self.today - back * WEEK for back in reversed(range(WEEKS))]
        return [day for day in every if self.on(day)]


def small_line(values: Sequence[float]) -> str:
    """One character a value, from the lowest to the highest of them; "" where there is nothing to see."""
    low, high = min(values, default=0), max(values, default=0)
    if low == high:
        return ""
    return "".join(_BARS[round((value - low) / (high - low) * (len(_BARS) - 1))] for value in values)


def chart(trend: Trend) -> str:
    """A mermaid chart of open proposals and decisions by week, "" before there are three weeks to draw."""
    weeks = trend.weeks()
    if len(weeks) < 3:
        return ""
    open_then = [len(trend.held(day).pending) for day in weeks]
    decided = [trend.decided_within(day) for day in weeks]
    lines = [
        "```mermaid",
        "xychart-beta",
        '    title "Open proposals (line), decisions a week (bars)"',
        f"    x-axis [{_listed(chr(34) + day.strftime('%m-%d') + chr(34) for day in weeks)}]",
        f"    y-axis 0 --> {max(1, *open_then, *decided)}",
        f"    bar [{_listed(map(str, decided))}]",
        f"    line [{_listed(map(str, open_then))}]",
        "```",
    ]
    return "\n".join(lines)


def _listed(values: Iterable[str]) -> str:
    return ", ".join(values)
