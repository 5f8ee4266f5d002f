"""Links that lead nowhere, or to what was retired."""

import pytest

from tests.garden import Garden, days_ago, ulid
from tests.passes.kit import accept, advice, proposed


def test_left_alone(garden: Garden) -> None:
    garden.memory("p/target")
    garden.memory("_global/shared", project=None)
    garden.write("notes/p/plan.md", "A plan.\n")
    garden.memory(
        "p/m",
        "[[target]] [[p/target|that]] [[shared#part]] [[plan]] [a](target.md) [b](https://example.org/x.md)\n"
        "[c](../../elsewhere/x.md) [[some/where]] `[[not-a-link]]`\n```\n[[nor this]]\n```\n"
        "[d](docs/agent/x.md) [e](/memory/p/target.md) [f](/reports/x.md) [[index-of-p]]\n",
    )
    garden.write("memory/p/index-of-p.md", "- [a](target.md)\n- [b](m.md)\n- [c](../_global/shared.md)\n")
    assert proposed(garden, "links") == []
    assert advice(garden, "links") == []


@pytest.mark.parametrize(
    ("link", "mended"),
    [
        ("[[The_Target]]", "[[the-target]]"),
        ("[[the target|alias]]", "[[the-target|alias]]"),
        ("[[07-the-target#part]]", "[[the-target#part]]"),
        ("[a](the_target.md)", "[a](the-target.md)"),
        ("[a](memory/p/the-target.md)", "[a](the-target.md)"),
        ("[a](<the target.md>)", "[a](<the-target.md>)"),
        ("[a](the%20target.md)", "[a](the-target.md)"),
    ],
)
def test_the_same_name_spelled_otherwise_is_a_safe_repair(garden: Garden, link: str, mended: str) -> None:
    garden.memory("p/the-target")
    path = garden.memory("p/m", f"One {link} and more.\n")
    assert proposed(garden, "links") == [("memory/p/m.md",)]
    assert garden.one("links").document.proposal.risk == "safe"
    accept(garden, "links")
    assert f"One {mended} and more.\n" in path.read_text()
    assert proposed(garden, "links") == []


def test_the_nearest_name_is_not_the_same_name(garden: Garden) -> None:
    garden.memory("p/the-target-two")
    garden.memory("p/m", "[[the-target]]\n")
    assert proposed(garden, "links") == []
    assert advice(garden, "links") == ['"m" links to nothing: the-target']


def test_the_same_name_in_another_folder_is_not_the_same_file(garden: Garden) -> None:
    garden.memory("p/the-target")
    garden.memory("p/deep/other")
    garden.memory("p/m", "[a](deep/the_target.md)\n")
    assert proposed(garden, "links") == []
    assert advice(garden, "links") == ['"m" links to nothing: deep/the_target.md']


def test_a_link_is_respelled_as_little_as_can_be(garden: Garden) -> None:
    garden.memory("p/07-the-target", name="Targets, and how they are met")
    path = garden.memory("p/m", "One [[the_target]].\n")
    garden.tend()
    accept(garden, "links")
    assert "One [[07-the-target]].\n" in path.read_text()


def test_what_was_archived_has_no_successor_to_offer(garden: Garden) -> None:
    garden.memory("p/old", invalid_at=days_ago(5), updated=days_ago(5))
    garden.memory("p/m", "See [[old]].\n")
    assert proposed(garden, "links") == []
    assert advice(garden, "links") == ['"m" links to what was retired without a successor: old']


def test_a_retired_target_gives_way_to_its_living_successor(garden: Garden) -> None:
    garden.memory("p/new", id=ulid(3))
    garden.memory("p/mid", id=ulid(2), invalid_at=days_ago(5), superseded_by=ulid(3), updated=days_ago(5))
    garden.memory("p/old", id=ulid(1), invalid_at=days_ago(9), superseded_by=ulid(2), updated=days_ago(9))
    path = garden.memory("p/m", "First [[old]].\r\nThen [[old|again]].\r\n")
    assert proposed(garden, "links") == [("memory/p/m.md",)]
    assert garden.one("links").document.proposal.risk == "judgement"
    accept(garden, "links")
    assert b"First [[new]].\r\nThen [[new|again]].\r\n" in path.read_bytes()


def gone(garden: Garden, target: str, number: int) -> None:
    garden.memory(target, id=ulid(number), project="p" if target.startswith("p/") else "")
    garden.memory("p/old", id=ulid(1), invalid_at=days_ago(9), superseded_by=ulid(number), updated=days_ago(9))


@pytest.mark.parametrize(
    ("target", "link", "mended"),
    [
        ("p/new", "[y](<old.md>) `[[old]]`", "[y](<new.md>) `[[old]]`"),
        ("p/the new (1)", '[y](<old.md#a part> "x")', '[y](<the%20new%20%281%29.md#a part> "x")'),
        ("p/new", "[y](old.md#part) [z](./old.md 'x')", "[y](new.md#part) [z](./old.md 'x')"),
        ("p/the new (1)", "[y](old.md)", "[y](the%20new%20%281%29.md)"),
        ("p/new", "| [[old\\|that]] | [[ old.md#a\\d|b]] |", "| [[new\\|that]] | [[new#a\\d|b]] |"),
        ("_global/foo", "[[old]] [y](old.md)", "[[_global/foo]] [y](../../memory/_global/foo.md)"),
    ],
)
def test_a_link_is_written_so_that_it_leads_there(garden: Garden, target: str, link: str, mended: str) -> None:
    gone(garden, target, 3)
    garden.memory("p/foo", "Another one of that name.\n")
    path = garden.memory("p/m", f"See {link} for more.\n")
    garden.tend()
    accept(garden, "links")
    assert f"See {mended} for more.\n" in path.read_text()
    assert proposed(garden, "links") == []


def test_no_link_is_written_that_leads_elsewhere(garden: Garden) -> None:
    gone(garden, "p/deep/twin", 3)
    garden.memory("p/a/twin", name="twin")
    garden.memory("p/m", "See [[old]].\n")
    assert proposed(garden, "links") == []


def test_the_same_repair_in_many_files_is_one_proposal(garden: Garden) -> None:
    garden.memory("p/the-target")
    for number in range(4):
        garden.memory(f"p/m{number}", f"Number {number} sees [[the_target]].\n")
    garden.tend()
    assert len(garden.one("links").document.proposal.members) == 4
