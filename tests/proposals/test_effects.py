"""What happens, as a proposal file says it: before and after, and nothing twice."""

import pytest

from gardener.model.edit import Append, Archive, Edit, Qualify, Replace, Restore, SetField, Supersede
from gardener.model.finding import Choice, Finding
from tests.garden import Garden
from tests.review.test_apply import propose

A, B = "memory/p/a.md", "memory/p/b.md"


@pytest.fixture
def two(garden: Garden) -> Garden:
    garden.memory("p/a", "One.\n", description="'it''s about a'")
    garden.memory("p/b", "Two.\n", description=None)
    return garden


def body_of(garden: Garden, finding: Finding) -> str:
    """The text of the finding's proposal file."""
    identity = propose(garden, finding)
    return garden.inbox.by_id[identity].document.body


def says(garden: Garden, finding: Finding) -> str:
    """The part of it under What happens."""
    return body_of(garden, finding).split("## What happens\n")[1].split("\nNothing is deleted")[0].strip("\n")


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (Supersede(B, A), "B gets `invalid_at`, `superseded_by`, `updated` and a last line naming A."),
        (Archive(B, "done with"), "B gets `invalid_at`, `updated` and a last line: Archived (done with)."),
        (Qualify(B, A), "B gains a last line naming A; both stay active."),
        (SetField(A, "kind", "runbook"), "`kind` of A changes from\n> gotcha\n\nto\n> runbook"),
        (
            SetField(A, "description", "about #1 of a"),
            "`description` of A changes from\n> 'it''s about a'\n\nto\n> \"about #1 of a\"",
        ),
        (SetField(B, "description", "b"), "`description` of B becomes\n> b"),
        (SetField(A, "invalid_at", None), "`invalid_at` of A becomes\n> null"),
        (Replace(A, 10, "One.", "Uno."), "Line 10 of A changes from\n> One.\n\nto\n> Uno."),
        (Replace(A, 10, "One.", "One.\nTwo."), "Line 10 of A is followed by\n> Two."),
        (Replace(A, 10, "One.", "Zero.\n\nOne."), "Line 10 of A gets before it\n> Zero."),
        (Replace(A, 10, "One.", None), "Line 10 of A goes:\n> One."),
        (Append(A, "More."), "A gains at its end:\n> More."),
    ],
)
def test_one_edit(two: Garden, edit: Edit, said: str) -> None:
    assert says(two, Finding("description", "a title", (A, B), (edit,))) == said


GONE = {"invalid_at": "2026-01-01"}


@pytest.mark.parametrize(
    ("body", "front", "said"),
    [
        ("One.\n", GONE, "`invalid_at` is emptied. No line in it says that it was retired, so its text stays."),
        (
            "One.\n\n> Archived (old) on 2026-01-01\n\nMore.\n",
            GONE | {"superseded_by": "p/b"},
            "`invalid_at` and `superseded_by` are emptied, and line 14 goes:\n> > Archived (old) on 2026-01-01",
        ),
        (
            "One.\n",
            {"forgotten": "true"},
            "`forgotten` becomes false. No line in it says that it was retired, so its text stays.",
        ),
    ],
)
def test_restore_says_what_really_goes(garden: Garden, body: str, front: dict[str, str], said: str) -> None:
    garden.memory("p/a", body, **front)
    finding = Finding("supersession", "a title", (A,), (Restore(A),))
    assert says(garden, finding) == f"A becomes active again: {said}"


def test_restore_says_that_a_description_loses_its_mark(garden: Garden) -> None:
    front = "name: a\ndescription: '[archived] what a is'\nmetadata:\n  type: project\ninvalid_at: 2026-01-01"
    garden.write("memory/a.md", f"---\n{front}\n---\nOne.\n")
    garden.write("memory/MEMORY.md", "- [a](a.md) what a is\n")
    said = says(garden, Finding("supersession", "a title", ("memory/a.md",), (Restore("memory/a.md"),)))
    assert said.startswith("A becomes active again: `invalid_at` is emptied, the description loses its mark. No line")


def test_choices_show_a_line_once_and_stay_apart(two: Garden) -> None:
    old = "One."
    choices = (
        Choice("a", "leave it"),
        Choice("b", "uno", (Replace(A, 10, old, "Uno."),)),
        Choice("c", "eins", (Replace(A, 10, old, "Eins."), SetField(A, "kind", "runbook"))),
    )
    text = says(two, Finding("conflict", "which", (A, B), choices=choices))
    assert text == (
        "Line 10 of A says now\n> One.\n\n- **a:** Nothing changes.\n- **b:** Line 10 of A becomes\n  > Uno.\n"
        "- **c:** Line 10 of A becomes\n  > Eins.\n\n  `kind` of A becomes\n  > runbook"
    )


def test_a_choice_with_a_quiet_answer_asks_what_rejecting_means(two: Garden) -> None:
    quiet = (Choice("a", "keep both"), Choice("b", "b goes", (Supersede(B, A),)))
    loud = (Choice("a", "a goes", (Supersede(A, B),)), Choice("b", "b goes", (Supersede(B, A),)))
    for choices, said in ((quiet, "reject: this is no question `"), (loud, "reject: leave everything as it is `")):
        assert f"- [ ] {said}" in body_of(two, Finding("conflict", "which", (A, B), choices=choices))


def test_a_description_is_not_said_twice(two: Garden) -> None:
    edits = (SetField(A, "description", "another"),)
    body = body_of(two, Finding("description", "t", (A, B), edits))
    assert "- **A:** [a](../../memory/p/a.md)\n- **B:** [b](../../memory/p/b.md)\n" in body
