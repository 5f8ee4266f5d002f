from pathlib import Path

import pytest

from tests.garden import Garden


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """An empty store with default settings."""
    place = tmp_path / "store"
    (place / "memory").mkdir(parents=True)
    made = Garden(place)
    made.settings("")
    return made
