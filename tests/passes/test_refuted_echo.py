"""Memories that assert what was disproved."""

from tests.garden import Garden
from tests.passes.kit import accept, proposed

CLAIM = "The cache can be shared between the workers when it is mounted read-only on every host of the cluster.\n"


def test_left_alone(garden: Garden) -> None:
    garden.memory("p/shared-cache-refuted", CLAIM, kind="refuted", description="sharing the cache")
    garden.memory("p/other", "Invoices are closed on the first of the month by the batch host of finance.\n")
    garden.memory("q/elsewhere", CLAIM)
    assert proposed(garden, "refuted_echo") == []


def test_an_echo_is_a_choice_and_never_a_merge(garden: Garden) -> None:
    garden.memory("p/shared-cache-refuted", CLAIM, kind="refuted", description="sharing the cache")
    garden.memory("p/shared-cache", CLAIM, description="sharing the cache")
    assert proposed(garden, "refuted_echo") == [("memory/p/shared-cache-refuted.md", "memory/p/shared-cache.md")]
    assert garden.pending("dedup") == []
    accept(garden, "refuted_echo", "c")
    assert b"> Qualified by shared-cache-refuted" in garden.memories()["memory/p/shared-cache.md"]


def test_the_opposite_of_a_refutation_is_an_echo_and_not_a_conflict(garden: Garden) -> None:
    said = "Running two refunds of one order in parallel is {}safe: the ledger booked both in the test of October.\n"
    garden.memory(
        "p/refund-race", said.format("not "), kind="refuted", description="Refunds are not safe beside each other"
    )
    garden.memory("p/refund-parallel", said.format(""), description="Refunds are safe beside each other")
    assert proposed(garden, "refuted_echo") == [("memory/p/refund-race.md", "memory/p/refund-parallel.md")]
    assert garden.pending("conflict") == []


TRIED = "Claim: raising the prefetch of the mailer cures its stalls. It was tried in May, and the queue stood still.\n"


def test_a_claim_that_is_only_quoted_is_left_alone(garden: Garden) -> None:
    garden.memory("p/stall-refuted", TRIED, kind="refuted", description="the prefetch of the mailer")
    garden.memory("p/mailer", "Its prefetch was raised in May.\n", description="the mailer")
    garden.memory(
        "p/doubt", "Raising the prefetch of the mailer cures its stalls. That is wrong.\n", description="a myth"
    )
    garden.memory("p/cause", "Refuted by measuring: the pool of the mailer is slow at night.\n", kind="refuted")
    garden.memory("p/pool", "The pool of the mailer is slow at night.\n", description="the pool")
    garden.memory("q/stall", "Raising the prefetch of the mailer cures its stalls.\n", description="elsewhere")
    assert proposed(garden, "refuted_echo") == []


def test_what_a_refuted_memory_labels_as_the_claim_is_found_word_for_word(garden: Garden) -> None:
    garden.memory("p/stall-refuted", TRIED, kind="refuted", description="the prefetch of the mailer")
    garden.memory("p/stall", "At night it stands still. Raising the prefetch of the mailer cures its stalls.\n")
    assert proposed(garden, "refuted_echo") == [("memory/p/stall-refuted.md", "memory/p/stall.md")]
