"""Importance that does not fit the type."""

import pytest

from tests.garden import Garden
from tests.passes.kit import accept, advice, graph, proposed


def test_left_alone(garden: Garden) -> None:
    graph(garden, "p/in-band", importance="0.65")
    graph(garden, "p/near", importance="0.9")
    graph(garden, "p/none", importance=None)
    garden.memory("p/other-format", importance="7")
    assert proposed(garden, "importance") == []


@pytest.mark.parametrize(
    ("kind", "said", "value"),
    [
        ("fact", "high", "0.6"),
        ("fact", "7", "0.6"),
        ("event", "1.0", "0.5"),
        ("identity", "0.2", "1.0"),
        ("goal", "-1", "0.8"),
    ],
)
def test_out_of_range_or_far_from_its_band(garden: Garden, kind: str, said: str, value: str) -> None:
    graph(garden, "p/m", type=kind, importance=said)
    assert proposed(garden, "importance") == [("memory/p/m.md",)]
    accept(garden, "importance")
    assert f"\nimportance: {value}\n".encode() in garden.memories()["memory/p/m.md"]
    assert proposed(garden, "importance") == []


def test_a_store_in_which_everything_is_important_is_advice(garden: Garden) -> None:
    for number in range(12):
        graph(garden, f"p/m{number}", importance="0.85")
    assert advice(garden, "importance") == ["12 of 12 memories are above the importance of their type"]
