"""Two days of the simulated month, with everything in them; `python -m tests.proofs.soak` lives all thirty."""

from pathlib import Path

import pytest

from gardener.daemon import landlock
from tests.proofs.soak import soak


@pytest.mark.parametrize("seed", [1, 2])
def test_two_days(tmp_path: Path, seed: int) -> None:
    measured = soak(tmp_path.resolve() / "store", days=2, seed=seed, storm=200, say=lambda line: line)
    assert measured["nights"] >= 2
    assert measured["starts"] > 1
    assert measured["confinement"] == ("full" if landlock.version() >= landlock.TRUNCATE_ABI else "none")
