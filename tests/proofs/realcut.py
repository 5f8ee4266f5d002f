"""A real power cut: `python -m tests.proofs.realcut [N]` (N cuts per file system, 40); as root, Linux.

The store lies on a loop-mounted image. The command is killed at a system call, the image is copied as it is, nothing
synced: what the file system had not sent to its disk is gone. The copy is mounted, recovered, and judged. At least
every fifth cut comes right after the command has reported success: then everything has to be there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.proofs import strace, victim
from tests.proofs.case import Case, run, scratch, verdict, write_tree
from tests.proofs.kill import spread

MAKE = {"ext4": (("mkfs.ext4", "-q", "-F"), 64), "xfs": (("mkfs.xfs", "-q", "-f"), 320)}
"""How to make the file system, and MiB that it wants at least."""
CHANGING = {"write", "fsync", "renameat2", "renameat", "rename", "unlinkat", "unlink", "mkdirat", "mkdir", "linkat"}


@dataclass
class Result:
    cuts: int = 0
    bad: list[str] = field(default_factory=list)


def missing(system: str) -> str:
    """Why there can be no real power cut here; "" when there can."""
    if reason := strace.missing():
        return reason
    if os.geteuid() != 0:
        return "mounting an image takes root"
    if shutil.which(MAKE[system][0][0]) is None:
        return f"{MAKE[system][0][0]} is not installed"
    try:
        with scratch() as folder, mounted(_image(system, folder), folder / "there"):
            return ""
    except subprocess.CalledProcessError as error:
        return f"an image of {system} cannot be mounted here: {(error.stderr or '').strip()}"


def prove(system: str, cases: list[Case], cuts: int) -> Result:
    """`cuts` power cuts in all, spread over the cases and over their calls that change something."""
    result = Result()
    share = cuts // len(cases) + (cuts % len(cases) > 0)
    for case in cases:
        at: list[strace.Point | None] = [point for point in strace.points(case) if point.name in CHANGING]
        ended = max(1, share // 5)
        chosen = [None] * ended + spread(at, share - ended)
        with scratch() as folder:
            image = _image(system, folder)
            with mounted(image, folder / "there") as there:
                write_tree(there / "store", dict(case.before))
            for point in chosen[: cuts - result.cuts]:
                result.bad += [f"{system}, {point}: {bad}" for bad in _cut(case, point, image, folder)]
                result.cuts += 1
    return result


def _cut(case: Case, point: strace.Point | None, image: Path, folder: Path) -> list[str]:
    running, copy = folder / "running.img", folder / "copy.img"
    _copy(image, running)
    with mounted(running, folder / "there") as there:
        store = there / "store"
        if point is None:
            done = run(case.command, store)
            assert done.returncode == 0, done.stderr
        else:
            assert strace.killed_at(case, point, store), f"{point} was never reached"
        _copy(running, copy)
    with mounted(copy, folder / "there") as there:
        store = there / "store"
        recovered = run(case.recover, store)
        bad = [f"recovery exits {recovered.returncode}: {recovered.stderr.strip()}"] if recovered.returncode else []
        return bad + verdict(case, store, must_be_done=point is None)


def _image(system: str, folder: Path) -> Path:
    command, size = MAKE[system]
    image = folder / "base.img"
    with image.open("wb") as file:
        file.truncate(size << 20)
    subprocess.run([*command, str(image)], check=True, capture_output=True, text=True)
    return image


@contextmanager
def mounted(image: Path, place: Path) -> Iterator[Path]:
    place.mkdir(exist_ok=True)
    subprocess.run(["mount", "-o", "loop", str(image), str(place)], check=True, capture_output=True, text=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True, capture_output=True, text=True)


def _copy(image: Path, copy: Path) -> None:
    subprocess.run(["cp", "--sparse=always", str(image), str(copy)], check=True)


def main(cuts: int, fault: str = "") -> int:
    bad: list[str] = []
    cases = [victim.case(name) for name in victim.ALONE]
    if fault:
        cases = [case.with_arguments(fault) for case in cases]
    for system in MAKE:
        if reason := missing(system):
            print(f"{system}: skipped: {reason}")
            continue
        result = prove(system, cases, cuts)
        bad += result.bad
        print(f"{system}: {result.cuts} power cuts, {len(result.bad)} bad", flush=True)
    print(*bad[:20], sep="\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 40, *sys.argv[2:]))
