"""Running a command under strace: counting its system calls, and failing or killing it at one of them."""

from __future__ import annotations

import re
import shutil
import signal
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.proofs.case import Case, run, store_of

_CALL = re.compile(r"^(?P<pid>\d+) +(?P<name>[a-z]\w+)\(")
CHANGING = frozenset(
    "write pwrite64 ftruncate fallocate fsync fdatasync rename renameat renameat2 unlink unlinkat rmdir mkdir mkdirat "
    "link linkat symlink symlinkat fchmod fchmodat chmod fchown fchownat chown utimensat fsetxattr setxattr".split()
)


def missing() -> str:
    """Why strace cannot be used here; "" when it can."""
    if sys.platform != "linux":
        return "system calls are injected by strace, which is Linux only"
    if shutil.which("strace") is None:
        return "strace is not installed"
    with store_of(Case("probe", (), (), ())) as store:
        done = run(("strace", "-o", "/dev/null", "true"), store)
    return "" if done.returncode == 0 else "strace may not trace here"


@dataclass(frozen=True)
class Point:
    """The `number`-th call of `name` in the process, counted from 1. `changing`: it may change the store."""

    name: str
    number: int
    changing: bool = False


@cache
def points(case: Case) -> list[Point]:
    """Every system call that names a file of the store or works on one that is open, in order.

    The others (starting Python, memory, other programs' files) cannot change the store: dying at one of them leaves
    what dying at the next of these leaves.
    """
    with store_of(case) as store:
        log = store.parent / "trace"
        done = run(case.command, store, under=("strace", "-f", "-y", "-s", "256", "-o", str(log)))
        assert done.returncode == 0, done.stderr
        lines = log.read_text(errors="replace").splitlines()
    counts: Counter[tuple[str, str]] = Counter()  # strace counts for each thread by itself
    found: list[Point] = []
    for line in lines:
        call = _CALL.match(line)
        if call is None:
            continue
        name = call["name"]
        counts[call["pid"], name] += 1
        if name != "execve" and str(store) in line:
            changing = name in CHANGING or "O_CREAT" in line or "O_TRUNC" in line
            found.append(Point(name, counts[call["pid"], name], changing))
    return found


def deadly(case: Case) -> list[Point]:
    """The points from the first that may change the store on: before that it is as it was."""
    found = points(case)
    first = next((index for index, point in enumerate(found) if point.changing), len(found))
    return found[first:]


def killed_at(case: Case, point: Point, store: Path) -> bool:
    """Run the command and kill it on entering `point`; whether it died there."""
    inject = f"inject={point.name}:signal=SIGKILL:when={point.number}"
    done = run(case.command, store, under=_strace(point.name, inject))  # not with --seccomp-bpf: nobody dies
    return done.returncode == -signal.SIGKILL


def failed_at(case: Case, point: Point, error: str, store: Path) -> int:
    """Run the command with `point` failing as `error`; its exit code, 70 for a traceback."""
    inject = f"inject={point.name}:error={error}:when={point.number}"
    done = run(case.command, store, under=_strace(point.name, inject, "--seccomp-bpf"))
    return 70 if "Traceback" in done.stderr else done.returncode


def _strace(name: str, inject: str, *options: str) -> tuple[str, ...]:
    return (
        "strace",
        "-f",
        "-qq",
        *options,
        "-o",
        "/dev/null",
        "-e",
        f"trace={name}",
        "-e",
        "signal=none",
        "-e",
        inject,
    )
