"""Installing the daemon as a service: the steps that put its files there and take them away.

Nothing happens before `carry_out`; whoever calls it can print the steps first.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from gardener.daemon.units import Facts, Kind, installed_for, units
from gardener.errors import PartialError, UsageError


@dataclass(frozen=True, slots=True)
class Write:
    """Make this file with this text."""

    path: Path
    text: str


@dataclass(frozen=True, slots=True)
class Remove:
    """Delete this file."""

    path: Path


@dataclass(frozen=True, slots=True)
class Run:
    """Run this command; `may_fail` where what it undoes may be undone already."""

    command: tuple[str, ...]
    may_fail: bool = False


Step = Write | Remove | Run


def default_kind() -> Kind:
    """What suits one person on this system."""
    return "launchd" if sys.platform == "darwin" else "user"


def plan_install(kind: Kind, facts: Facts) -> tuple[Step, ...]:
    """The steps that make the service run. UsageError where another store's service is in the way."""
    found = units(kind, facts)
    for path in found:
        _refuse_anothers(path, facts)
    writes: tuple[Step, ...] = tuple(Write(path, text) for path, text in found.items())
    unit = _main(found).name
    match kind:
        case "user" | "timer":
            return (*writes, _systemctl("--user", "daemon-reload"), _systemctl("--user", "enable", "--now", unit))
        case "system":
            return (*writes, _systemctl("daemon-reload"), _systemctl("enable", "--now", unit))
        case "launchd":
            return (*writes, Run(("launchctl", "load", "-w", str(_main(found)))))
        case _:
            assert_never(kind)


def plan_uninstall(kind: Kind, facts: Facts) -> tuple[Step, ...]:
    """The steps that undo the installation; none where there is nothing. The store is left as it is."""
    found = units(kind, facts)
    present = [path for path in found if path.exists()]
    if not present:
        return ()
    for path in present:
        _refuse_anothers(path, facts)
    removals: tuple[Step, ...] = tuple(Remove(path) for path in present)
    unit = _main(found).name
    match kind:
        case "user" | "timer":
            off = _systemctl("--user", "disable", "--now", unit, may_fail=True)
            return (off, *removals, _systemctl("--user", "daemon-reload", may_fail=True))
        case "system":
            off = _systemctl("disable", "--now", unit, may_fail=True)
            return (off, *removals, _systemctl("daemon-reload", may_fail=True))
        case "launchd":
            return (Run(("launchctl", "unload", "-w", str(_main(found))), may_fail=True), *removals)
        case _:
            assert_never(kind)


def says(step: Step) -> str:
    """What a step will do, in one line."""
    match step:
        case Write(path):
            return f"write {path}"
        case Remove(path):
            return f"delete {path}"
        case Run(command):
            return f"run {' '.join(command)}"
        case _:
            assert_never(step)


def carry_out(steps: Iterable[Step], say: Callable[[str], None]) -> None:
    """Do the steps in order, each said before it is done. PartialError names the one that failed."""
    for step in steps:
        say(says(step))
        try:
            _do(step)
        except (OSError, subprocess.CalledProcessError) as error:
            raise PartialError(f"{says(step)}: {_reason(error)}; the steps before it are done") from None


def hint(kind: Kind) -> str:
    """What to know after an installation, in one line."""
    match kind:
        case "user" | "timer":
            return "it runs while you are logged in; loginctl enable-linger keeps it running afterwards"
        case "system":
            return "it runs from the next boot on, and now; systemctl status shows it"
        case "launchd":
            return "it runs while you are logged in; macOS cannot confine it as Linux does"
        case _:
            assert_never(kind)


def _main(found: dict[Path, str]) -> Path:
    """The file to enable: the timer where there is one."""
    return list(found)[-1]


def _refuse_anothers(path: Path, facts: Facts) -> None:
    if path.exists() and not installed_for(path.read_text("utf-8", "replace"), facts.store):
        raise UsageError(f"{path} was not installed by gardener for this store; move it away, or uninstall it first")


def _systemctl(*arguments: str, may_fail: bool = False) -> Run:
    return Run(("systemctl", *arguments), may_fail)


def _do(step: Step) -> None:
    match step:
        case Write(path, text):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        case Remove(path):
            path.unlink(missing_ok=True)
        case Run(command, may_fail):
            subprocess.run(command, check=not may_fail, stdin=subprocess.DEVNULL)
        case _:
            assert_never(step)


def _reason(error: OSError | subprocess.CalledProcessError) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return f"ended with {error.returncode}"
