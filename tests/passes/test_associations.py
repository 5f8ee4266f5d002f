"""Associations that do not hold."""

import pytest

from tests.garden import Garden, days_ago, ulid
from tests.passes.kit import accept, advice, graph, proposed


def edge(relation: str, target: str) -> str:
    return f"  - relation: {relation}\n    target: {target}\n"


def test_left_alone(garden: Garden) -> None:
    graph(garden, "p/b", id=ulid(2))
    graph(garden, "p/event", type="event", importance="0.4", id=ulid(3))
    graph(garden, "p/gone", id=ulid(4), invalid_at=days_ago(3), updated=days_ago(3))
    graph(
        garden,
        "p/a",
        associations=edge("supports", ulid(2))
        + edge("supersedes", ulid(3))
        + edge("supersedes", ulid(4))
        + edge("supersedes", ulid(5))
        + edge("contradicts", ulid(5)),
    )
    graph(garden, "p/wrong", id=ulid(5), forgotten="true")
    assert proposed(garden, "associations") == []
    assert advice(garden, "associations") == []


def test_an_association_protects_like_a_link(garden: Garden) -> None:
    graph(garden, "p/b", id=ulid(2), updated=days_ago(200))
    graph(garden, "p/a", associations=edge("supports", ulid(2)))
    assert proposed(garden, "staleness") == []


def test_a_relation_one_letter_off(garden: Garden) -> None:
    graph(garden, "p/b", id=ulid(2))
    graph(garden, "p/a", associations=edge("suports", ulid(2)))
    assert proposed(garden, "associations") == [("memory/p/a.md",)]
    accept(garden, "associations")
    assert b"  - relation: supports\n" in garden.memories()["memory/p/a.md"]


def test_an_edge_to_itself_is_taken_out(garden: Garden) -> None:
    graph(garden, "p/b", id=ulid(2))
    graph(garden, "p/a", id=ulid(1), associations=edge("related", ulid(1)) + edge("suports", ulid(2)))
    assert proposed(garden, "associations") == [("memory/p/a.md",)]
    accept(garden, "associations")
    assert f"associations: \n  - relation: supports\n    target: {ulid(2)}\n".encode() in (
        garden.memories()["memory/p/a.md"].replace(b"associations:\n", b"associations: \n")
    )
    assert proposed(garden, "associations") == []


def test_a_qualified_contradiction_is_answered(garden: Garden) -> None:
    graph(garden, "p/b", id=ulid(2), updated=days_ago(9))
    graph(garden, "p/a", id=ulid(1), associations=edge("contradicts", ulid(2)), updated=days_ago(1))
    garden.tend()
    accept(garden, "associations", "c")
    assert proposed(garden, "associations") == []


def test_a_contradiction_between_two_active_ones_is_a_choice(garden: Garden) -> None:
    graph(garden, "p/b", id=ulid(2), updated=days_ago(9))
    graph(garden, "p/a", id=ulid(1), associations=edge("contradicts", ulid(2)), updated=days_ago(1))
    assert proposed(garden, "associations") == [("memory/p/a.md", "memory/p/b.md")]
    accept(garden, "associations", "b")
    assert b"superseded_by: " + ulid(1).encode() in garden.memories()["memory/p/b.md"]


def test_superseded_but_still_active_was_wrong_or_true_then(garden: Garden) -> None:
    graph(garden, "p/b", id=ulid(2))
    graph(garden, "p/a", associations=edge("supersedes", ulid(2)))
    garden.tend()
    accept(garden, "associations", "c")
    assert b"\ntype: event\n" in garden.memories()["memory/p/b.md"]
    assert proposed(garden, "associations") == []


@pytest.mark.parametrize(("choice", "line"), [("b", b"> Superseded by p/a"), ("c", b"> Qualified by a")])
def test_a_superseded_memory_of_the_other_family_is_retired_in_its_own_way(
    garden: Garden, choice: str, line: bytes
) -> None:
    garden.memory("p/b", id=ulid(2))
    graph(garden, "p/a", associations=edge("supersedes", ulid(2)))
    garden.tend()
    accept(garden, "associations", choice)
    text = garden.memories()["memory/p/b.md"]
    assert line in text
    assert b"type:" not in text
    assert b"forgotten" not in text
    assert proposed(garden, "associations") == []


def test_what_is_only_said(garden: Garden) -> None:
    graph(garden, "p/forgotten", id=ulid(5), forgotten="true")
    many = "".join(edge("related", ulid(70 + n)) for n in range(7))
    graph(garden, "p/many", id=ulid(9), associations=many)
    graph(garden, "p/inline", id=ulid(10), associations=f" [{{relation: related, target: {ulid(10)}}}]")
    graph(
        garden,
        "p/a",
        associations=edge("opposes", ulid(5)) + edge("supports", ulid(77)) + edge("supports", ulid(5)),
    )
    said = " / ".join(advice(garden, "associations"))
    for part in (
        "unknown relation opposes",
        "nothing: " + ulid(77),
        "is forgotten",
        "associated with itself",
        "7 associations",
    ):
        assert part in said
