"""Memories that contradict each other."""

from datetime import UTC, datetime
from typing import Any

import pytest

from gardener.model.edit import Qualify, Supersede
from gardener.model.finding import Finding
from gardener.model.memory import Memory
from gardener.model.snapshot import Answer, Snapshot
from gardener.passes.conflict import ConflictSettings, find
from tests.passes.test_dedup import MORE, NOW, ONE, OTHERS, RELEASE, TWO, answer, runbooks
from tests.text.similarity.made import made

OLD = datetime(2026, 1, 1, tzinfo=UTC)
NEW = datetime(2026, 5, 1, tzinfo=UTC)
PORT = "The billing service listens on port {0}.\n"


def found(*memories: Memory, **more: Any) -> list[Finding]:
    return list(find(Snapshot(memories=(*memories, *OTHERS), **more), ConflictSettings(), NOW))


def test_left_alone() -> None:
    assert found() == []
    assert found(*runbooks()) == []
    assert found(made("p/a", MORE), made("p/b", MORE)) == []
    assert found(made("p/a", RELEASE), made("p/b", MORE)) == []
    assert found(made("p/a", PORT.format(8080)), made("q/b", PORT.format(9090))) == []
    assert found(made("p/port-a", PORT.format(8080)), made("p/b", "The mail relay listens on port 25.\n")) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (PORT.format(8080), PORT.format(9090)),
        ("The accent colour is purple.\n", "The accent colour is cyan.\n"),
        (MORE + "Freeze on October 15.\n", MORE + "Freeze on October 16.\n"),
        (MORE + "The crash was fixed in #260.\n", MORE + "The crash was fixed in #480.\n"),
        ("The plugin needs v1.2 of the host.\n", "The plugin needs v1.3 of the host.\n"),
        ("The adapter fits the old rack.\n", "The adapter does not fit the old rack.\n"),
        ("Always squash before merging.\n", "Never squash before merging.\n"),
        ("Copy the data from staging to the archive.\n", "Copy the data from the archive to staging.\n"),
    ],
)
def test_found(one: str, other: str) -> None:
    (finding,) = found(made("p/a", one), made("p/b", other))
    assert finding.edits == ()
    assert finding.choices[0].says == "keep both as they are"
    assert finding.choices[0].edits == ()
    assert len(finding.quotes) == 2
    assert all("«" in quote.text for quote in finding.quotes)
    assert finding.score == pytest.approx(sum(value for _, value in finding.parts))


def test_both_sentences_are_quoted_with_the_difference_marked() -> None:
    (one,) = found(made("p/a", MORE + PORT.format(8080)), made("p/b", MORE + PORT.format(9090)))
    assert [quote.text for quote in one.quotes] == [
        "The billing service listens on port «8080».",
        "The billing service listens on port «9090».",
    ]
    assert [quote.line for quote in one.quotes] == [8, 8]
    assert one.summary == '"a" says 8080, "b" says 9090'


def pair(**more: Any) -> tuple[Memory, Memory]:
    return made("p/a", PORT.format(8080), **more.get("a", {})), made("p/b", PORT.format(9090), **more.get("b", {}))


def edits(finding: Finding) -> list[object]:
    return [edit for choice in finding.choices for edit in choice.edits]


def test_the_older_one_is_offered() -> None:
    (one,) = found(*pair(a={"created": NEW}, b={"created": OLD}))
    assert edits(one) == [Supersede("memory/p/b.md", "memory/p/a.md"), Qualify("memory/p/b.md", "memory/p/a.md")]
    assert one.subjects == ("memory/p/a.md", "memory/p/b.md")
    assert '"a" is the newer one (2026-05-01 after 2026-01-01).' in one.why


def test_dates_in_the_texts_tell_where_the_front_matter_does_not() -> None:
    text = "Since {1} the billing service listens on port {0}.\n"
    a, b = made("p/a", text.format(8080, "2026-02-01")), made("p/b", text.format(9090, "2026-06-01"))
    assert edits(found(a, b)[0])[0] == Supersede("memory/p/a.md", "memory/p/b.md")


@pytest.mark.parametrize(
    ("dates", "why"),
    [
        ({}, "Nothing in the two tells which is newer."),
        (
            {"a": {"created": OLD, "updated": datetime(2026, 8, 1, tzinfo=UTC)}, "b": {"created": NEW, "updated": NEW}},
            "Both carry later dated updates, so which of the two holds cannot be told from their dates.",
        ),
    ],
)
def test_no_direction_where_none_can_be_told(dates: dict[str, Any], why: str) -> None:
    (one,) = found(*pair(**dates))
    assert not any(isinstance(edit, Supersede) for edit in edits(one))
    assert why in one.why


def test_what_description_and_body_both_say_is_quoted_once() -> None:
    texts = (f"Telemetry is {word} until the user says otherwise.\n" for word in ("on", "off"))
    a, b = (made(f"p/{name}", text, description=text.strip()) for name, text in zip("ab", texts, strict=True))
    (one,) = found(a, b)
    assert [quote.path for quote in one.quotes] == ["memory/p/a.md", "memory/p/b.md"]


def test_a_denial_is_named_in_the_title() -> None:
    (one,) = found(made("p/a", "The rack fits the adapter.\n"), made("p/b", "The rack does not fit the adapter.\n"))
    assert one.summary == '"a" says fits, "b" says does … not fit'
    (one,) = found(made("p/a", "Disable the fan at night.\n"), made("p/b", "Do not disable the fan at night.\n"))
    assert one.summary == '"b" says Do not, "a" does not'


def test_a_limit_that_both_state_narrows_neither() -> None:
    texts = (f"A hold expires after {minutes} minutes unless the card is charged.\n" for minutes in (20, 12))
    a, b = (made(f"p/{n}", text, created=when) for n, text, when in zip("ab", texts, (OLD, NEW), strict=True))
    (one,) = found(a, b)
    assert not any("narrow" in line for line in one.why)


def test_a_narrowing_memory_is_said_to_narrow() -> None:
    a = made("p/a", "Run the interface suite on every change.\n", created=OLD)
    b = made("p/b", "Do not run the interface suite on every change for this phase.\n", created=NEW)
    (one,) = found(a, b, answers=(answer("conflict", a, b),))
    assert any("may narrow the other" in line for line in one.why)


def test_a_constraint_is_never_retired_for_another_kind() -> None:
    (one,) = found(*pair(a={"created": OLD, "kind": "constraint"}, b={"created": NEW}))
    assert edits(one) == [Qualify("memory/p/a.md", "memory/p/b.md")]


def test_a_judge_can_tell_which_replaces_which() -> None:
    (one,) = found(ONE, TWO, answers=(answer("supersedes"),))
    assert edits(one) == [Supersede(TWO.path, ONE.path), Qualify(TWO.path, ONE.path)]
    assert one.why[0] == 'Kim called this pair "supersedes".'
    assert len(one.quotes) == 2


def test_different_values_are_a_conflict_whatever_the_judge_says() -> None:
    a, b = pair()
    assert len(found(a, b, answers=(answer("same", a, b),))) == 1
    assert found(a, b, answers=(answer("related", a, b),)) == []
    assert found(ONE, TWO, answers=(answer("same"),)) == []


def test_an_answered_pair_of_globals_is_asked_once_however_many_projects_there_are() -> None:
    a, b = made("_global/a", "Run the suite on every change.\n"), made("_global/b", "The suite is run by hand.\n")
    more = [made(f"{name}/x", f"The ledger of {name} is closed in March.\n") for name in ("north", "south", "west")]
    assert len(found(a, b, *more, answers=(answer("conflict", a, b),))) == 1


def test_settled_pairs_are_not_asked_again() -> None:
    a, b = pair()
    assert found(a, b, settled=frozenset({(a.path, b.path)})) == []


def test_answers_name_both_contents() -> None:
    a, b = pair()
    stale = Answer(a.path, b.path, a.sha256, "0" * 64, "related")
    assert len(found(a, b, answers=(stale,))) == 1
