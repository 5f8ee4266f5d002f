"""The report as markdown: what to do on the first screen, the rest below. Text of memories is escaped throughout."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import TypeAlias

from gardener.model.finding import Finding
from gardener.proposals.precision import BAR, doubted
from gardener.report.figures import Figures
from gardener.report.matter import Matter, Row
from gardener.report.trend import STEP, WEEK, chart, small_line
from gardener.text.quote import inline

SHOWN = 5
MOST = 20
LEAST = 0.005
"""What a contribution to a score has to come to so that it is shown."""
Measure: TypeAlias = Callable[[date], float]
_DID = {"apply": "applied", "keep": "kept", "reject": "rejected", "hide": "hidden"}


def render(matter: Matter) -> str:
    """The whole report."""
    return "\n\n".join(part for part in _parts(matter) if part) + "\n"


def _parts(matter: Matter) -> Iterator[str]:
    yield f"# Gardener report, {matter.figures.date}"
    yield _verdict(matter)
    yield _listed("Look at this first", [inline(line, 400) for line in matter.alarms])
    yield _table(matter)
    yield _beside_the_table(matter)
    yield _listed("Decide first", [_row(row, matter) for row in matter.rows[:SHOWN]])
    if matter.rows:
        yield "Run `gardener review`, or tick boxes in the files and run `gardener apply --decided`."
    yield _listed("New look-alikes", [f"{_link(*pair.a)} and {_link(*pair.b)}" for pair in matter.look_alikes[:SHOWN]])
    if matter.look_alikes:
        yield "Only a reader can say how these stand to each other: `gardener review --look-alikes`."
    if matter.earlier:
        yield _listed(f"Since the last report, {matter.earlier[-1].date}", list(_changes(matter, matter.earlier[-1])))
    else:
        yield _listed("Beside that", [inline(line, 400) for line in matter.news])
    yield _listed("Decided, not applied", [_row(row, matter) for row in matter.waiting[:MOST]])
    if matter.waiting:
        yield "Run `gardener apply --decided` to carry these out."
    yield _listed("Passes that failed", list(_failures(matter)))
    yield _problems(matter)
    yield _precision(matter)
    trend = chart(matter.trend)
    yield f"## Trend\n\n{trend}" if trend else ""
    yield _listed("What the scores are made of", list(_scores(matter)))
    yield from _advice(matter.advice)


def _verdict(matter: Matter) -> str:
    """One sentence: the worst first, else what waits."""
    pending, problems = len(matter.rows), matter.figures.problems
    if matter.alarms:
        return "**Something is missing that nobody decided on.**"
    if matter.failed:
        return f"**{_count(len(matter.failed), 'pass', 'passes')} failed, so this report is not the whole picture.**"
    said = [f"{_count(pending, 'proposal waits', 'proposals wait')} for a decision"] if pending else []
    said += [f"{_count(len(matter.waiting), 'answer waits', 'answers wait')} to be applied"] if matter.waiting else []
    said += [f"{_count(problems, 'file has', 'files have')} a problem"] if problems else []
    if not said:
        return "**Nothing to decide and nothing wrong.**"
    return f"**{' and '.join([', '.join(said[:-1]), said[-1]] if said[:-1] else said)}.**"


def _table(matter: Matter) -> str:
    """Five figures, each with the change of a week and the last fortnight."""
    trend = matter.trend

    def line(name: str, shown: Callable[[float], str], measure: Measure, drawn: Measure | None = None) -> str:
        now = measure(trend.today)
        before = trend.today - WEEK
        change = _change(now, measure(before)) if trend.on(before) else ""
        return f"| {name} | {shown(now)} | {change} | {small_line([*map(drawn or measure, trend.days())])} |"

    lines = [
        "| | now | week | 14 days |",
        "|---|---:|---:|---|",
        line("Active", _number, lambda day: trend.held(day).active),
        line("Open", _number, lambda day: len(trend.held(day).pending)),
        line("Oldest", lambda days: f"{days}\u00a0d", trend.oldest),
        line("Decided", _number, trend.decided_within, lambda day: trend.decided_within(day, STEP)),
        line("Problems", lambda share: f"{share:.1f}\u00a0%", lambda day: trend.held(day).share),
    ]
    return "\n".join(lines)


def _beside_the_table(matter: Matter) -> str:
    said = []
    if matter.this_week:
        each = (f"{name} {right} of {decided}" for name, (right, decided) in sorted(matter.this_week.items()))
        said.append(f"Accepted this week: {', '.join(each)}.")
    if matter.held_back:
        said.append(f"{_count(matter.held_back, 'more is', 'more are')} held back until there is room.")
    saved, whole = matter.tokens
    if saved > 0:
        said.append(f"Applying all would save about {saved:,} of the {whole:,} tokens of a briefing.")
    return " ".join(said)


def _changes(matter: Matter, last: Figures) -> Iterator[str]:
    now = matter.figures
    new = [row for row in (*matter.rows, *matter.waiting) if row.id not in set(last.pending)]
    if new:
        yield f"{_count(len(new), 'new proposal', 'new proposals')}: {_few(new)}"
    for did, said in _DID.items():
        rows = [row for row, verdict in matter.decided if verdict.did == did]
        if rows:
            yield f"{len(rows)} {said}: {_few(rows)}"
    gone = set(last.pending) - set(now.pending) - {row.id for row, _ in matter.decided}
    if gone:
        yield f"{len(gone)} withdrawn, since their memories changed: {', '.join(sorted(gone)[:SHOWN])}{_more(gone)}"
    for name, value, was in (
        ("active memories", now.active, last.active),
        ("notes", now.notes, last.notes),
        ("files with a problem", now.problems, last.problems),
    ):
        if value != was:
            yield f"{name}: {was:,} → {value:,}"
    yield from (inline(line, 400) for line in matter.news)


def _failures(matter: Matter) -> Iterator[str]:
    for name, (error, good) in matter.failed.items():
        last = f"; it last went well on {good}" if good else ""
        yield f"`{name}`: {inline(error)}{last}. Its open proposals are left as they are."


def _problems(matter: Matter) -> str:
    lines = [inline(str(problem), 300) for problem in matter.problems]
    lines += [inline(line, 300) for line in matter.malformed]
    if len(lines) > MOST:
        lines = [*lines[:MOST], f"and {len(lines) - MOST} more; `gardener check` lists them"]
    return _listed("Problems", lines)


def _precision(matter: Matter) -> str:
    """How often each pass was right in all decisions so far: those that were ever wrong in a table, the worst first."""
    passes = matter.figures.passes
    wrong = {name: pair for name, pair in passes.items() if pair[0] < pair[1]}
    parts = []
    if wrong:
        ranked = sorted(wrong.items(), key=lambda one: (one[1][0] / one[1][1], one[0]))
        rows = [f"| {name} | {right} | {decided} |" for name, (right, decided) in ranked]
        parts.append("\n".join(["| pass | right | of |", "|---|---:|---:|", *rows]))
    for name in sorted(doubted(passes)):
        right, decided = passes[name]
        said = f"`{name}` was right {right} times in {decided}, which is less than {BAR} %."
        parts.append(f"{said} Until that is better it asks one new thing at a time.")
    if always := [f"{name} {decided}" for name, (_, decided) in sorted(passes.items()) if name not in wrong]:
        parts.append(f"Right every time: {', '.join(always)}.")
    return "\n\n".join(["## How often a pass was right", *parts]) if parts else ""


def _scores(matter: Matter) -> Iterator[str]:
    for row in matter.rows[:SHOWN]:
        shown = [f"{inline(name)} {part:+.2f}" for name, part in row.parts if abs(part) >= LEAST]
        if shown:
            yield f"{row.id} {row.score:.2f}: {', '.join(shown)}"


def _advice(advice: tuple[Finding, ...]) -> Iterator[str]:
    by_pass: dict[str, list[Finding]] = {}
    for finding in advice:
        by_pass.setdefault(finding.pass_name, []).append(finding)
    if by_pass:
        yield "## Advice\n\nNothing to apply; something to know when you next edit these."
    for name, findings in by_pass.items():
        lines = [f"### {name} ({len(findings)})", "", *(f"- {inline(one.summary)}" for one in findings[:SHOWN])]
        if len(findings) > SHOWN:
            lines.append(f"- and {len(findings) - SHOWN} more; `gardener check` lists them")
        yield "\n".join(lines)


def _row(row: Row, matter: Matter) -> str:
    age = (matter.trend.today - matter.trend.first.get(row.id, matter.trend.today)).days
    waits = f", {_days(age)}" if age else ""
    score = f" {row.score:.2f}" if row.score else ""
    return f"{_link(row.id, row.link)} {inline(row.summary)} ({row.pass_name}{score}, {row.risk}{waits})"


def _few(rows: Sequence[Row]) -> str:
    return ", ".join(_link(row.id, row.link) for row in rows[:SHOWN]) + _more(rows)


def _more(every: Sequence[Row] | set[str]) -> str:
    return f" and {len(every) - SHOWN} more" if len(every) > SHOWN else ""


def _link(text: str, link: str) -> str:
    return f"[{inline(text, 80)}]({link})"


def _change(value: float, was: float) -> str:
    moved = round(value - was, 1)
    return f"{moved:+,}" if moved else "same"


def _number(number: float) -> str:
    return f"{number:,}"


def _days(number: float) -> str:
    return _count(number, "day", "days")


def _count(number: float, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _listed(title: str, lines: Sequence[str]) -> str:
    return "\n".join([f"## {title}", "", *(f"- {line}" for line in lines)]) if lines else ""
