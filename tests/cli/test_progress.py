"""Progress is for a person at a terminal who did not ask for quiet."""

import pytest

from tests.garden import Garden
from tests.person import Person


@pytest.mark.parametrize("command", ["tend", "init", "report"])
def test_off_a_terminal_there_is_none(garden: Garden, command: str) -> None:
    garden.memory("p/a")
    ran = garden.run(command)
    assert "Pass " not in ran.text + ran.err


@pytest.mark.parametrize(
    ("arguments", "environment"), [(("tend", "-q"), {}), (("tend",), {"TERM": "dumb"})], ids=["-q", "dumb"]
)
def test_where_it_would_be_in_the_way_there_is_none(
    garden: Garden, arguments: tuple[str, ...], environment: dict[str, str]
) -> None:
    garden.memory("p/a")
    with Person(garden, *arguments, **environment) as person:
        assert person.leaves() == 0
        assert "Pass " not in person.plain


@pytest.mark.parametrize("command", ["tend", "init"])
def test_at_a_terminal_the_pass_is_named_and_the_line_goes(garden: Garden, command: str) -> None:
    garden.memory("p/a")
    with Person(garden, command) as person:
        assert person.leaves() == 0
        assert "Pass 20 of 20: hidden_text" in person.plain
        assert person.seen.rfind("Pass ") < person.seen.rfind("\x1b[2K"), "it is wiped away"
