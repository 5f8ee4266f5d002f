"""The steps of installing and taking away: what each will do, doing them in order, and undoing them when one fails."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from gardener.daemon.status import withdraw
from gardener.errors import PartialError, UsageError


@dataclass(frozen=True, slots=True)
class Write:
    """Make this file with this text. `undone` are the commands that follow when the text of before is put back."""

    path: Path
    text: str
    undone: tuple[Run, ...] = ()


@dataclass(frozen=True, slots=True)
class Remove:
    """Delete this file."""

    path: Path


@dataclass(frozen=True, slots=True)
class Run:
    """Run this command; `may_fail` where what it undoes may be undone already. `undo` is the command that takes it
    back, if any."""

    command: tuple[str, ...]
    may_fail: bool = False
    undo: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Take back what the heartbeat in this file promises."""

    status: Path


Step = Write | Remove | Run | Withdraw


def says(step: Step) -> str:
    """What a step will do, in one line."""
    match step:
        case Write(path):
            return f"write {path}"
        case Remove(path):
            return f"delete {path}"
        case Run(command):
            return f"run {' '.join(command)}"
        case Withdraw(status):
            return f"take back what {status} promises"
        case _:
            assert_never(step)


def carry_out(steps: Iterable[Step], say: Callable[[str], None], advice: str = "") -> tuple[Run, ...]:
    """Do the steps in order, each said before it is done; the commands that may fail and did.

    When one fails, those done are undone, the newest first: UsageError names it and ends with `advice`, PartialError
    where something could not be undone.
    """
    undo: list[Step] = []
    missed: list[Run] = []
    for step in steps:
        say(says(step))
        # Of a command that failed, too: it may have done a part.
        undo += _reverse(step)
        try:
            _do(step)
        except (OSError, subprocess.CalledProcessError) as error:
            if isinstance(step, Run) and step.may_fail:
                missed.append(step)
                continue
            _undo(reversed(undo), say, f"{says(step)}: {_reason(error)}")
            raise UsageError(f"{says(step)}: {_reason(error)}; nothing was changed. {advice}".rstrip(". ")) from None
    return tuple(missed)


def _undo(steps: Iterable[Step], say: Callable[[str], None], why: str) -> None:
    for step in steps:
        say(f"undo: {says(step)}")
        try:
            _do(step)
        except (OSError, subprocess.CalledProcessError) as error:
            if not isinstance(step, Run):
                raise PartialError(f"{why}; to undo it, {says(step)} ({_reason(error)})") from None


def _reverse(step: Step) -> list[Step]:
    match step:
        case Write(path) | Remove(path) if not path.exists():
            return [Remove(path)]
        case Write(path, _, undone):
            return [*reversed(undone), Write(path, path.read_text("utf-8"))]  # the last is done first
        case Remove(path):
            return [Write(path, path.read_text("utf-8"))]
        case Run(_, _, undo):
            return [Run(undo, may_fail=True)] if undo else []
        case Withdraw():
            return []
        case _:
            assert_never(step)


def _do(step: Step) -> None:
    match step:
        case Write(path, text):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        case Remove(path):
            path.unlink(missing_ok=True)
        case Run(command):
            subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
        case Withdraw(status):
            withdraw(status)
        case _:
            assert_never(step)


def _reason(error: OSError | subprocess.CalledProcessError) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return f"ended with {error.returncode}"
