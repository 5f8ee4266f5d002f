"""The store that comes with the project: what a first run finds in it, on the day it was written and long after."""

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from tests.garden import NOW, Garden

SHIPPED = Path(__file__).parents[1] / "store"

FOUND = {
    "dedup": ["memory/demo/chroma-boot-order.md", "memory/demo/indexer-waits-for-chroma.md"],
    "conflict": ["memory/demo/api-port.md", "memory/demo/api-port-of-the-service.md"],
    "stale_stage": ["memory/demo/billing-migration.md"],
    "unknown_status": ["memory/demo/search-rewrite.md"],
    "staleness": ["memory/demo/weekly-export.md"],
    "identity": ["memory/demo/naming-of-branches.md"],
}


@pytest.fixture
def shipped(tmp_path: Path) -> Garden:
    for part in ("memory", "notes"):
        shutil.copytree(SHIPPED / part, tmp_path / "store" / part)
    shutil.copy(SHIPPED / "gardener.toml", tmp_path / "store")
    return Garden(tmp_path / "store")


@pytest.mark.parametrize("days", [100, 500])
def test_one_plain_case_for_each_pass_now_and_in_400_days(shipped: Garden, days: int) -> None:
    result = shipped.tend(NOW + timedelta(days=days))
    found = {one.document.proposal.pass_name: sorted(one.document.proposal.subjects) for one in result.inbox.pending}
    assert found == {name: sorted(paths) for name, paths in FOUND.items()}
    assert not result.problems
    assert all(row.status == "ok" for row in result.passes)


def test_the_true_memories_about_the_project_are_never_asked_about(shipped: Garden) -> None:
    result = shipped.tend(NOW + timedelta(days=3000))
    assert not [path for one in result.inbox.pending for path in one.document.proposal.subjects if "/gardener/" in path]
