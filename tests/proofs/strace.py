"""Running a command under strace: counting its system calls, and failing or killing it at one of them."""

from __future__ import annotations

import re
import shutil
import signal
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.proofs.case import Case, run, store_of

_CALL = re.compile(r"^(?:\d+ +)?(?P<name>[a-z]\w+)\(")
UNCOUNTED = {"exit_group", "exit", "rt_sigreturn", "execve", "wait4", "futex", "restart_syscall"}
MEMORY = {"mmap", "munmap", "mprotect", "brk", "mremap", "madvise"}


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
    """The `number`-th call of `name` in the whole process, counted from 1."""

    name: str
    number: int


def points(case: Case) -> list[Point]:
    """Every system call from the first that names the store on, in order."""
    with store_of(case) as store:
        log = store.parent / "trace"
        done = run(case.command, store, under=("strace", "-f", "-o", str(log)))
        assert done.returncode == 0, done.stderr
        lines = log.read_text(errors="replace").splitlines()
    counts: Counter[str] = Counter()
    found: list[Point] = []
    inside = False
    for line in lines:
        call = _CALL.match(line)
        if call is None:
            continue
        name = call["name"]
        counts[name] += 1
        inside = inside or (name != "execve" and f'"{store}"' in line)
        if inside and name not in UNCOUNTED:
            found.append(Point(name, counts[name]))
    return found


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
