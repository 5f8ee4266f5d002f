"""Claims past their own date."""

from datetime import UTC, datetime, timedelta

import pytest

from gardener.proposals.answers import Answer
from tests.garden import NOW, Garden
from tests.passes.kit import advice, graph, proposed


@pytest.mark.parametrize(
    "body",
    [
        "Valid until 2026-12-31.",
        "The freeze holds until the release.",
        "It worked until 2026-06-01 when the port changed.",
        "Since 2026-06-01 the port is 9090.",
        "The token expires on 2026-02-30.",
        "Expires soon.",
        "Until 2026-04-11, the team carried the pager by turns.",
        "Verified end-to-end 2026-06-30, and the hold (2026-07-01) applies to all.",
        "The old host was kept until June 2026.",
        "Coverage through June 2026 is in the table.",
        "It is valid for Q1 or for Q2, whichever the reader likes.",
        "```\nvalid until 2026-06-30\n```",
        "The office moved on 30 June 2026.",
        "This folder holds the exports for 2024-05-01.",
        "Rows until 2024-01-01 are in the legacy table.",
        "Use the v1 schema for rows until 2024-01-01 and v2 after.",
        "Use the v1 schema for rows until 2024-01-01.",
        "The rows that are dated until 2024-01-01 have no owner.",
        "Backups until 2026-05-01 are in the vault.",
        "Node 16 is end of life 2023-09-11; builds on it fail.",
        "Python 3.8 is end-of-life 2024-10-07, therefore we require 3.9.",
        "TLS 1.0 support ends in 2024-06.",
        "The API will return HTTP 410 for requests on 2024-05-01 fixtures.",
        "The job will be run on 2024-05-01 fixtures.",
        "Tests are valid for 2024-05-01 fixtures.",
        "Invoices are due by 2024-05-01 format strings.",
        "Support is planned to end by Q2 2026.",
        "Support for the old client ends in Q1 2026.",
        "The old client is supported through May 2026.",
        "Rates are valid until 2026-06-30 in the example file; leave them.",
        "The certificate of the fixture expires on 2026-06-30 in test data.",
        "The prices in `tests/data/rates.json` are valid until 2026-06-30.",
        "The log of the mailer runs until 2026-05-01.",
        "The export ends on 2026-05-01, the next one begins there.",
        "The table of trials ends on 2026-05-01 rows.",
        "The trial ended on 2026-05-01 and was not extended.",
        "The trial ends when the last seat is taken.",
        "The disk runs out of space on 2026-05-01 fixtures.",
        "Contracts until 2024-01-01, see the legacy table.",
        "Rows until 2024-01-01: see the legacy table.",
        "Bis 2025-12-31 war das Lager im Keller.",
        "Bis 2024-01-01 nicht migrierte Zeilen haben keinen Eigentümer.",
        "Der Job läuft am 01.05.2026 Zeilenweise durch.",
        "Rechnungen bis 31.03.2026 tragen die alte Nummer.",
        "Der Vertrag galt bis 31.03.2026 und wurde verlängert.",
        "Gilt bis zum nächsten Release, siehe 2026-05-01.",
        "Gültig bis 31.12.2026.",
    ],
)
def test_left_alone(garden: Garden, body: str) -> None:
    garden.memory("p/m", f"{body}\n")
    assert proposed(garden, "expiry") == []


@pytest.mark.parametrize(
    "body",
    [
        "The certificate expires on 2026-06-30.",
        "Valid until 2026-08-30.",
        "Deploys are frozen for the audit until 2026-08-01.",
        "These prices are valid for Q2 2026.",
        "The embargo holds through 2026-Q1.",
        "Use the old host until 30 June 2026.",
        "**Until 2026-05-01** use the old host.",
        "No deploys until 2026-05-01, then one a week.",
        "Works by a redirect (until ~2026-05-10) and then breaks.",
        "Temporary: no deploys on Fridays until the end of July 2026.",
        "The contract with the host expires on June 30th, 2026.",
        "Certificate expiry: 30.06.2026",
        "The old endpoint will be removed on 2026-07-01.",
        "The closed beta runs until 2026-07-15.",
        "No deploys to the till until 2026-05-08: the shop counts its stock.",
        "No deploys until 2026-05-08, because of the spring holidays.",
        "Open beta until 2026-07-15, see the board.",
        "No deploys until 2026-05-08 — ask before you touch it.",
        "Our trial of the dashboard ends on 2026-07-20, decide before.",
        "The trial ends 2026-07-20.",
        "The licence of the editor runs out on 2026-07-01.",
        "Valid till Jul 31, 2026: the code for new members.",
        "The discount lasts through 31 July 2026.",
        "Bis 2026-07-15 keine Deployments wegen der Messe.",
        "Gültig bis 31.07.2026.",
        "Der Vertrag läuft am 31. Juli 2026 aus.",
        "Gilt bis zum 15.07.2026: nur der alte Drucker geht.",
        "Die Testphase endet am 3. März 2026.",
        "Keine Auslieferung bis Ende Mai 2026.",
    ],
)
def test_a_date_that_passed_is_quoted(garden: Garden, body: str) -> None:
    garden.memory("p/m", f"{body}\n")
    assert proposed(garden, "expiry") == [("memory/p/m.md",)]
    assert f"> {body}" in garden.one("expiry").document.body


def test_days_off_are_only_advised_on(garden: Garden) -> None:
    garden.memory("p/m", "Text.\n", description='"Holiday of Ann: 2026-08-03 until 2026-08-21"')
    garden.memory("p/body", "Holiday of Bob: 2026-08-03 until 2026-08-21.\n")
    assert proposed(garden, "expiry") == []
    assert advice(garden, "expiry") == [
        '"body" speaks of 2026-08-21 as to come, in line 10',
        '"m" speaks of 2026-08-21 as to come, in its description',
    ]


def test_a_quarter_without_a_year_is_the_one_after_it_was_written(garden: Garden) -> None:
    garden.settings("[passes.staleness]\nenabled = false\n")
    garden.memory("p/old", "These prices are valid for Q3.\n", created="2025-07-02", updated="2025-07-02")
    garden.memory("p/new", "Rebates of the shop hold for Q3 alone.\n", created="2026-07-02", updated="2026-07-02")
    garden.memory("p/undated", "The rota of the pager is valid for Q1.\n", created=None, updated=None)
    assert proposed(garden, "expiry") == [("memory/p/old.md",)]


def test_a_detail_further_down_is_only_advised_on(garden: Garden) -> None:
    line = "The redirect works until 2026-05-10."
    garden.memory("p/m", "How the mirror of the registry is set up by hand, in detail.\n" * 12 + f"{line}\n")
    assert proposed(garden, "expiry") == []
    assert advice(garden, "expiry") == ['"m" speaks of 2026-05-10 as to come, in line 22']


def test_an_event_that_is_still_to_come_in_its_words(garden: Garden) -> None:
    graph(garden, "p/fair", "The fair takes place on 2026-06-12 in the hall.\n", type="event", importance="0.4")
    graph(garden, "p/was", "The fair was held on 2026-06-12 in the hall.\n", type="event", importance="0.4")
    assert proposed(garden, "expiry") == [("memory/p/fair.md",)]


def test_a_todo_is_due_by_its_date(garden: Garden) -> None:
    graph(garden, "p/todo", "Renew the domain by 2026-08-01.\n", type="todo", importance="0.8")
    graph(garden, "p/event", "The audit was due on 2026-08-01.\n", type="event", importance="0.4")
    assert proposed(garden, "expiry") == [("memory/p/todo.md",)]


def test_the_day_itself_and_the_day_after_are_left_alone(garden: Garden) -> None:
    garden.memory("p/m", "Valid until 2026-08-01.\n")
    last = datetime(2026, 8, 2, 23, 59, tzinfo=UTC)
    assert garden.tend(last, dry_run=True).outcome.writes == {}
    assert len(garden.tend(last + timedelta(minutes=2), dry_run=True).outcome.writes) == 1


def test_still_true_holds(garden: Garden) -> None:
    garden.memory("p/m", "Valid until 2026-08-01.\n", updated="2026-08-30T00:00:00Z")
    garden.tend()
    with garden.decider() as decider:
        assert decider.answer(garden.one("expiry").id, Answer("reject")).did == "keep"
    assert garden.tend(NOW + timedelta(days=60)).inbox.pending == ()


def test_a_line_too_long_for_a_sentence_is_left_alone(garden: Garden) -> None:
    garden.memory("p/m", f"{'no ' * 300_000}until 2026-05-01x\n")
    assert proposed(garden, "expiry") == []
