"""Front matter that does not say who the memory is."""

import pytest

from gardener.proposals.answers import Answer
from tests.garden import Garden, ulid
from tests.passes.kit import advice


def test_left_alone(garden: Garden) -> None:
    garden.memory("p/fine")
    garden.memory("_global/fine-too", project=None)
    garden.write("memory/p/plain.md", "No front matter at all.\n")
    garden.memory("p/odd-kind", kind="manifesto")
    garden.tend()
    assert garden.pending() == []


def test_a_store_of_another_format_is_not_judged_by_these_keys(garden: Garden) -> None:
    for name in ("one", "two", "three"):
        garden.write(f"memory/{name}.md", f"---\nname: Some {name}\ndescription: d\ntype: user\n---\nText {name}.\n")
    garden.tend()
    assert garden.pending() == []


@pytest.mark.parametrize(
    ("front", "line"),
    [
        ({"name": "other"}, "name: m"),
        ({"project": "q"}, "project: p"),
        ({"kind": "gocha"}, "kind: gotcha"),
    ],
)
def test_one_line_repairs(garden: Garden, front: dict[str, str], line: str) -> None:
    path = garden.memory("p/m", **front)
    before = path.read_text()
    garden.tend()
    with garden.decider() as decider:
        decider.answer(garden.one("identity").id, Answer("accept"))
    changed = [new for old, new in zip(before.split("\n"), path.read_text().split("\n"), strict=True) if old != new]
    assert changed == [line]
    assert garden.tend().inbox.pending == ()


@pytest.mark.parametrize("wrong", [None, "12345"])
def test_a_missing_or_malformed_id_becomes_one_that_every_machine_finds(garden: Garden, wrong: str | None) -> None:
    garden.memory("p/m", id=wrong)
    garden.memory("p/other")
    garden.tend()
    (edit,) = garden.one("identity").document.proposal.edits
    again = Garden(garden.path.parent / "other")
    again.settings("")
    again.memory("p/m", id=wrong)
    again.memory("p/other")
    again.tend()
    assert again.one("identity").document.proposal.edits == (edit,)


def test_the_younger_of_two_with_one_id_gets_a_new_one(garden: Garden) -> None:
    garden.memory("p/a", id=ulid(7), created="2026-01-02T00:00:00Z")
    garden.memory("p/b", id=ulid(7), created="2026-01-01T00:00:00Z", body="Something else.\n")
    garden.tend()
    assert garden.one("identity").document.proposal.subjects == ("memory/p/a.md",)


def test_the_same_repair_in_many_files_is_one_proposal_with_a_box_each(garden: Garden) -> None:
    garden.memory("p/with-id")
    for name in ("alder", "birch", "cedar"):
        garden.memory(f"p/{name}", id=None, body=f"All about the {name} tree and its own wood.\n")
    garden.tend()
    filed = garden.one("identity")
    assert [label for _, label, _ in filed.document.boxes][:3] == ["mend A", "mend B", "mend C"]


def test_impossible_times_are_advice(garden: Garden) -> None:
    garden.memory("p/m", created="2026-13-40")
    garden.memory("p/n", created="2026-08-30T00:00:00Z", updated="2026-08-01T00:00:00Z")
    assert len(advice(garden, "identity")) == 2
    assert garden.pending() == []


@pytest.mark.parametrize(
    ("broken", "mended"),
    [
        ("description: one thing: another", 'description: "one thing: another"'),
        ("description: `code` first", 'description: "`code` first"'),
        ('description: "quoted" and more', 'description: "\\"quoted\\" and more"'),
    ],
)
def test_yaml_that_one_quoted_line_repairs(garden: Garden, broken: str, mended: str) -> None:
    path = garden.write("memory/p/m.md", f"---\nname: m\n{broken}\n---\nText.\n")
    result = garden.tend()
    assert [problem.line for problem in result.problems] == [3]
    with garden.decider() as decider:
        decider.answer(garden.one("identity").id, Answer("accept"))
    assert path.read_text() == f"---\nname: m\n{mended}\n---\nText.\n"


@pytest.mark.parametrize("broken", ["globs: **/*.ts", "a: [\nb: [", "x: y: z\nu: v: w"])
def test_other_broken_yaml_is_named_and_left_alone(garden: Garden, broken: str) -> None:
    garden.write("memory/p/m.md", f"---\nname: m\n{broken}\n---\nText.\n")
    assert len(garden.tend().problems) == 1
    assert garden.pending() == []
