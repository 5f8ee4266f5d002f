"""How often a pass was right, and that one which was wrong too often holds itself back."""

import pytest

from gardener.proposals.answers import Answer
from gardener.proposals.precision import doubted, precision, verdicts
from tests.garden import NOW, Garden, days_ago, words


@pytest.mark.parametrize(
    ("right", "decided", "held"),
    [
        (0, 0, False),
        (0, 19, False),
        (15, 19, False),
        (16, 20, False),
        (20, 25, False),
        (80, 100, False),
        (15, 20, True),
        (19, 24, True),
        (79, 100, True),
        (0, 20, True),
    ],
)
def test_a_pass_is_doubted_below_four_fifths_of_twenty(right: int, decided: int, held: bool) -> None:
    assert doubted({"links": (right, decided)}) == (frozenset({"links"}) if held else frozenset())


def decide(garden: Garden, wrong: int, right: int) -> None:
    """That many finished stages proposed, and rejected or applied."""
    garden.settings(
        "[limits]\nmax_pending = 100\n[passes.stale_stage]\nmax_pending = 100\n[passes.dedup]\nenabled = false\n"
    )
    for i in range(wrong + right):
        garden.stage(f"p/early-{i}", "Status: done", days=30 + i, body=f"\n{words(str(i))}")
    garden.tend()
    with garden.decider() as decider:
        for i, filed in enumerate(garden.pending("stale_stage")):
            decider.answer(filed.id, Answer("reject" if i < wrong else "accept"))


def three_more(garden: Garden) -> int:
    """How many of three new findings a run proposes."""
    for i in range(3):
        garden.stage(f"p/late-{i}", "Status: done", days=40 + i, body=f"\n{words(str(-i - 1))}")
    garden.tend()
    return len(garden.pending("stale_stage"))


@pytest.mark.parametrize(
    ("wrong", "right", "proposed"),
    [(19, 0, 3), (4, 16, 3), (5, 15, 1)],
    ids=["nineteen decisions", "four fifths exactly", "less"],
)
def test_a_doubted_pass_asks_one_thing_at_a_time(garden: Garden, wrong: int, right: int, proposed: int) -> None:
    decide(garden, wrong, right)
    assert three_more(garden) == proposed
    if proposed == 1:
        before = garden.bytes()
        garden.tend()
        assert garden.bytes() == before, "a second run adds nothing"
        with garden.decider() as decider:
            decider.answer(garden.one("stale_stage").id, Answer("accept"))
        garden.tend()
        assert len(garden.pending("stale_stage")) == 1, "once that is decided, the next"


def test_what_it_keeps_to_itself_takes_no_memory_from_others(garden: Garden) -> None:
    decide(garden, 20, 0)
    for i in range(3):
        garden.stage(f"p/both-{i}", "Status: done", days=40 + i, body=f"\n{words(str(i * 7))}", project="elsewhere")
    result = garden.tend()
    assert len(garden.pending("stale_stage")) == 1
    (other,) = garden.pending("identity")
    (told,) = garden.one("stale_stage").document.proposal.subjects
    assert len(other.document.proposal.subjects) == 2
    assert told not in other.document.proposal.subjects
    assert {row.held_back for row in result.passes if row.name == "stale_stage"} == {2}


def test_others_are_not_held_back_with_it(garden: Garden) -> None:
    decide(garden, 20, 0)
    for i in range(3):
        garden.memory(f"p/old-{i}", updated=days_ago(200))
    assert three_more(garden) == 1
    assert len(garden.pending("staleness")) == 3


def test_still_true_is_right_and_what_was_taken_back_says_nothing(garden: Garden) -> None:
    garden.memory("p/old", updated=days_ago(200))
    for name in "st":
        garden.stage(f"p/{name}", "Status: done", body=f"\n{words(name)}")
    garden.tend()
    s, t = garden.pending("stale_stage")
    with garden.decider() as decider:
        decider.answer(garden.one("staleness").id, Answer("reject"))
        decider.answer(s.id, Answer("hide"))
        decider.answer(t.id, Answer("accept"))
    said = list(verdicts(garden.inbox.decided))
    assert precision(said) == {"staleness": (1, 1), "stale_stage": (1, 2)}
    assert {one.did for one in said} == {"keep", "hide", "apply"}
    assert all(one.at == NOW for one in said)
    assert garden.run("undo", t.id).code == 0
    assert precision(verdicts(garden.inbox.decided)) == {"staleness": (1, 1), "stale_stage": (0, 1)}
