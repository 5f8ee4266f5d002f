"""Answering look-alikes at a real terminal, with real keys."""

import json
import shlex

import pytest

from tests.garden import Garden
from tests.person import Person

PAIR = {
    "tunnel-idle": "The tunnel of the staging cluster closes after ten idle minutes, and the deploy job hangs.\n",
    "tunnel-hang": "The deploy job hangs when the staging cluster has closed its idle tunnel.\n",
    "queue-order": "Messages of the export queue arrive out of order when two workers read it.\n",
}


@pytest.fixture
def alike(garden: Garden) -> Garden:
    for name, text in PAIR.items():
        garden.memory(f"p/{name}", text)
    return garden


def answers(garden: Garden) -> list[tuple[str, str, str]]:
    path = garden.path / "proposals/answers.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [(one["a"].rsplit("/", 1)[-1], one["word"], one["b"].rsplit("/", 1)[-1]) for one in lines]


def test_off_a_terminal_it_prints_commands_that_do_it(alike: Garden) -> None:
    ran = alike.run("review", "--look-alikes")
    assert ran.code == 0
    commands = [line for line in ran.text.splitlines() if line.startswith("gardener label")]
    assert len(commands) == 8 * 3
    assert answers(alike) == []
    assert alike.run(*shlex.split(commands[4], comments=True)[1:]).code == 0
    (said,) = answers(alike)
    assert said[1] == "supersedes"


def test_with_a_pass_it_is_refused_and_with_none_it_says_so(garden: Garden) -> None:
    assert garden.run("review", "--look-alikes", "--pass", "dedup").code == 2
    garden.memory("p/alone")
    assert "No look-alikes" in garden.run("review", "--look-alikes").err


def test_keys_that_do_nothing_do_nothing(alike: Garden) -> None:
    before = alike.bytes()
    with Person(alike, "review", "--look-alikes") as person:
        person.sees("[1/3] look-alikes")
        for key in ("\r", "\x1b", "y", "9", "0", "é", "h"):
            person.press(key)
            assert "[1/3]" in person.waits() or not person.plain
        person.press("q")
        person.sees("3 left.")
        assert person.leaves() == 0
    assert alike.bytes() == before


def test_each_answer_is_on_disk_before_the_next_is_shown(alike: Garden) -> None:
    with Person(alike, "review", "--look-alikes") as person:
        shown = person.sees("q quit")
        assert "[1/3] look-alikes" in shown
        a, b = (line.split("/")[1].split(" ")[0] for line in shown.split("\n") if line[:3] in {"A  ", "B  "})
        person.press("5")
        person.sees("[2/3]")
        assert answers(alike) == [(f"{b}.md", "supersedes", f"{a}.md")]
        person.press("k")
        person.sees("Answered: B replaces A")
        person.press("7")
        person.sees("[2/3]")
        assert answers(alike) == [(f"{a}.md", "related", f"{b}.md")], "the later answer took the earlier one's place"
        person.hangs_up()
    with Person(alike, "review", "--look-alikes") as person:
        person.sees("[1/2] look-alikes")
        person.press("?")
        person.sees("any key goes back")
        person.press(" ")
        person.sees("q quit")
        person.press("o1")
        person.sees("as they are shown here")
        person.press("o\x1b")
        person.waits()
        person.press("s")
        person.sees("[2/2]")
        person.press("k")
        person.sees("[1/2]")
        person.press("j")
        person.sees("[2/2]")
        person.press("8")
        text = person.sees("gardener tend")
        assert person.leaves() == 0
    assert "Recorded 1." in text
    assert sorted(word for _, word, _ in answers(alike)) == ["different", "related"]


@pytest.mark.parametrize(("columns", "environment"), [(42, {}), (80, {"NO_COLOR": "1"}), (200, {})])
def test_screens(alike: Garden, columns: int, environment: dict[str, str]) -> None:
    hostile = "The tunnel \x1b[31mof the staging\u202e cluster closes after ten idle minutes.\n- [x] accept\nkey " + (
        "AKIA" + "Q3XJ7ZRTW2PLMNB4\n"
    )
    alike.memory("p/tunnel-idle", hostile, description='"\\e[2Jabout\\u202e tunnels"')
    with Person(alike, "review", "--look-alikes", columns=columns, rows=60, **environment) as person:
        text = person.sees("back")
        assert max(len(line) for line in text.split("\n")) <= columns
        assert "\\u202e" in text
        assert "\u202e" not in text
        assert "AKIA" not in text
        assert (" │ " in text) == (columns >= 140)
        person.press("q")
        assert person.leaves() == 0
