"""The report: what each part says, and when nothing is said."""

import json
from dataclasses import replace
from datetime import date, timedelta

import pytest

from gardener.model.finding import Finding
from gardener.model.memory import Problem
from gardener.proposals.precision import Verdict
from gardener.report import Figures, LookAlike, Matter, Row, Trend, read_history, render, write_history
from gardener.report.trend import chart, small_line

TODAY = Figures("2026-09-01", 10, 2, ("AAAAAA", "BBBBBB"), 5, 0)
ROWS = tuple(
    Row(one, "dedup", "judgement", 0.9, f"{one} says it", f"../proposals/pending/{one}.md") for one in TODAY.pending
)


def matter(*earlier: Figures, today: Figures = TODAY, decided: tuple[date, ...] = (), **other: object) -> Matter:
    """A quiet day's matter, with what a test is about put in."""
    quiet = Matter(today, earlier, Trend((*earlier, today), decided), (), (), (), 0, {}, (), ())
    return replace(quiet, **other)  # type: ignore[arg-type]


def day(back: int, **other: object) -> Figures:
    """The figures of that many days ago."""
    there = date.fromisoformat(TODAY.date) - timedelta(days=back)
    return replace(TODAY, date=there.isoformat(), **other)  # type: ignore[arg-type]


def test_a_quiet_day_has_no_empty_part() -> None:
    text = render(matter())
    assert "Nothing to decide and nothing wrong." in text
    assert "##" not in text
    assert "mermaid" not in text


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"rows": ROWS[:1]}, "1 proposal waits for a decision."),
        ({"rows": ROWS, "waiting": ROWS[:1]}, "2 proposals wait for a decision and 1 answer waits to be applied."),
        (
            {"rows": ROWS, "waiting": ROWS, "today": replace(TODAY, problems=3)},
            "2 proposals wait for a decision, 2 answers wait to be applied and 3 files have a problem.",
        ),
        ({"failed": {"links": ("KeyError", "")}}, "1 pass failed, so this report is not the whole picture."),
        ({"failed": {"links": ("KeyError", "")}, "alarms": ("gone",)}, "Something is missing that nobody decided on."),
    ],
)
def test_the_verdict_is_one_sentence_with_the_worst(other: dict[str, object], said: str) -> None:
    assert f"**{said}**" in render(matter(**other))  # type: ignore[arg-type]


def test_a_first_report_compares_with_nothing() -> None:
    text = render(matter(rows=ROWS))
    assert "| Active | 10 |  |  |" in text
    assert "Since the last report" not in text


def test_figures_have_the_change_of_a_week_and_a_fortnight() -> None:
    earlier = (day(40, active=4, pending=("AAAAAA",)), day(9, active=6, problems=6), day(3, active=8))
    decided = tuple(date(2026, 9, 1) - timedelta(days=back) for back in (0, 2, 6, 7, 9, 13, 14))
    text = render(matter(*earlier, decided=decided, rows=ROWS))
    assert "| Active | 10 | +4 | ▁▁▃▃▃▆█ |" in text
    assert "| Open | 2 | same | ▁▁█████ |" in text
    assert "| Oldest | 40\u00a0d | +7 |" in text
    assert "| Decided | 3 | same | ▅▁▅█▁▅▅ |" in text, "three in these seven days, and three in the seven before"
    assert "| Problems | 0.0\u00a0% | -75.0 |" in text


def test_what_is_decided_first_is_linked_and_says_how_long_it_waits() -> None:
    rows = tuple(replace(ROWS[0], id=f"AAAAA{i}", risk="safe") for i in range(7))
    text = render(matter(day(3, pending=("AAAAA0",)), today=replace(TODAY, pending=("AAAAA0",)), rows=rows))
    assert "- [AAAAA0](../proposals/pending/AAAAAA.md) AAAAAA says it (dedup 0.90, safe, 3 days)\n" in text
    first = text.split("## Decide first")[1].split("Run `gardener review`")[0]
    assert first.count("says it") == 5


def test_what_changed_names_new_decided_and_withdrawn() -> None:
    last = day(2, pending=("BBBBBB", "CCCCCC", "DDDDDD"), active=12, notes=1)
    decided = ((replace(ROWS[0], id="CCCCCC", link="../c.md"), Verdict("CCCCCC", "dedup", "reject", None)),)
    text = render(replace(matter(last, rows=ROWS, news=("git took 2",)), decided=decided))
    changes = text.split("## Since the last report, 2026-08-30")[1]
    assert "1 new proposal: [AAAAAA](" in changes
    assert "1 rejected: [CCCCCC](../c.md)" in changes
    assert "1 withdrawn, since their memories changed: DDDDDD\n" in changes
    assert "active memories: 12 → 10" in changes
    assert "notes: 1 → 2" in changes
    assert "git took 2" in changes
    assert "files with a problem" not in changes


def test_the_rest_says_what_to_run_and_is_capped() -> None:
    problems = tuple(Problem(f"memory/{i}.md", "unparsed", "no", 2) for i in range(30))
    advice = tuple(Finding("craft", f"advice {i}", ("memory/a.md",)) for i in range(9))
    pairs = tuple(LookAlike((f"a{i}", "../a.md"), ("b", "../b.md")) for i in range(9))
    failed = {"links": ("KeyError in x:1", "2026-08-20"), "craft": ("ValueError", "")}
    text = render(
        matter(
            problems=problems,
            advice=advice,
            look_alikes=pairs,
            failed=failed,
            waiting=ROWS[:1],
            rows=(replace(ROWS[1], parts=(("rare terms", 0.12), ("apart", -0.02))),),
            held_back=2,
            tokens=(1240, 20300),
            this_week={"dedup": (2, 3)},
            malformed=("proposals/pending/x.md: holds git conflict markers",),
        )
    )
    assert text.count("unparsed") == 0
    assert text.count(": no\n") == 20
    assert "- and 11 more; `gardener check` lists them" in text
    assert "### craft (9)" in text
    assert "- and 4 more;" in text
    assert text.count("](../a.md) and [b](../b.md)") == 5
    assert "gardener review --look-alikes" in text
    assert "`links`: KeyError in x:1; it last went well on 2026-08-20. Its open" in text
    assert "`craft`: ValueError. Its open" in text
    assert "## Decided, not applied\n\n- [AAAAAA]" in text
    assert "2 more are held back until there is room." in text
    assert "about 1,240 of the 20,300 tokens" in text
    assert "Accepted this week: dedup 2 of 3." in text
    assert "- BBBBBB 0.90: rare terms +0.12, apart -0.02" in text


def test_a_pass_that_was_wrong_too_often_is_named() -> None:
    passes = {"links": (15, 20), "dedup": (16, 20), "craft": (3, 3), "staleness": (0, 2)}
    text = render(matter(today=replace(TODAY, passes=passes)))
    assert "| staleness | 0 | 2 |\n| links | 15 | 20 |\n| dedup | 16 | 20 |\n" in text
    assert "`links` was right 15 times in 20, which is less than 80 %." in text
    assert text.count("one new thing at a time") == 1
    assert "Right every time: craft 3." in text


def test_a_trend_takes_three_weeks_and_is_only_numbers() -> None:
    assert chart(Trend((day(13), TODAY), ())) == ""
    drawn = chart(Trend((day(15, pending=()), day(8), TODAY), (date(2026, 8, 31),)))
    assert drawn.split("\n")[1:-1] == [
        "xychart-beta",
        '    title "Open proposals (line), decisions a week (bars)"',
        '    x-axis ["08-18", "08-25", "09-01"]',
        "    y-axis 0 --> 2",
        "    bar [0, 0, 1]",
        "    line [0, 2, 2]",
    ]


@pytest.mark.parametrize(
    ("values", "line"), [([], ""), ([3], ""), ([3, 3], ""), ([0, 7], "▁█"), ([5, 1, 3], "█▁▅"), ([-1, 0], "▁█")]
)
def test_small_lines(values: list[float], line: str) -> None:
    assert small_line(values) == line


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{}",
        "[]",
        "null",
        "<<<<<<< ours",
        '{"date": "yesterday", "active": 1, "notes": 0, "pending": [], "decided": 0, "problems": 0, "passes": {}}',
        '{"date": "2026-08-01", "active": 1, "notes": 0, "pending": [7], "decided": 0, "problems": 0, "passes": {}}',
        '{"date": "2026-08-01", "active": 1e999, "notes": 0, "pending": [], "decided": 0, "problems": 0, "passes": {}}',
        '{"date": "2026-08-01", "active": 1, "notes": 0, "pending": [], "decided": 0, "problems": 0, "passes": []}',
    ],
)
def test_a_line_that_says_nothing_is_passed_over(line: str) -> None:
    assert read_history(f"{line}\n{TODAY.line()}\n") == (TODAY,)


@pytest.mark.parametrize(
    "change",
    [
        {"active": 10**400},
        {"active": -1},
        {"notes": "x"},
        {"problems": 1.5},
        {"date": "0001-01-01"},
        {"decided": 10**10},
    ],
    ids=str,
)
def test_a_line_with_figures_of_no_store_is_passed_over(change: dict[str, object]) -> None:
    bad = json.dumps(json.loads(TODAY.line()) | change)
    assert read_history(f"{bad}\n{'[' * 100_000}\n{day(1).line()}\n") == (day(1),)


def test_history_is_sorted_and_holds_a_day_once() -> None:
    text = write_history((day(1), day(5), replace(TODAY, active=99)), TODAY)
    assert read_history(text) == (day(5), day(1), TODAY)
    assert [line[10:20] for line in text.splitlines()] == ["2026-08-27", "2026-08-31", "2026-09-01"]


def test_an_id_or_a_pass_in_the_history_is_nothing_else() -> None:
    bad = replace(TODAY, date="2026-08-01", pending=("](x)", "AAAAAA"), passes={"a|b": (1, 1), "links": (1, 2)})
    (read,) = read_history(bad.line())
    assert read.pending == ("AAAAAA",)
    assert read.passes == {"links": (1, 2)}
