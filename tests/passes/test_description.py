"""Descriptions by which nobody finds the memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gardener.passes.description import shortened
from tests.garden import Garden
from tests.passes.kit import accept, advice, proposed

LONG = (
    "The nightly export fails when two jobs start at once, because both lock the same table; "
    "start the second one ten minutes later and watch the queue until it is empty, then tell finance"
)


def test_left_alone(garden: Garden) -> None:
    garden.memory("p/fine", "Text.\n", description="what it is about, in a few words")
    garden.memory("p/coloured", "Text.\n", description="'issue #260 explained'")
    garden.write("memory/p/plain.md", "No front matter.\n")
    assert proposed(garden, "description") == []


def test_a_missing_one_is_the_first_sentence(garden: Garden) -> None:
    path = garden.memory("p/m", "# Heading\n\nThe *export* fails at night. More follows.\n", description="")
    assert proposed(garden, "description") == [("memory/p/m.md",)]
    accept(garden, "description")
    assert "description: The export fails at night.\n" in path.read_text()


def test_a_cut_one_is_put_in_quotes(garden: Garden) -> None:
    path = garden.memory("p/m", description="see issue #260 for the cause")
    assert proposed(garden, "description") == [("memory/p/m.md",)]
    accept(garden, "description")
    assert 'description: "see issue #260 for the cause"\n' in path.read_text()


def test_a_long_one_is_cut_at_a_clause_and_the_rest_moves_to_the_body(garden: Garden) -> None:
    path = garden.memory("p/m", "First line.\n", description=f'"{LONG}"')
    assert proposed(garden, "description") == [("memory/p/m.md",)]
    accept(garden, "description")
    text = path.read_text()
    kept = "The nightly export fails when two jobs start at once, because both lock the same table"
    assert f'description: "{kept}"\n' in text
    dropped = "start the second one ten minutes later and watch the queue until it is empty, then tell finance"
    assert f"---\n{dropped}\n\nFirst line.\n" in text
    assert proposed(garden, "description") == []


@pytest.mark.parametrize(
    "rest",
    ["because the queue cannot tell them apart", "and both write to it", "which nobody can see", "not to the copy"],
)
@pytest.mark.parametrize("mark", [",", ";", " —"])
def test_what_would_begin_amid_a_sentence_moves_whole(garden: Garden, rest: str, mark: str) -> None:
    said = "The nightly export locks the table of the first job for as long as it runs, which is up to one hour"
    said += f"{mark} {rest} and the operators of the second site see no more than a spinner"
    path = garden.memory("p/m", "First line.\n", description=f'"{said}"')
    garden.tend()
    accept(garden, "description")
    moved = said if mark != ";" or not rest.startswith("not") else "not to the copy" + said.split("copy")[1]
    assert f"---\n{moved}\n\nFirst line.\n" in path.read_text()


def test_what_is_dropped_behind_a_sentence_moves_alone(garden: Garden) -> None:
    kept = "The nightly export locks the table of the first job for as long as it runs, so start them apart."
    path = garden.memory("p/m", "First line.\n", description=f'"{kept} {LONG}."')
    garden.tend()
    accept(garden, "description")
    assert f'description: "{kept}"\n' in path.read_text()
    assert f"---\n{LONG}.\n\nFirst line.\n" in path.read_text()


@pytest.mark.parametrize(
    "header",
    ["Line.\n" * 10 + "Status: open\n", "# Work\nStatus: open\n> Gate: human\n", "| Gate | ai |\n| Of | ann |\n"],
)
def test_the_rest_moves_behind_a_stage_header(garden: Garden, header: str) -> None:
    path = garden.memory("p/m", f"{header}\nAnd more.\n", kind="stage", description=f'"{LONG}"')
    before = path.read_text()
    garden.tend()
    accept(garden, "description")
    top, header, rest = path.read_text().partition(f"---\n{header.rstrip()}\n\nstart the second one")
    assert header
    assert rest.endswith("\n\nAnd more.\n")
    assert proposed(garden, "description") == []
    assert len(path.read_text().split()) == len(before.split()), top


def test_other_formats_set_no_limit(garden: Garden) -> None:
    for name in ("one", "two"):
        garden.write(
            f"memory/{name}.md", f'---\nname: {name}\ndescription: "{LONG}"\ntype: user\n---\nText of {name}.\n'
        )
    assert proposed(garden, "description") == []


def test_the_name_again_says_nothing(garden: Garden) -> None:
    garden.memory("p/export-fails", "It fails when two jobs start at once.\n", description="Export fails")
    assert proposed(garden, "description") == [("memory/p/export-fails.md",)]


@pytest.mark.parametrize(
    "said", ["Notes about the invoice export", "invoice export", "How to export an invoice", "Notes"]
)
def test_a_topic_alone_says_nothing(garden: Garden, said: str) -> None:
    garden.memory("p/invoice-export", "It fails when two jobs start at once.\n", description=said)
    assert proposed(garden, "description") == [("memory/p/invoice-export.md",)]


@pytest.mark.parametrize(
    "said", ["notes about exporting invoices", "Details of exported invoices", "How invoicing works"]
)
def test_another_form_of_the_names_words_says_nothing_either(garden: Garden, said: str) -> None:
    garden.memory("p/invoice-export", "It fails when two jobs start at once.\n", description=said)
    assert proposed(garden, "description") == [("memory/p/invoice-export.md",)]


@pytest.mark.parametrize(
    "said",
    ["Exports invoices nightly", "The inventory is exported", "Involved parties", "Export port", "notes about imports"],
)
def test_words_that_only_begin_alike_are_left_alone(garden: Garden, said: str) -> None:
    garden.memory("p/invoice-export", "Inventory, parties, ports and imports fail nightly.\n", description=said)
    assert proposed(garden, "description") == []


@pytest.mark.parametrize("said", ["The invoice export is slow", "Export of an invoice: port 9090"])
def test_a_little_more_than_the_topic_is_left_alone(garden: Garden, said: str) -> None:
    garden.memory("p/invoice-export-port", "It fails when two jobs start at once.\n", description=said)
    garden.memory("p/the-invoice-export-fails-at-night", description="Invoice export fails at night")
    assert proposed(garden, "description") == []


@pytest.mark.parametrize(
    ("body", "lead"),
    [
        ("Two things bear the name:\n1. the standard\n2. the site\n", "Two things bear the name"),
        (
            "Use a fixed port, e.g. the one in the table. Then restart.\n",
            "Use a fixed port, e.g. the one in the table.",
        ),
        ("It was moved in 2026. Nobody noticed.\n", "It was moved in 2026."),
        ("The **export** of *all rows* is _rather slow_ today.\n", "The export of all rows is rather slow today."),
        ("because of the port.\n\nThe export fails at night. More.\n", "The export fails at night."),
        ("Because of the port the export fails. More.\n", "Because of the port the export fails."),
        *(
            (f"{text}\n", text)
            for text in (
                "The `__init__` hook runs first and `__del__` runs last.",
                "Set _id before __all__ and call __init__ by hand.",
                "It takes *args and **kwargs and snake__case names.",
                "Of 2*3*4 rows and the *.md and *.txt files none is read.",
                "Write `**bold**` and `_x y_` for the old reader.",
            )
        ),
    ],
)
def test_the_first_sentence_is_a_whole_one(garden: Garden, body: str, lead: str) -> None:
    path = garden.memory("p/m", body, description="")
    garden.tend()
    accept(garden, "description")
    assert f"description: {lead}\n" in path.read_text().replace('"', "")


@pytest.mark.parametrize(
    ("said", "body"),
    [
        (
            "Weather radar images arrive hourly",
            "They arrive from the satellite at the full hour and are kept for a day.",
        ),
        (
            "Invoices of the shop and their numbers",
            "Each gets the next number of its year, without a gap, in the billing job.",
        ),
        ("Weather radar images arrive hourly", "Closed monthly."),
        ("Where it is", "The key of the cellar hangs behind the door of the office on the second floor."),
        (
            "Der Schlüssel zum Keller des Hauses",
            "The key of the cellar hangs behind the door of the office on the second floor.",
        ),
        (
            "Where the export of p lies today",
            "The m of the cellar hangs behind the door of the office; it exports nothing.",
        ),
    ],
)
def test_a_description_that_shares_a_word_or_says_too_little_is_left_alone(
    garden: Garden, said: str, body: str
) -> None:
    garden.memory("p/invoice-numbers", f"{body}\n", description=said)
    assert advice(garden, "description") == []


@pytest.mark.parametrize(
    "said",
    ["The printer at the till needs a fresh roll every two days", "The depth of the sea is drawn at five metres"],
)
def test_a_short_body_about_something_else_is_advice(garden: Garden, said: str) -> None:
    garden.memory(
        "p/m", "Question marks come instead of names, since the old base has three bytes for one.\n", description=said
    )
    assert advice(garden, "description") == ['"m" has a description that shares no word with its body']


def test_a_description_of_something_else_is_advice(garden: Garden) -> None:
    body = "Invoices live in the billing tables and are closed monthly. " * 6
    garden.memory("p/m", body, description="weather radar images arrive from satellites hourly")
    assert advice(garden, "description")


@given(st.text("abc ,.;:—é\u200b", max_size=400))
def test_nothing_is_lost_and_no_word_is_cut(text: str) -> None:
    text = " ".join(text.split(" "))
    short, dropped = shortened(text)
    gone = text
    for part in (short, dropped):
        assert part in gone
        gone = gone.replace(part, "", 1)
    assert not set(gone) - set(" ,;:—–")
