"""The store that comes with the project: what a first run finds in it, on the day it was written and long after."""

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from tests.garden import NOW, Garden

SHIPPED = Path(__file__).parents[1] / "store"

FOUND = {
    "dedup": ["chroma-boot-order", "indexer-waits-for-chroma"],
    "conflict": ["api-port", "api-port-of-the-service"],
    "stale_stage": ["billing-migration"],
    "unknown_status": ["search-rewrite"],
    "staleness": ["weekly-export"],
    "supersession": ["session-store", "session-store-first"],
    "correction": ["metrics-port"],
    "identity": ["naming-of-branches"],
    "links": ["deploy-window"],
    "description": ["invoice-rounding"],
    "placement": ["migration-diary"],
    "refuted_echo": ["shared-collection", "shared-collection-refuted"],
    "index": ["MEMORY"],
    "importance": ["prefers-short-answers"],
    "associations": ["api-is-versioned"],
    "expiry": ["freeze"],
    "secrets": ["report-login"],
    "hidden_text": ["support-hours"],
}
SAID = {"craft": ["outage-lesson"], "kind_shape": ["image-host"]}


def names(paths: tuple[str, ...]) -> list[str]:
    return sorted(Path(path).stem for path in paths)


@pytest.fixture
def shipped(tmp_path: Path) -> Garden:
    for part in ("memory", "agent", "notes"):
        shutil.copytree(SHIPPED / part, tmp_path / "store" / part)
    shutil.copy(SHIPPED / "gardener.toml", tmp_path / "store")
    return Garden(tmp_path / "store")


@pytest.mark.parametrize("days", [100, 500])
def test_one_plain_case_for_each_pass_now_and_in_400_days(shipped: Garden, days: int) -> None:
    result = shipped.tend(NOW + timedelta(days=days))
    found = {one.document.proposal.pass_name: names(one.document.proposal.subjects) for one in result.inbox.pending}
    assert found == FOUND
    assert {one.pass_name: names(one.subjects) for one in result.outcome.advice} == SAID
    assert not result.problems
    assert all(row.status == "ok" for row in result.passes)


def test_the_true_memories_about_the_project_are_never_asked_about(shipped: Garden) -> None:
    result = shipped.tend(NOW + timedelta(days=3000))
    assert not [path for one in result.inbox.pending for path in one.document.proposal.subjects if "/gardener/" in path]
