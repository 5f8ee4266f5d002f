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
    assert f"---\n**Status:** {implied}\n**Status before:** {said}\n\nWork.\n" in path.read_text()
    assert garden.tend().inbox.pending == ()


@pytest.mark.parametrize(
    ("header", "after"),
    [
        ("No header here.", "Status: in_progress\n\nNo header here.\n"),
        ("Status: flying", "Status: in_progress\nStatus before: flying\n"),
        ("Status:", "Status: in_progress\n"),
        (
            "- `Status`: flying, or so\nGate: ai",
            "- `Status`: in_progress\n- `Status before`: flying, or so\nGate: ai\n",
        ),
        ("| STATUS | flying |", "| STATUS | in_progress |\n| STATUS before | flying |\n"),
        ("**Status: flying**", "**Status: in_progress**\n**Status before: flying**\n"),
        ("Status: a: b `c`", "Status: in_progress\nStatus before: a: b `c`\n"),
        ("* Status: not *that* far", "* Status: in_progress\n* Status before: not *that* far\n"),
        ("A title.\n\nStatus: flying", "A title.\n\nStatus: in_progress\nStatus before: flying\n"),
    ],
)
def test_else_a_choice_of_four(garden: Garden, header: str, after: str) -> None:
    path = garden.stage("p/s", header, days=1)
    garden.tend()
    filed = garden.one("unknown_status")
    assert [choice.says for choice in filed.document.proposal.choices] == ["open", "in_progress", "blocked", "done"]
    with garden.decider() as decider:
        decider.answer(filed.id, Answer("choose", choice="b"))
    assert path.read_text().endswith(f"---\n{after}\nWork.\n")
    assert garden.tend().inbox.pending == ()


@pytest.mark.parametrize(
    ("said", "body", "risk"),
    [
        ("completed", "\nMerged.\n", "safe"),
        ("completed", "\nRemaining: none\n", "safe"),
        ("wip", "\nRemaining: pages\n", "safe"),
        ("completed", "\nRemaining: pages\n", "judgement"),
    ],
)
def test_done_over_open_items_is_a_judgement(garden: Garden, said: str, body: str, risk: str) -> None:
    garden.stage("p/s", f"Status: {said}", days=1, body=body)
    garden.tend()
    filed = garden.one("unknown_status")
    assert filed.document.proposal.risk == risk
    assert ("> Remaining: pages" in filed.document.body) == (risk == "judgement")


def test_a_stage_that_is_stale_is_asked_about_once(garden: Garden) -> None:
    garden.stage("p/s", "Status: flying", days=40)
    garden.tend()
    assert garden.one().document.proposal.pass_name == "stale_stage"


def test_the_heads_of_a_table_stay_and_the_status_stands_above_them(garden: Garden) -> None:
    table = "| Status | completed |\n|---|---|\n| by | Ann |"
    path = garden.stage("p/s", table, days=1)
    garden.tend()
    with garden.decider() as decider:
        decider.answer(garden.one().id, Answer("accept"))
    assert f"---\nStatus: done\n\n{table}\n" in path.read_text()
    assert garden.tend().inbox.pending == ()
