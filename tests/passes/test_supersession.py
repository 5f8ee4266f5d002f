"""Retirements that do not hold together."""

import pytest

from tests.garden import Garden, days_ago, ulid
from tests.passes.kit import accept, advice, graph, proposed

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
    line = "> Archived (stale) on 2026-01-01"
    garden.memory("p/spoken-of", f"A file ends with:\n\n```\n{line}\n```\n", kind="convention")
    garden.memory("p/quoted", f"{line}\n\nThat is how such a line reads.\n", kind="convention")
    retired(garden, "e", ulid(ord("z")), "z")
    with (garden.path / "memory/p/e.md").open("a") as file:
        file.write("\n> Qualified by z (2026-08-30)\n")
    retired(garden, "f", ulid(ord("z")), "z")
    with (garden.path / "memory/p/f.md").open("a") as file:
        file.write("\nA word below it.\n")
    assert proposed(garden, "supersession") == []


UNREAD = {
    "oversize": b"x" * 1_100_000,
    "conflict": b"<<<<<<< a\nOne.\n=======\nTwo.\n>>>>>>> b\n",
    "unparsed": b"---\nmood: [\n---\nText.\n",
}


@pytest.mark.parametrize("data", [*UNREAD.values(), None], ids=[*UNREAD, "symlink"])
def test_while_a_file_is_unread_no_successor_is_missing(garden: Garden, data: bytes | None) -> None:
    retired(garden, "a", ulid(77), "new")
    retired(garden, "b", ulid(ord("a")), "a")
    garden.memory("p/active", f"Text.\n\n> Superseded by p/new on {GONE[:10]}\n")
    garden.memory("p/linking", f"See [[{ulid(77)}]], [[A]] and [[B]].\n")
    graph(garden, "p/graph", associations=f"  - relation: supports\n    target: {ulid(77)}\n")
    if data is None:
        (garden.path / "memory/p/unread.md").symlink_to("elsewhere.md")
    else:
        garden.write("memory/p/unread.md", data)
    assert proposed(garden, "supersession") == []
    for name in ("supersession", "associations", "links"):
        assert advice(garden, name) == []
    (garden.path / "memory/p/unread.md").unlink()
    assert len(proposed(garden, "supersession")) == 2
    for name in ("supersession", "associations", "links"):
        assert advice(garden, name) != []


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
    text = garden.memories()["memory/p/a.md"].decode()
    why = "itself" if by == "self" else "p/nowhere, which is not here"
    assert "superseded_by: null" in text
    assert text.endswith(f"About a alone.\n\n> Archived (superseded by {why}) on {GONE[:10]}\n")
    assert proposed(garden, "supersession") == []


@pytest.mark.parametrize(
    ("by", "line", "after"),
    [
        ("p/nowhere", "nowhere", f"> Superseded by p/nowhere on {GONE[:10]}\n"),
        ("self", "a", f"> Archived (superseded by itself) on {GONE[:10]}\n"),
    ],
)
def test_a_line_that_names_what_is_gone_stays_and_one_that_names_itself_does_not(
    garden: Garden, by: str, line: str, after: str
) -> None:
    retired(garden, "a", ulid(ord("a")) if by == "self" else by, line)
    assert proposed(garden, "supersession") == [("memory/p/a.md",)]
    accept(garden, "supersession")
    assert garden.memories()["memory/p/a.md"].decode().endswith(f"About a alone.\n\n{after}")
    assert proposed(garden, "supersession") == []


def test_the_line_at_the_end_may_know_where_a_lost_successor_is(garden: Garden) -> None:
    retired(garden, "a", "p/nowhere", "z")
    living(garden, "z")
    assert proposed(garden, "supersession") == [("memory/p/a.md", "memory/p/z.md")]
    accept(garden, "supersession")
    assert f"superseded_by: {ulid(ord('z'))}".encode() in garden.memories()["memory/p/a.md"]
    assert proposed(garden, "supersession") == []


@pytest.mark.parametrize("choice", ["b", "c"])
def test_half_stamped_with_its_line_is_answered_once(garden: Garden, choice: str) -> None:
    living(garden, "z")
    line = f"> Superseded by p/z on {GONE[:10]}"
    path = garden.memory("p/a", f"About a alone.\n\n{line}\n", superseded_by=ulid(ord("z")))
    garden.tend()
    accept(garden, "supersession", choice)
    assert line not in path.read_text()
    assert proposed(garden, "supersession") == []


def test_a_cycle_with_an_active_member_is_opened_for_good(garden: Garden) -> None:
    retired(garden, "a", ulid(ord("b")), "b")
    retired(garden, "b", ulid(ord("a")), "a", invalid_at=None)
    assert proposed(garden, "supersession") == [("memory/p/a.md", "memory/p/b.md")]
    accept(garden, "supersession")
    assert b"> Superseded" not in garden.memories()["memory/p/b.md"]
    assert proposed(garden, "supersession") == []


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
    text = garden.memories()["memory/p/a.md"].decode()
    assert f"superseded_by: {ulid(ord('z'))}" in text
    assert text.endswith(f"alone.\n\n> Superseded by p/z ({ulid(ord('z'))}) on {GONE[:10]}\n")
    assert proposed(garden, "supersession") == []


def test_a_name_within_another_is_a_wrong_line(garden: Garden) -> None:
    garden.memory("p/api", id=ulid(3))
    retired(garden, "a", ulid(3), "api-v2")
    assert proposed(garden, "supersession") == [("memory/p/a.md",)]


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


def test_a_claim_reaches_as_far_as_its_links(garden: Garden) -> None:
    for name in ("old", "older", "oldest", "kept", "beside"):
        garden.memory(f"p/{name}")
    garden.memory(
        "p/new",
        "Supersedes [[old]], [older](older.md) and [[oldest]]; the retries stay in [[kept]].\n"
        "Replaces [[kept]] with [[beside]].\n",
    )
    for name in ("old", "older", "oldest"):
        assert proposed(garden, "supersession") == [("memory/p/new.md", f"memory/p/{name}.md")]
        accept(garden, "supersession", "c")
    assert proposed(garden, "supersession") == []


@pytest.mark.parametrize(
    "claim",
    [
        "Supersedes [[old]].",
        "- **Supersedes:** [the old way](old.md)",
        "This memory replaces [[p/old|it]].",
        "It is quick. This supersedes [[old]].",
    ],
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
        "We asked. Nothing supersedes [[old]].",
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
