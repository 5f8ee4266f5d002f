"""Two days of the simulated month, with everything in them; `python -m tests.proofs.soak` lives all thirty."""

from pathlib import Path

from gardener.daemon import landlock
from tests.proofs.soak import soak


def test_two_days(tmp_path: Path) -> None:
    measured = soak(tmp_path.resolve() / "store", days=2, seed=1, storm=200, say=lambda line: line)
    assert measured["nights"] >= 2
    assert measured["starts"] > 1
    assert measured["confinement"] == ("full" if landlock.version() >= landlock.TRUNCATE_ABI else "none")
