"""The report of a run as markdown, and the history it compares with. Pure: figures in, text out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from gardener.model.finding import Finding
from gardener.model.memory import Problem
from gardener.text.quote import inline

SHOWN = 5
MOST = 20


@dataclass(frozen=True, slots=True)
class Figures:
    """What a day's line of history holds. `passes` is name → [accepted, decided] so far."""

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
    def compared(self) -> tuple[Any, ...]:
        """All but the date: a report is written only where this differs from the last line's."""
        return self.active, self.notes, self.pending, self.decided, self.problems, sorted(self.passes.items())


@dataclass(frozen=True, slots=True)
class Row:
    """A pending proposal as the report names it. `path` is the file's, `link` as seen from the report."""

    id: str
    pass_name: str
    risk: str
    score: float
    summary: str
    link: str
    since: str = ""


@dataclass(frozen=True, slots=True)
class Matter:
    """All a report says."""

    figures: Figures
    history: tuple[Figures, ...]
    rows: tuple[Row, ...]
    waiting: tuple[Row, ...]
    held_back: int
    failed: Mapping[str, str]
    problems: tuple[Problem, ...]
    advice: tuple[Finding, ...]
    alarms: tuple[str, ...] = ()
    news: tuple[str, ...] = ()
    malformed: tuple[str, ...] = ()


def read_history(text: str) -> tuple[Figures, ...]:
    """The lines that can be read, in order of their dates; others (a merge may leave halves) are passed over."""
    found: dict[str, Figures] = {}
    for line in text.splitlines():
        try:
            raw = json.loads(line)
            date.fromisoformat(raw["date"])
            passes = {str(name): (int(pair[0]), int(pair[1])) for name, pair in raw["passes"].items()}
            found[raw["date"]] = Figures(
                raw["date"],
                int(raw["active"]),
                int(raw["notes"]),
                tuple(str(one) for one in raw["pending"]),
                int(raw["decided"]),
                int(raw["problems"]),
                passes,
            )
        except (ValueError, KeyError, TypeError, AttributeError, IndexError):
            continue
    return tuple(found[key] for key in sorted(found))


def write_history(history: Iterable[Figures], today: Figures) -> str:
    """The history with today's line in place of an earlier one of the same date."""
    kept = [one for one in history if one.date != today.date]
    return "".join(f"{one.line()}\n" for one in sorted([*kept, today], key=lambda one: one.date))


def render(matter: Matter) -> str:
    """The report: what to do on the first screen, the rest below."""
    figures = matter.figures
    parts = [f"# Gardener report, {figures.date}", _verdict(matter)]
    if matter.alarms:
        parts.append("\n".join(["## Look at this first", *(f"- {inline(line, 400)}" for line in matter.alarms)]))
    parts.append(_figures(matter))
    if matter.rows:
        parts.append("\n".join(["## Decide first", *(_row(row) for row in matter.rows[:SHOWN])]))
        parts.append("Run `gardener review`, or tick boxes in the files and run `gardener apply --decided`.")
    if matter.waiting:
        parts.append("\n".join(["## Decided, not applied", *(_row(row) for row in matter.waiting)]))
        parts.append("Run `gardener apply --decided` to carry these out.")
    if matter.failed:
        left = "Its open proposals are left as they are."
        lines = (f"- `{name}` failed: {inline(error)}. {left}" for name, error in matter.failed.items())
        parts.append("\n".join(["## Passes that failed", *lines]))
    if matter.news:
        parts.append("\n".join(["## What changed", *(f"- {inline(line, 400)}" for line in matter.news)]))
    parts += _problems(matter)
    parts += _advice(matter.advice)
    return "\n\n".join(parts) + "\n"


def _verdict(matter: Matter) -> str:
    pending, problems = len(matter.rows), matter.figures.problems
    if matter.alarms:
        return "Something is missing that nobody decided on; see below."
    if matter.failed:
        return f"{_count(len(matter.failed), 'pass', 'passes')} failed, so this report is not the whole picture."
    if not pending and not problems:
        return "Nothing to decide and nothing wrong."
    said = [_count(pending, "proposal waits", "proposals wait") + " for a decision"] if pending else []
    said += [_count(problems, "file has", "files have") + " a problem"] if problems else []
    return " and ".join(said).capitalize() + "."


def _figures(matter: Matter) -> str:
    now, before = matter.figures, matter.history[-1] if matter.history else None
    rows = [("Active memories", now.active, before.active if before else None)]
    rows.append(("Notes", now.notes, before.notes if before else None))
    rows.append(("Pending proposals", len(now.pending), len(before.pending) if before else None))
    rows.append(("Held back by the cap", matter.held_back, None))
    rows.append(("Decided so far", now.decided, before.decided if before else None))
    rows.append(("Files with a problem", now.problems, before.problems if before else None))
    lines = ["| | now | since the last report |", "|---|---:|---:|"]
    lines += [f"| {name} | {value} | {_change(value, was)} |" for name, value, was in rows]
    return "\n".join(lines)


def _change(value: int, was: int | None) -> str:
    return "" if was is None else "same" if value == was else f"{value - was:+d}"


def _row(row: Row) -> str:
    since = f", since {row.since}" if row.since else ""
    return f"- [{row.id}]({row.link}) {inline(row.summary)} ({row.pass_name}, {row.risk}{since})"


def _problems(matter: Matter) -> list[str]:
    lines = [f"- {inline(str(problem), 300)}" for problem in matter.problems[:MOST]]
    lines += [f"- {inline(line, 300)}" for line in matter.malformed[:MOST]]
    more = max(0, len(matter.problems) - MOST) + max(0, len(matter.malformed) - MOST)
    if more:
        lines.append(f"- and {more} more; `gardener check` lists them")
    return ["\n".join(["## Problems", *lines])] if lines else []


def _advice(advice: tuple[Finding, ...]) -> list[str]:
    if not advice:
        return []
    by_pass: dict[str, list[Finding]] = {}
    for finding in advice:
        by_pass.setdefault(finding.pass_name, []).append(finding)
    parts = ["## Advice\nNothing to apply; something to know when you next edit these."]
    for name, findings in by_pass.items():
        lines = [f"### {name} ({len(findings)})", *(f"- {inline(one.summary)}" for one in findings[:SHOWN])]
        if len(findings) > SHOWN:
            lines.append(f"- and {len(findings) - SHOWN} more; `gardener check` lists them")
        parts.append("\n".join(lines))
    return parts


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
