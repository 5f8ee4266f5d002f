"""The two clones in short."""

from tests.proofs import clones
from tests.proofs.clones import prove


def test_every_order_ends_in_a_state_the_rules_settle() -> None:
    prove(examples=2, steps=10)
    assert issubclass(clones.Clones, clones.RuleBasedStateMachine)
