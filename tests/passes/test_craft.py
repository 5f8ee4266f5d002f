"""Faults of writing: advice only."""

import pytest

from tests.garden import Garden
from tests.passes.kit import advice, graph

TAIL = " The rest of the text is plain and says what it is about in English."


@pytest.mark.parametrize(
    "body",
    [
        "Invoices are closed on the first of the month by the batch host.",
        'The error text is "please try again tomorrow" and it comes from the proxy.',
        "Gestern wurde der Export geändert, und der Nutzer hat gesagt, dass er morgen läuft.",
        "Run `date --date=yesterday` for the file name of the export.",
    ],
)
def test_left_alone(garden: Garden, body: str) -> None:
    graph(garden, "p/m", body + (TAIL if "Gestern" not in body else "\n"), description="d")
    graph(garden, "p/event", "Yesterday the export failed." + TAIL, type="event", importance="0.4")
    garden.memory("p/lifecycle", "Yesterday the export failed." + TAIL)
    assert advice(garden, "craft") == []


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("The export failed yesterday and was started again.", "unknown now"),
        ("The user asked for shorter answers in the reviews.", "sums up a chat"),
        ("Remember to start the vector store before the indexer.", "speaks to the reader"),
        ("This memory describes how the export is run by hand.", "talk about itself"),
        ("I think that the export is locked by the other job.", "guesses"),
        ("It is started by the batch host at four in the morning.", "what it is about"),
        ("> The export failed.\n> It was started again.\n> It is the third time.\n", "quotation"),
    ],
)
def test_faults(garden: Garden, body: str, says: str) -> None:
    graph(
        garden,
        "p/m",
        body if body.startswith(">") else body + TAIL,
        description="how the export of the invoices is run on the host",
    )
    found = advice(garden, "craft")
    assert len(found) == 1
    assert says in found[0]


def test_it_can_be_asked_for_everywhere(garden: Garden) -> None:
    garden.settings("[passes.craft]\neverywhere = true\n")
    garden.memory("p/lifecycle", "The export failed yesterday." + TAIL)
    assert len(advice(garden, "craft")) == 1
