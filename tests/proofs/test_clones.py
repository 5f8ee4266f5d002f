"""The two clones in short, and noticing what would set them at odds."""

import itertools

import pytest

from gardener.proposals import draft
from gardener.proposals.identity import proposal_id
from gardener.tend import run
from tests.proofs.clones import prove


def test_every_order_ends_in_a_state_the_rules_settle() -> None:
    prove(examples=2, steps=10)


def test_ids_that_depend_on_who_tends_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two laptops would write two copies of each proposal, and never agree."""
    count = itertools.count()
    monkeypatch.setattr(draft, "proposal_id", lambda name, *rest: proposal_id(f"{name}{next(count)}", *rest))
    with pytest.raises(AssertionError):
        prove(examples=1, steps=4, shrink=False)


def test_tending_in_the_middle_of_a_merge_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "git_busy", lambda _: "")
    with pytest.raises(AssertionError, match="middle of a merge"):
        prove(examples=10, steps=12, shrink=False)
