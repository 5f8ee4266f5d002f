"""Finished stages, through a whole run: what is left alone first, then what is found."""

from datetime import timedelta

import pytest

from tests.garden import NOW, Garden, days_ago


@pytest.mark.parametrize(
    "header",
    ["Status: open", "**Status:** open", "Status: in-progress", "Status: OPEN.", "Status: blocked", "Status: done\n"][
        :5
    ],
)
def test_a_live_stage_is_left_alone(garden: Garden, header: str) -> None:
    garden.stage("p/s", header, days=300)
    assert garden.tend().inbox.pending == ()


def test_left_alone(garden: Garden) -> None:
    garden.stage("p/young", "Status: done", days=13)
    garden.stage("p/favourite", "Status: done", favorite="true")
    garden.stage("p/undated", "Status: done", created=None, updated=None)
    garden.stage("p/linked", "Status: done")
    garden.memory("p/m", "see [[linked]]\n")
    garden.stage("p/noted", "Status: done")
    garden.write("notes/p/n.md", "see [[noted]]\n")
    garden.stage("p/retired", "Status: done", invalid_at=days_ago(3))
    garden.memory("p/no-stage", "Status: done\n", updated=days_ago(80))
    garden.tend()
    assert garden.pending() == []


def test_exactly_fourteen_days(garden: Garden) -> None:
    garden.stage("p/s", "Status: done", days=14)
    assert len(garden.tend(NOW - timedelta(seconds=1)).inbox.pending) == 0
    assert len(garden.tend(NOW).inbox.pending) == 1


def test_header_on_line_twelve_counts_and_on_thirteen_does_not(garden: Garden) -> None:
    garden.stage("p/twelve", "\n" * 11 + "Status: open")
    garden.stage("p/thirteen", "\n" * 12 + "Status: open")
    garden.tend()
    assert garden.one("stale_stage").document.proposal.subjects == ("memory/p/thirteen.md",)


def test_neither_a_self_link_nor_an_index_line_protects(garden: Garden) -> None:
    garden.stage("p/s", "Status: done", body="\nsee [[s]] and [[p/s]]\n")
    garden.write("memory/MEMORY.md", "- [s](p/s.md) the stage\n- [x](p/x.md)\n- [y](p/y.md)\n")
    garden.tend()
    assert garden.one("stale_stage").document.proposal.risk == "safe"


def test_a_link_in_code_or_in_a_file_that_does_not_parse_protects(garden: Garden) -> None:
    garden.stage("p/one", "Status: done")
    garden.stage("p/two", "Status: done")
    garden.stage("p/three", "Status: done")
    garden.memory("p/m", "```\n[[one]]\n```\n")
    garden.write("memory/p/bad.md", "---\nname: a: b: c\n[\n---\nsee [[two]]\n")
    garden.write("memory/p/big.md", "see [[p/three]]\n" + "x" * (1 << 20))
    garden.tend()
    assert garden.pending("stale_stage") == []


def test_open_items_make_it_a_judgement_and_are_quoted(garden: Garden) -> None:
    garden.stage("p/s", "Status: done", body="\n- [x] built\n- [ ] write the docs\n\n## Next\n- tell ann\n")
    garden.tend()
    filed = garden.one("stale_stage")
    assert filed.document.proposal.risk == "judgement"
    assert "> - [ ] write the docs" in filed.document.body
    assert "> - tell ann" in filed.document.body
    assert "built" not in filed.document.body


def test_the_setting_moves_the_day_and_zero_switches_it_off(garden: Garden) -> None:
    garden.stage("p/s", "Status: done", days=20)
    garden.settings("[passes.stale_stage]\ndays = 21\n")
    assert garden.tend().inbox.pending == ()
    garden.settings("[passes.stale_stage]\ndays = 0\n")
    assert garden.tend().inbox.pending == ()


@pytest.mark.skipif("os.geteuid() == 0", reason="root may read everything; the folder case below covers it")
def test_an_unreadable_file_withholds_every_archive(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    garden.memory("p/secret").chmod(0)
    result = garden.tend()
    assert result.partial
    assert garden.pending() == []


def test_an_endless_file_withholds_every_archive_and_says_so(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    garden.tend()
    assert len(garden.pending()) == 1
    with (garden.path / "memory/p/huge.md").open("wb") as huge:
        huge.truncate((64 << 20) + 1)
    ran = garden.run("tend")
    assert ran.code == 4
    assert "huge.md" in ran.err
    assert "withheld" in ran.err
    assert len(garden.pending()) == 1, "silence withdraws nothing either"
