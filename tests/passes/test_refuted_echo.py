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
