"""Retirements that do not hold together."""

import pytest

from tests.garden import Garden, days_ago, ulid
from tests.passes.kit import accept, advice, proposed

GONE = days_ago(10)


def retired(garden: Garden, name: str, by: str, tombstone: str = "", **front: str | None) -> None:
    keys = {"invalid_at": GONE, "superseded_by": by, "updated": GONE, "id": ulid(ord(name))} | front
    body = f"About {name} alone.\n" + (f"\n> Superseded by p/{tombstone} on {GONE[:10]}\n" if tombstone else "")
    garden.memory(f"p/{name}", body, **keys)


def living(garden: Garden, name: str) -> None:
    garden.memory(f"p/{name}", f"About {name} alone, and it lives.\n", id=ulid(ord(name)))


def test_left_alone(garden: Garden) -> None:
    living(garden, "z")
    retired(garden, "a", ulid(ord("z")), "z")
    retired(garden, "b", ulid(ord("a")), "a")
    retired(garden, "c", "p/z", "z")
    garden.memory("p/archived", "Old.\n\n> Archived (old) on 2026-01-01\n", invalid_at=GONE, updated=GONE)
    garden.memory("p/null", superseded_by="null")
    assert proposed(garden, "supersession") == []


def test_a_dead_cycle_comes_first_in_every_list_with_both_restores(garden: Garden) -> None:
    garden.settings("[limits]\nmax_pending = 1\n")
    garden.stage("p/finished", "Status: done", days=400)
    retired(garden, "a", ulid(ord("b")), "b")
    retired(garden, "b", ulid(ord("a")), "a")
    garden.tend()
    filed = garden.one()
    assert [label for _, label, _ in filed.document.boxes][:2] == ["restore A", "restore B"]
    accept(garden, "supersession")
    assert b"invalid_at: null" in garden.memories()["memory/p/a.md"]
    assert b"> Superseded" not in garden.memories()["memory/p/b.md"]


@pytest.mark.parametrize(("by", "says"), [("self", "by itself"), ("p/nowhere", "not here")])
def test_a_successor_that_is_none_is_emptied(garden: Garden, by: str, says: str) -> None:
    retired(garden, "a", ulid(ord("a")) if by == "self" else by)
    living(garden, "z")
    assert proposed(garden, "supersession") == [("memory/p/a.md",)]
    assert says in garden.one("supersession").document.proposal.summary
    accept(garden, "supersession")
    assert b"superseded_by: null" in garden.memories()["memory/p/a.md"]


def test_half_stamped_is_a_choice_between_carrying_out_and_taking_back(garden: Garden) -> None:
    living(garden, "z")
    garden.memory("p/a", "About a alone.\n", superseded_by=ulid(ord("z")))
    garden.tend()
    choices = garden.one("supersession").document.proposal.choices
    assert [choice.letter for choice in choices] == ["a", "b", "c"]
    accept(garden, "supersession", "b")
    assert b"> Superseded by p/z" in garden.memories()["memory/p/a.md"]


def test_a_missing_and_a_wrong_last_line(garden: Garden) -> None:
    living(garden, "z")
    retired(garden, "a", ulid(ord("z")))
    retired(garden, "b", ulid(ord("z")), "y")
    assert sorted(proposed(garden, "supersession")) == [("memory/p/a.md",), ("memory/p/b.md",)]
    for one in garden.pending("supersession"):
        with garden.decider() as decider:
            from gardener.proposals.answers import Answer

            decider.answer(one.id, Answer("accept"))
    line = f"> Superseded by p/z ({ulid(ord('z'))}) on {GONE[:10]}\n".encode()
    assert garden.memories()["memory/p/a.md"].endswith(b"\n\n" + line)
    assert garden.memories()["memory/p/b.md"].endswith(b"\n\n" + line)


def test_a_chain_deeper_than_three_gets_a_shortcut(garden: Garden) -> None:
    living(garden, "z")
    for name, by in (("a", "b"), ("b", "c"), ("c", "d"), ("d", "z")):
        retired(garden, name, ulid(ord(by)), by)
    assert proposed(garden, "supersession") == [("memory/p/a.md", "memory/p/z.md")]
    accept(garden, "supersession")
    assert f"superseded_by: {ulid(ord('z'))}".encode() in garden.memories()["memory/p/a.md"]


def test_an_archived_successor_is_advice(garden: Garden) -> None:
    garden.memory(
        "p/z", "Gone too.\n\n> Archived (x) on 2026-01-01\n", invalid_at=GONE, updated=GONE, id=ulid(ord("z"))
    )
    retired(garden, "a", ulid(ord("z")), "z")
    living(garden, "y")
    assert "which was archived" in advice(garden, "supersession")[0]


def test_edited_after_it_was_retired(garden: Garden) -> None:
    living(garden, "z")
    retired(garden, "a", ulid(ord("z")), "z", updated=days_ago(2))
    garden.tend()
    accept(garden, "supersession", "b")
    assert b"invalid_at: null" in garden.memories()["memory/p/a.md"]


def test_a_claim_that_was_not_carried_out(garden: Garden) -> None:
    garden.memory("p/old")
    garden.memory("p/new", "Supersedes: [[old]]\n\nHow it is done now.\n")
    garden.tend()
    accept(garden, "supersession", "b")
    assert b"> Superseded by p/new" in garden.memories()["memory/p/old.md"]


@pytest.mark.parametrize(
    "claim", ["Supersedes [[old]].", "- **Supersedes:** [the old way](old.md)", "This memory replaces [[p/old|it]]."]
)
def test_a_claim_in_other_words_can_also_narrow(garden: Garden, claim: str) -> None:
    garden.memory("p/old")
    garden.memory("p/new", f"How it is done now.\n\n{claim}\n")
    garden.tend()
    accept(garden, "supersession", "c")
    assert b"> Qualified by new" in garden.memories()["memory/p/old.md"]
    assert proposed(garden, "supersession") == []


@pytest.mark.parametrize(
    "text",
    [
        "Nothing supersedes [[old]].",
        "This one is superseded: [[old]] stays.",
        "`Supersedes: [[old]]` is how a claim is written.",
        "Replaces nothing; see [[old]].",
    ],
)
def test_what_is_no_claim(garden: Garden, text: str) -> None:
    garden.memory("p/old")
    garden.memory("p/new", f"{text}\n")
    assert proposed(garden, "supersession") == []


def test_a_last_line_without_the_fields_is_a_choice(garden: Garden) -> None:
    living(garden, "z")
    path = garden.memory("p/a", "About a alone.\n\n> Superseded by p/z on 2026-08-01\n")
    assert proposed(garden, "supersession") == [("memory/p/a.md", "memory/p/z.md")]
    accept(garden, "supersession", "c")
    assert path.read_text().endswith(f"About a alone.\n\n> Superseded by p/z ({ulid(ord('z'))}) on 2026-09-01\n")
    path = garden.memory("p/b", "About b alone.\n\n> Archived (done) on 2026-08-01\n")
    garden.tend()
    accept(garden, "supersession", "b")
    assert path.read_text().endswith("About b alone.\n\n")
    assert proposed(garden, "supersession") == []


def test_a_successor_that_only_the_last_line_names(garden: Garden) -> None:
    living(garden, "z")
    retired(garden, "a", "null", "z")
    assert proposed(garden, "supersession") == [("memory/p/a.md", "memory/p/z.md")]
    accept(garden, "supersession")
    assert f"superseded_by: {ulid(ord('z'))}".encode() in garden.memories()["memory/p/a.md"]
