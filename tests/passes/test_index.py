"""An index that does not list what is there."""

import pytest

from tests.garden import Garden
from tests.passes.kit import accept, advice, proposed


def store(garden: Garden, index: str, count: int = 6) -> None:
    for number in range(count):
        name = f"fact-{number}"
        garden.write(
            f"memory/{name}.md",
            f"---\nname: {name}\ndescription: about {number}\ntype: user\n---\nText {number} of {name}.\n",
        )
    garden.write("memory/MEMORY.md", index)


def lines(*numbers: int) -> str:
    return "".join(f"- [fact-{n}](fact-{n}.md) — about {n}\n" for n in numbers)


def test_left_alone(garden: Garden) -> None:
    store(garden, "# Index\n" + lines(*range(6)) + "- [elsewhere](../docs/x.md)\n- [site](https://example.org)\n")
    assert proposed(garden, "index") == []


def test_a_store_without_an_index_is_not_asked_for_one(garden: Garden) -> None:
    store(garden, "")
    (garden.path / "memory/MEMORY.md").unlink()
    assert proposed(garden, "index") == []


def test_the_missing_line_in_the_form_of_the_others(garden: Garden) -> None:
    store(garden, "# Index\r\n" + lines(0, 1, 2, 3, 4).replace("\n", "\r\n") + "\r\n")
    assert proposed(garden, "index") == [("memory/MEMORY.md",)]
    accept(garden, "index")
    text = (garden.path / "memory/MEMORY.md").read_bytes()
    assert text == ("# Index\n" + lines(0, 1, 2, 3, 4, 5) + "\n").replace("\n", "\r\n").encode()
    assert proposed(garden, "index") == []


@pytest.mark.parametrize(
    ("labels", "body", "label"),
    [
        ("fact-{}", "# A title\n\nText.\n", "fact-5"),
        ("fact-{}.md", "# A title\n\nText.\n", "fact-5"),
        ("The {}th fact", "# A title #\n\nText.\n", "A title"),
        ("The {}th fact", "Text.\n\n```\n# no title\n```\n", "Fact 5"),
        ("The {}th fact", "# A [title](x.md) with a link\n", "Fact 5"),
        ("The {}th fact", "Text.\n\n## Not the first level\n", "Fact 5"),
    ],
)
def test_a_new_line_calls_its_memory_as_the_others_do(garden: Garden, labels: str, body: str, label: str) -> None:
    listed = "".join(f"- [{labels.format(n)}](fact-{n}.md) — about {n}\n" for n in range(5))
    store(garden, listed)
    garden.write("memory/fact-5.md", f"---\nname: fact-5\ndescription: about 5\ntype: user\n---\n{body}")
    assert proposed(garden, "index") == [("memory/MEMORY.md",)]
    accept(garden, "index")
    assert (garden.path / "memory/MEMORY.md").read_text() == f"{listed}- [{label}](fact-5.md) — about 5\n"


def test_the_kind_in_front_of_a_name_is_no_part_of_a_title(garden: Garden) -> None:
    store(garden, "".join(f"- [The {n}th fact](fact-{n}.md)\n" for n in range(6)))
    garden.write("memory/user_night_shift.md", "---\nname: user_night_shift\ntype: user\n---\nAnn works at night.\n")
    assert proposed(garden, "index") == [("memory/MEMORY.md",)]
    accept(garden, "index")
    assert (garden.path / "memory/MEMORY.md").read_text().endswith("\n- [Night shift](user_night_shift.md)\n")


def test_lines_that_lead_nowhere_go(garden: Garden) -> None:
    store(garden, lines(0, 1, 2, 3, 4, 5) + "- [gone](gone.md) — was here\n")
    assert proposed(garden, "index") == [("memory/MEMORY.md",)]
    accept(garden, "index")
    assert (garden.path / "memory/MEMORY.md").read_text() == lines(0, 1, 2, 3, 4, 5)


def test_a_partial_index_is_a_choice_and_only_said(garden: Garden) -> None:
    store(garden, lines(0, 1, 2))
    assert advice(garden, "index") == ["memory/MEMORY.md and its like list 3 of 6 memories"]
    assert garden.pending("index") == []


def test_an_index_longer_than_agents_load(garden: Garden) -> None:
    store(garden, lines(*range(6)) + "\n" * 200)
    assert "agents load the first 200" in advice(garden, "index")[0]
