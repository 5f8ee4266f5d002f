"""Stages whose status nobody can read."""

import pytest

from gardener.proposals.answers import Answer
from tests.garden import Garden


def test_left_alone(garden: Garden) -> None:
    garden.stage("p/fine", "Status: open", days=1)
    garden.memory("p/other", "No header.\n")
    garden.tend()
    assert garden.pending() == []


@pytest.mark.parametrize(
    ("said", "implied", "risk"),
    [
        ("completed", "done", "safe"),
        ("WIP", "in_progress", "safe"),
        ("waiting", "blocked", "safe"),
        ("not started", "open", "safe"),
        ("done (2026-07-01)", "done", "judgement"),
        ("blocked, on legal", "blocked", "judgement"),
    ],
)
def test_a_synonym_becomes_a_readable_line_and_nothing_is_lost(
    garden: Garden, said: str, implied: str, risk: str
) -> None:
    path = garden.stage("p/s", f"**Status:** {said}", days=1)
    garden.tend()
    assert garden.one().document.proposal.risk == risk
    with garden.decider() as decider:
        decider.answer(garden.one().id, Answer("accept"))
    assert f"---\nStatus: {implied}\n\n**Status:** {said}\n" in path.read_text()
    assert garden.tend().inbox.pending == ()


@pytest.mark.parametrize("header", ["No header here.", "Status: flying"])
def test_else_a_choice_of_four(garden: Garden, header: str) -> None:
    path = garden.stage("p/s", header, days=1)
    garden.tend()
    filed = garden.one("unknown_status")
    assert [choice.says for choice in filed.document.proposal.choices] == ["open", "in_progress", "blocked", "done"]
    with garden.decider() as decider:
        decider.answer(filed.id, Answer("choose", choice="b"))
    assert "Status: in_progress\n\n" in path.read_text()


def test_a_stage_that_is_stale_is_asked_about_once(garden: Garden) -> None:
    garden.stage("p/s", "Status: flying", days=40)
    garden.tend()
    assert garden.one().document.proposal.pass_name == "stale_stage"
