"""Memories nobody has touched for a season."""

from datetime import timedelta

import pytest

from gardener.proposals.answers import Answer
from tests.garden import NOW, Garden, days_ago

OLD = days_ago(90)


def test_left_alone(garden: Garden) -> None:
    for kind in ("constraint", "convention", "identity"):
        garden.memory(f"p/{kind}", kind=kind, updated=OLD)
    garden.memory("p/young", updated=days_ago(89.9))
    garden.memory("p/favourite", updated=OLD, favorite="true")
    garden.memory("p/undated", created=None, updated=None)
    garden.memory("p/strange", created="long ago", updated="recently")
    garden.memory("p/linked", updated=OLD)
    garden.memory("p/two words (1)", updated=OLD)
    garden.memory("p/linking", "[[linked]] [x](<two words (1).md>)\n")
    garden.write("memory/p/plain.md", "No front matter, no date.\n")
    garden.tend()
    assert garden.pending("staleness") == []


@pytest.mark.parametrize("front", [{"updated": OLD}, {"updated": None, "created": OLD}])
def test_an_old_memory_is_asked_about(garden: Garden, front: dict[str, str]) -> None:
    garden.memory("p/old", **front)
    garden.tend()
    assert garden.one().document.proposal.rejecting == "still true, ask again in 180 days"


def test_still_true_is_kept_for_half_a_year_and_counts_as_right(garden: Garden) -> None:
    path = garden.memory("p/old", updated=OLD)
    garden.tend()
    before = path.read_bytes()
    with garden.decider() as decider:
        done = decider.answer(garden.one().id, Answer("reject"))
    assert done.did == "keep"
    assert path.read_bytes() == before
    assert garden.tend(NOW + timedelta(days=179)).inbox.pending == ()
    assert len(garden.tend(NOW + timedelta(days=180)).inbox.pending) == 1
