"""Memories that lack what their kind is for: advice only."""

import pytest

from tests.garden import Garden
from tests.passes.kit import advice, graph


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("decision", "We queue in the database because it is one system less.\n"),
        ("gotcha", "The import hangs when the port is closed.\n"),
        ("runbook", "1. Stop it.\n2. Start it.\n"),
        ("reference", "The dashboard is at https://grafana.example/d/1.\n"),
        ("reference", "Two more of them: bf-1.internal and bf-2.internal.\n"),
        ("gotcha", "Die Buchhaltung rundet jede Zeile einzeln, nicht die Summe, und das wird so bleiben.\n"),
        ("gotcha", "UTCに変換すると、日付が一日ずれて表示される。\n"),
        ("convention", "Anything goes.\n"),
        ("decision", "The cache is in SQLite. A server would need a machine on each boat.\n"),
        ("decision", "The queue is in the database. The broker does not support delays.\n"),
        ("decision", "We render on the server. The old client is too slow for that.\n"),
        ("reference", "The phone of the data centre is +49 40 5550 112 at all hours.\n"),
        ("reference", "The guard of the building has extension 4471 in the night.\n"),
        ("reference", "Badges are renewed by the office in room 4 on the first floor.\n"),
        ("reference", "The guide to the style is in the wiki under Engineering / Style.\n"),
    ],
)
def test_left_alone(garden: Garden, kind: str, body: str) -> None:
    garden.memory("p/m", body, kind=kind)
    assert advice(garden, "kind_shape") == []


@pytest.mark.parametrize(
    ("kind", "body", "lacks"),
    [
        ("decision", "We queue in the database.\n", "a reason"),
        ("gotcha", "The collection is opened at import.\n", "a symptom"),
        ("runbook", "The export is handled by the platform team.\n", "steps"),
        ("reference", "The dashboard of the team shows the load.\n", "an address"),
        ("reference", "There is room for 40 people in the hall, and 2026-05-01 is the day.\n", "an address"),
        ("decision", "The server would be started by the batch host, and it needs a table.\n", "a reason"),
        ("decision", "The old client supports it, and it is slow to start in the morning.\n", "a reason"),
    ],
)
def test_what_is_missing(garden: Garden, kind: str, body: str, lacks: str) -> None:
    garden.memory("p/m", body, kind=kind)
    assert lacks in advice(garden, "kind_shape")[0]
    assert garden.pending() == []


def test_a_decision_of_the_other_family_needs_a_reason_too(garden: Garden) -> None:
    graph(garden, "p/m", "We queue in the database.\n", type="decision", importance="0.8")
    graph(garden, "p/why", "We queue in the database to avoid a second system.\n", type="decision", importance="0.8")
    graph(garden, "p/fact", "We queue in the database.\n")
    garden.write("memory/p/claude.md", "---\nname: claude\ndescription: d\ntype: reference\n---\nThe dashboard.\n")
    found = advice(garden, "kind_shape")
    assert [summary.split('"')[1] for summary in found] == ["m"]
