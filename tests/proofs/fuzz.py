"""Inputs by the million: `python -m tests.proofs.fuzz [INPUTS]`, guided by coverage where atheris is installed.

Every check of `tests.proofs.inputs` starts from real files. An input that breaks one ends the run and is written to
`tests/proofs/found/`, whose files the suite tries again ever after.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

FOUND = Path(__file__).parent / "found"
SHARES = {"line": 0.45, "settings": 0.35, "proposal": 0.1, "memory": 0.05, "text": 0.04, "passes": 0.01}
"""Of the inputs, by what one costs: all passes over three files take a thousand times as long as one line."""


@dataclass
class Result:
    """How many inputs were tried, and what broke."""

    inputs: int = 0
    bad: list[str] = field(default_factory=list)


def missing() -> str:
    """Why there is no guided run here; empty when there is."""
    return "" if find_spec("atheris") else "atheris is not installed (pip install atheris)"


def prove(inputs: int = 1_000_000) -> Result:
    """Each check in a process of its own, for its share of the inputs."""
    result = Result()
    for name, share in SHARES.items():
        done, bad = _run(name, max(int(inputs * share), 1))
        result.inputs += done
        result.bad += bad
    return result


def _run(name: str, inputs: int) -> tuple[int, list[str]]:
    from tests.proofs.inputs import seeds

    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder)
        for number, data in enumerate(seeds(name)):
            (corpus / f"seed-{number}").write_bytes(data)
        FOUND.mkdir(exist_ok=True)
        command = [
            sys.executable,
            "-m",
            "tests.proofs.fuzz",
            "--one",
            name,
            f"-runs={inputs}",
            "-seed=1",
            "-timeout=20",
        ]
        command += ["-max_len=2000", "-rss_limit_mb=2048", f"-artifact_prefix={FOUND}/{name}-", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False, errors="replace")
    count = re.search(r"Done (\d+) runs", done.stderr)
    bad = [] if done.returncode == 0 else [f"{name}: {done.stdout[-2000:]}{done.stderr[-1500:]}"]
    return int(count.group(1)) if count else 0, bad


def _one(name: str, arguments: list[str]) -> None:
    """Within the child: never comes back."""
    import atheris

    with atheris.instrument_imports(include=["gardener"]):
        from tests.proofs.inputs import CHECKS
    check = CHECKS[name]

    def try_it(data: bytes) -> None:
        check(data)

    atheris.Setup([sys.argv[0], *arguments], try_it)
    atheris.Fuzz()


def main(inputs: int) -> int:
    if reason := missing():
        print(f"skipped: {reason}")
        return 0
    result = prove(inputs)
    print(f"{result.inputs} inputs, {len(result.bad)} bad")
    print("\n".join(result.bad))
    return 1 if result.bad else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        _one(sys.argv[2], sys.argv[3:])
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 1_000_000))
