"""The walls are in the gate and have been seen to fail: each is broken in a copy, by one seeded import."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]


def lint(folder: Path, contract: str = "") -> subprocess.CompletedProcess[str]:
    tool = Path(sys.executable).with_name("lint-imports")
    only = ["--contract", contract] if contract else []
    command = [str(tool), "--no-cache", *only]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(HERE / "gardener", tmp_path / "gardener", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(HERE / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_walls_stand(copy: Path) -> None:
    done = lint(copy)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("contract", "module", "line"),
    [
        ("layers", "text/stage.py", "import gardener.formats"),
        ("layers", "passes/links_new.py", "import gardener.proposals.inbox"),
        ("layers", "unheard_of.py", "x = 1"),
        ("propose-only", "tend/run.py", "import gardener.review.decide"),
        ("propose-only", "tend/run.py", "import gardener.storage.commit"),
        ("propose-only", "daemon/loop.py", "import gardener.review.decide"),
        ("propose-only", "report/__init__.py", "import gardener.review.decide"),
        ("propose-only", "config/__init__.py", "from gardener.storage.commit import commit"),
        ("commit", "judge/__init__.py", "from gardener.storage.commit import commit"),
        ("pure", "passes/staleness.py", "import os"),
        ("pure", "passes/staleness.py", "import subprocess"),
        ("pure", "text/links.py", "import time"),
        ("pure", "formats/plain.py", "import pathlib"),
        ("pure", "model/edit.py", "import random"),
        ("pure", "passes/staleness.py", "import gardener.storage.load"),
        ("passes", "passes/staleness.py", "import gardener.passes.identity"),
    ],
)
def test_each_wall_falls_on_a_seeded_fault(copy: Path, contract: str, module: str, line: str) -> None:
    place = copy / "gardener" / module
    before = place.read_text() if place.exists() else ""
    place.write_text(
        before.replace("from __future__ import annotations\n", f"from __future__ import annotations\n{line}\n")
        if before
        else line + "\n"
    )
    if before and line not in place.read_text():
        place.write_text(f"{before}\n{line}\n")
    done = lint(copy, contract)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "BROKEN" in done.stdout
