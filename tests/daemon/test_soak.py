"""A day of the simulated month, with everything in it; `python -m tests.proofs.soak` lives all thirty."""

from datetime import timedelta
from pathlib import Path

from gardener.daemon import landlock
from tests.proofs.soak import soak


def test_a_day_of_everything(tmp_path: Path) -> None:
    measured = soak(
        tmp_path.resolve() / "store", days=1, seed=1, storm=200, tick=timedelta(minutes=30), say=lambda line: line
    )
    assert measured["nights"] >= 2
    assert measured["starts"] > 1
    assert measured["confinement"] == ("full" if landlock.version() >= landlock.TRUNCATE_ABI else "none")
