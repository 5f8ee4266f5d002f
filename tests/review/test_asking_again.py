"""`apply ID` at a terminal asks where it would do something else than was proposed; off one it keeps its exit codes."""

import pytest

from gardener.model.edit import Supersede
from gardener.model.finding import Finding
from tests.garden import Garden, ulid
from tests.person import Person
from tests.review.test_apply import propose

A, B = "memory/p/a.md", "memory/p/b.md"


@pytest.fixture
def merge(garden: Garden) -> str:
    """Two copies, and the proposal to keep the first."""
    for name in "ab":
        garden.memory(f"p/{name}", "Shared words.\n", id=ulid(ord(name)))
    return propose(garden, Finding("dedup", "b says what a says", (A, B), (Supersede(B, A),)))


def change_kept(garden: Garden) -> None:
    garden.memory("p/a", "Other words.\n", id=ulid(ord("a")))


def edit_plan(garden: Garden, identity: str) -> None:
    filed = garden.inbox.by_id[identity]
    garden.write(filed.path, filed.data.decode().replace(f"supersede {B} by {A}", f"'archive {B}: done'"))


def retired(garden: Garden) -> bool:
    return b"invalid_at" in garden.memories()[B]


def test_what_is_as_it_was_proposed_is_not_asked_about(garden: Garden, merge: str) -> None:
    with Person(garden, "apply", merge) as person:
        assert "Apply this?" not in person.sees("applied")
        assert person.leaves() == 0
    assert retired(garden)


def test_a_changed_target_is_refused_and_not_asked_about(garden: Garden, merge: str) -> None:
    garden.memory("p/b", "Other words.\n", id=ulid(ord("b")))
    with Person(garden, "apply", merge) as person:
        assert "Apply this?" not in person.sees("changed since")
        assert person.leaves() == 3
    assert not retired(garden)


@pytest.mark.parametrize(("change", "code"), [("kept", 3), ("plan", 2)])
def test_off_a_terminal_the_exit_code_says_it(garden: Garden, merge: str, change: str, code: int) -> None:
    change_kept(garden) if change == "kept" else edit_plan(garden, merge)
    assert garden.run("apply", merge).code == code
    assert not retired(garden)


@pytest.mark.parametrize("key", ["\n", "n\n", "\x03"], ids=["Enter", "n", "Ctrl-C"])
def test_anything_but_yes_leaves_it(garden: Garden, merge: str, key: str) -> None:
    change_kept(garden)
    before = garden.bytes()
    with Person(garden, "apply", merge) as person:
        person.sees("Apply this?")
        person.press(key)
        assert person.leaves(again="\x03" if key == "\x03" else "") in {3, 130}
    assert garden.bytes() == before


def test_a_kept_memory_that_changed_is_shown_with_what_would_go_now(garden: Garden, merge: str) -> None:
    change_kept(garden)
    with Person(garden, "apply", merge) as person:
        text = person.sees("Apply this?")
        assert f"{A} changed since this was proposed" in text
        assert f"Only {B} says" in text
        assert "│ Shared words." in text
        assert "superseded_by" in text
        person.press("y\n")
        person.sees("applied")
        assert person.leaves() == 0
    assert retired(garden)
    assert garden.run("undo", merge).code == 0
    assert not retired(garden)


def test_a_yes_is_for_the_bytes_that_were_shown(garden: Garden, merge: str) -> None:
    change_kept(garden)
    with Person(garden, "apply", merge) as person:
        person.sees("Apply this?")
        garden.memory("p/a", "Yet other words.\n", id=ulid(ord("a")))
        person.press("y\n")
        person.sees("changed since")
        assert person.leaves() == 3
    assert not retired(garden)


def test_an_edited_plan_is_shown_before_it_is_applied(garden: Garden, merge: str) -> None:
    edit_plan(garden, merge)
    with Person(garden, "apply", merge) as person:
        text = person.sees("Apply this?")
        assert "edited by hand" in text
        assert "> Archived (done)" in text
        person.press("y\n")
        person.sees("applied")
        assert person.leaves() == 0
    assert b"Archived (done)" in garden.memories()[B]


def test_a_review_shows_the_text_of_now_and_y_is_for_that(garden: Garden, merge: str) -> None:
    change_kept(garden)
    with Person(garden, "review") as person:
        text = person.sees("? help")
        assert f"{A} changed since this was proposed" in text
        person.press("y")
        person.sees("Applied 1")
        assert person.leaves() == 0
    assert retired(garden)
