"""Memories that lack what their kind is for: advice only."""

import pytest

from tests.garden import Garden
from tests.passes.kit import advice


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("decision", "We queue in the database because it is one system less.\n"),
        ("gotcha", "The import hangs when the port is closed.\n"),
        ("runbook", "1. Stop it.\n2. Start it.\n"),
        ("reference", "The dashboard is at https://grafana.example/d/1.\n"),
        ("convention", "Anything goes.\n"),
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
    ],
)
def test_what_is_missing(garden: Garden, kind: str, body: str, lacks: str) -> None:
    garden.memory("p/m", body, kind=kind)
    assert lacks in advice(garden, "kind_shape")[0]
    assert garden.pending() == []
