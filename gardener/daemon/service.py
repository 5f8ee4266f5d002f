"""Installing the daemon as a service: which steps put its files there, which take them away, and what to know.

Nothing is done here; `steps.carry_out` does them, and whoever calls it can print them first.
"""

from __future__ import annotations

import glob
import shlex
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import assert_never

from gardener.daemon.start import status_path
from gardener.daemon.status import promises, read_status
from gardener.daemon.steps import Remove, Run, Step, Withdraw, Write
from gardener.daemon.units import Facts, Kind, installed, installed_for, this_command, units
from gardener.errors import UsageError

KINDS: tuple[Kind, ...] = ("user", "timer", "system", "launchd")


def default_kind() -> Kind:
    """What suits one person on this system."""
    return "launchd" if sys.platform == "darwin" else "user"


def tended_by(store: Path, home: Path) -> tuple[Kind, ...]:
    """The kinds of service that are installed for this store."""
    return tuple(kind for kind in KINDS if installed(kind, store, home))


def plan_install(kind: Kind, facts: Facts, root: bool) -> tuple[Step, ...]:
    """The steps that make this service run, in place of any other of the store. `root`: whether root does them.

    UsageError where it must be done by somebody else, or where a file of the user is in the way.
    """
    _refuse_others(kind, "install", facts, root)
    found = units(kind, facts)
    for path in found:
        _refuse_foreign(path, facts)
    put, on = _put(kind, found)
    beside = [one for one in KINDS if one != kind] if kind != "system" else []
    old = [(one, paths) for one in (kind, *beside) for paths in installed(one, facts.store, facts.home)]
    off = [step for one, paths in old if paths[-1] not in found for step in _off(one, paths)]
    # What is new is written first: where no manager answers, that is all there is to undo.
    return (*put, *off, *on, *(_reload(kind) if off else ()))


def plan_uninstall(kinds: Iterable[Kind], facts: Facts, root: bool) -> tuple[Step, ...]:
    """The steps that take these kinds away; none where there is nothing. The memories are left as they are."""
    steps: list[Step] = []
    gone = [kind for kind in kinds if installed(kind, facts.store, facts.home)]
    for kind in gone:
        _refuse_others(kind, "uninstall", facts, root)
        for paths in installed(kind, facts.store, facts.home):
            steps += _off(kind, paths)
        steps += _reload(kind, may_fail=True)
    status = status_path(facts.store)
    beat = read_status(status)
    if beat is not None and promises(beat) and set(tended_by(facts.store, facts.home)) <= set(gone):
        steps.append(Withdraw(status))
    return tuple(steps)


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


def advice(kind: Kind, facts: Facts) -> str:
    """What to do where no service manager answers, in one line."""
    by_hand = "or keep gardener daemon running yourself"
    match kind:
        case "user" | "timer":
            linger = f"sudo loginctl enable-linger {facts.owner}"
            system = as_root("install", facts)
            return f"Log in properly (not by su or sudo), or {linger} and log in anew, or {system}, {by_hand}"
        case "system":
            return f"Is systemd this machine's manager? If not, {by_hand.removeprefix('or ')}"
        case "launchd":
            return f"Log in at the screen, {by_hand}"
        case _:
            assert_never(kind)


def as_root(what: str, facts: Facts) -> str:
    """The command for the system service. In full: the path of sudo seldom holds gardener."""
    return shlex.join(["sudo", *this_command(), "--store", str(facts.store), "service", what, "--system"])


def _refuse_others(kind: Kind, what: str, facts: Facts, root: bool) -> None:
    """Stop where the steps are not for the one who asks: root for the system's service, its owner for a user's."""
    if kind == "system" and not root:
        raise UsageError(f"a system service is for root to {what}: {as_root(what, facts)}")
    there = set(tended_by(facts.store, facts.home)) - {kind} if what == "install" else set()
    if kind == "system" and there:
        raise UsageError(f"{facts.owner} has a service for this store; as {facts.owner}: gardener service uninstall")
    if "system" in there:
        raise UsageError(f"a system service tends this store; take it away first: {as_root('uninstall', facts)}")


def _refuse_foreign(path: Path, facts: Facts) -> None:
    if path.exists() and not installed_for(path.read_text("utf-8", "replace"), facts.store):
        raise UsageError(f"{path} was not installed by gardener for this store; move it away first")


def _put(kind: Kind, found: Mapping[Path, str]) -> tuple[tuple[Step, ...], tuple[Run, ...]]:
    """(the steps that put the files there, for what runs already too; those that turn it on)."""
    main = list(found)[-1]
    on = _on(kind, main)
    anew: tuple[Run, ...] = ()
    writes = [Write(path, text) for path, text in found.items()]
    if main.exists():
        # It was there before, so where this fails, nobody wants it off.
        on = tuple(replace(step, undo=()) for step in on)
        anew = _anew(kind, main)
        writes[0] = replace(writes[0], undone=(*_reload(kind), *anew, *on))
    return (*writes, *_reload(kind), *anew), on


def _anew(kind: Kind, main: Path) -> tuple[Run, ...]:
    """Where it runs, have it run by this text, these settings and this code; launchd forgets it, to be told anew."""
    if kind == "launchd":
        return (Run(("launchctl", "unload", str(main)), may_fail=True),)
    return (Run(systemctl(kind, "try-restart", main.name)),)


def _on(kind: Kind, main: Path) -> tuple[Run, ...]:
    if kind == "launchd":
        load, unload = (("launchctl", verb, "-w", str(main)) for verb in ("load", "unload"))
        return (Run(load, undo=unload),)
    return (Run(systemctl(kind, "enable", "--now", main.name), undo=systemctl(kind, "disable", "--now", main.name)),)


def _off(kind: Kind, paths: tuple[Path, ...]) -> tuple[Step, ...]:
    """Stop it, then remove its files; undone by the reverse of what turns it on."""
    (on,) = _on(kind, paths[-1])
    # Where no manager answers, what it would have removed is removed here: else it starts what is not there.
    links = sorted(paths[-1].parent.glob(f"*.wants/{glob.escape(paths[-1].name)}"))
    return (Run(on.undo, may_fail=True, undo=on.command), *(Remove(path) for path in (*links, *paths)))


def _reload(kind: Kind, may_fail: bool = False) -> tuple[Run, ...]:
    return () if kind == "launchd" else (Run(systemctl(kind, "daemon-reload"), may_fail),)


def systemctl(kind: Kind, *arguments: str) -> tuple[str, ...]:
    """The command that talks to this kind's manager."""
    return ("systemctl", *arguments) if kind == "system" else ("systemctl", "--user", *arguments)
