"""All that a report says, as values. Links are as seen from the report and safe in markdown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gardener.model.finding import Finding
from gardener.model.memory import Problem
from gardener.proposals.precision import Verdict
from gardener.report.figures import Figures
from gardener.report.trend import Trend


@dataclass(frozen=True, slots=True)
class Row:
    """A proposal as the report names it. `parts` are the named contributions to `score`."""

    id: str
    pass_name: str
    risk: str
    score: float
    summary: str
    link: str
    parts: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class LookAlike:
    """Two memories, as label and link, that only a reader can judge."""

    a: tuple[str, str]
    b: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Matter:
    """`earlier` are the lines before today's, oldest first. `rows` are open proposals, what to decide first in front;
    `waiting` are decided and not applied; `decided` are those of the last report that are decided now. `tokens` are
    (what applying all would save, what a briefing costs). `failed` is pass → (error, when it last went well or "").
    """

    figures: Figures
    earlier: tuple[Figures, ...]
    trend: Trend
    rows: tuple[Row, ...]
    waiting: tuple[Row, ...]
    decided: tuple[tuple[Row, Verdict], ...]
    held_back: int
    failed: Mapping[str, tuple[str, str]]
    problems: tuple[Problem, ...]
    advice: tuple[Finding, ...]
    look_alikes: tuple[LookAlike, ...] = ()
    tokens: tuple[int, int] = (0, 0)
    this_week: Mapping[str, tuple[int, int]] | None = None
    alarms: tuple[str, ...] = ()
    news: tuple[str, ...] = ()
    malformed: tuple[str, ...] = ()
