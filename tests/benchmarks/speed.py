"""How long Gardener takes beside what nobody could do without: reading every file and parsing its YAML in plain Python.

`python -m tests.benchmarks.speed [MEMORIES] [PROJECTS]` makes a store of 4 KB memories (100,000 in 200 projects unless
told otherwise), runs the real commands over it, and prints ratios of processor time within this one run.
"""

from __future__ import annotations

import os
import random
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import yaml

SIZE = 4_000
"""Bytes of one memory: 400 MB for 100,000."""
NIGHT = "2026-11-30T00:00:00Z"


def make(place: Path, memories: int, projects: int) -> None:
    """Texts of 20,000 made-up words as frequent as words are (Zipf); every hundredth is a stage that is done."""
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghijklmnoprstuvw", k=chance.randint(3, 9))) for _ in range(20_000)]
    often = [1 / (rank + 5) for rank in range(len(words))]
    for number in range(memories):
        folder = place / "memory" / f"project-{number % projects}"
        folder.mkdir(parents=True, exist_ok=True)
        drawn = chance.choices(words, often, k=SIZE // 7)
        said = iter(drawn)
        body = "\n\n".join(" ".join(line).capitalize() + "." for line in zip(*[said] * 14, strict=False))
        done = number % 100 == 0
        kind, opens, changed = ("stage", "Status: done\n\n", "02") if done else ("gotcha", "", "11")
        name = f"{drawn[0]}-{number}"
        (folder / f"{name}.md").write_text(
            f"---\nid: 01K{number:023d}\nkind: {kind}\nname: {name}\ndescription: {' '.join(drawn[:9])}\n"
            f"project: {folder.name}\ncreated: 2026-01-01T00:00:00Z\n"
            f"updated: 2026-{changed}-20T00:00:00Z\n---\n{opens}{body}\n"
        )
    (place / "gardener.toml").write_text("")
    for command in (["init", "-q"], ["add", "-A"], ["-c", "gc.auto=0", "commit", "-q", "-m", "start"]):
        subprocess.run(["git", "-c", "user.name=b", "-c", "user.email=b@example.com", *command], cwd=place, check=True)


def read_all(place: Path) -> None:
    for path in place.glob("memory/**/*.md"):
        text = path.read_text()
        yaml.safe_load(re.split(r"^---$", text, maxsplit=2, flags=re.MULTILINE)[1])


def gardener(place: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "gardener", "--store", str(place), "--now", NIGHT, *arguments]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False, env={**os.environ, "PYTHONPATH": str(Path.cwd())})


def measure(work: Callable[[], object]) -> tuple[float, int]:
    """Processor seconds of some work and its children, and the largest of these processes in MiB."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        work()
        both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        seconds = sum(used.ru_utime + used.ru_stime for used in both)
        os.write(theirs, f"{seconds} {max(used.ru_maxrss for used in both)}".encode())
        os._exit(0)
    os.close(theirs)
    os.waitpid(child, 0)
    seconds, peak = os.read(ours, 100).decode().split()
    os.close(ours)
    return float(seconds), int(peak) // 1024


def main() -> None:
    memories, projects = (int(word) for word in (*sys.argv[1:3], "100000", "200")[:2])
    with tempfile.TemporaryDirectory() as made:
        place = Path(made) / "store"
        make(place, memories, projects)
        print(f"{memories:,} memories of {SIZE / 1000:g} KB in {projects} projects\n")
        print(f"{'work':<44}{'CPU s':>8}{'ratio':>8}{'MiB':>8}")
        floor, _ = measure(lambda: read_all(place))
        status, _ = measure(lambda: subprocess.run(["git", "status", "--short"], cwd=place, capture_output=True))
        print(f"{'reading and YAML in plain Python':<44}{floor:>8.1f}{1:>8.2f}")
        print(f"{'git status':<44}{status:>8.2f}{status / floor:>8.2f}")
        for says, command in (("tend, cold", "tend"), ("tend, nothing changed", "tend"), ("list", ""), ("status", "")):
            seconds, peak = measure(lambda command=command or says: gardener(place, command))
            print(f"{says:<44}{seconds:>8.1f}{seconds / floor:>8.2f}{peak:>8}", flush=True)
            if says == "tend, nothing changed":
                print(f"{'the same, to git status':<44}{seconds:>8.1f}{seconds / status:>8.0f}{peak:>8}")


if __name__ == "__main__":
    main()
