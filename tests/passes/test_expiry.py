"""Claims past their own date."""

from datetime import UTC, datetime, timedelta

import pytest

from gardener.proposals.answers import Answer
from tests.garden import NOW, Garden
from tests.passes.kit import graph, proposed


@pytest.mark.parametrize(
    "body",
    [
        "Valid until 2026-12-31.",
        "The freeze holds until the release.",
        "It worked until 2026-06-01 when the port changed.",
        "Since 2026-06-01 the port is 9090.",
        "The token expires on 2026-02-30.",
        "Expires soon.",
    ],
)
def test_left_alone(garden: Garden, body: str) -> None:
    garden.memory("p/m", f"{body}\n")
    assert proposed(garden, "expiry") == []


@pytest.mark.parametrize(
    "body",
    [
        "The certificate expires on 2026-06-30.",
        "Valid until 2026-08-30.",
        "Deploys are frozen for the audit until 2026-08-01.",
        "These prices are valid for Q2 2026.",
        "The embargo holds through 2026-Q1.",
    ],
)
def test_a_date_that_passed_is_quoted(garden: Garden, body: str) -> None:
    garden.memory("p/m", f"{body}\n")
    assert proposed(garden, "expiry") == [("memory/p/m.md",)]
    assert f"> {body}" in garden.one("expiry").document.body


def test_a_todo_is_due_by_its_date(garden: Garden) -> None:
    graph(garden, "p/todo", "Renew the domain by 2026-08-01.\n", type="todo", importance="0.8")
    graph(garden, "p/event", "The audit was due on 2026-08-01.\n", type="event", importance="0.4")
    assert proposed(garden, "expiry") == [("memory/p/todo.md",)]


def test_the_day_itself_and_the_day_after_are_left_alone(garden: Garden) -> None:
    garden.memory("p/m", "Valid until 2026-08-01.\n")
    last = datetime(2026, 8, 2, 23, 59, tzinfo=UTC)
    assert garden.tend(last, dry_run=True).outcome.writes == {}
    assert len(garden.tend(last + timedelta(minutes=2), dry_run=True).outcome.writes) == 1


def test_still_true_holds(garden: Garden) -> None:
    garden.memory("p/m", "Valid until 2026-08-01.\n", updated="2026-08-30T00:00:00Z")
    garden.tend()
    with garden.decider() as decider:
        assert decider.answer(garden.one("expiry").id, Answer("reject")).did == "keep"
    assert garden.tend(NOW + timedelta(days=60)).inbox.pending == ()
