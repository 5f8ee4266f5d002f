"""Installing the daemon as a service: units filled in from a store's facts, and the steps that put them there or away.

Nothing happens before `carry_out`; whoever calls it can print the steps first.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, assert_never
from xml.sax.saxutils import escape

from gardener.errors import PartialError, UsageError

Kind = Literal["user", "system", "timer", "launchd"]
# Only letters, digits and these stay as they are in a unit's name; see systemd-escape(1).
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_.")
_MARK = "# Installed by gardener for "
_PLIST_MARK = "<!-- Installed by gardener for "


@dataclass(frozen=True, slots=True)
class Facts:
    """All that is filled in. `program` are the folders the command needs; `home` is the user's own."""

    store: Path
    writable: tuple[Path, ...]
    command: tuple[str, ...]
    program: tuple[Path, ...]
    owner: str
    group: str
    nightly: str
    home: Path


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


def units(kind: Kind, facts: Facts) -> dict[Path, str]:
    """Where each file of the service goes, and its text."""
    names = {
        "user": {"gardener.service": "gardener.service"},
        "system": {f"gardener@{unit_escape(facts.store)}.service": "gardener@.service"},
        "timer": {name: name for name in ("gardener-tend.service", "gardener-tend.timer")},
        "launchd": {"memory-gardener.plist": "launchd/memory-gardener.plist"},
    }
    folder = _folder(kind, facts)
    return {folder / name: _filled(source, facts) for name, source in names[kind].items()}


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


def unit_escape(path: Path) -> str:
    """A path as part of a unit's name, as `systemd-escape --path` writes it."""
    text = str(path).strip("/")
    if not text:
        return "-"
    escaped = "".join(
        "-" if char == "/" else char if char in _PLAIN else "".join(f"\\x{byte:02x}" for byte in char.encode())
        for char in text
    )
    return f"\\x2e{escaped[1:]}" if escaped.startswith(".") else escaped


def templates() -> Path:
    """The folder of units: in the installed package, else beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    packaged = package / "_systemd"
    return packaged if packaged.is_dir() else package.parent / "systemd"


def program_folders() -> tuple[Path, ...]:
    """The folders that this Python, its environment and gardener itself are read from, those below /usr left out."""
    package = Path(__file__).resolve().parents[2]
    folders = dict.fromkeys(Path(text).resolve() for text in (sys.base_prefix, sys.prefix, str(package)))
    usr = Path("/usr")
    needed = [folder for folder in folders if folder != usr and usr not in folder.parents]
    return tuple(folder for folder in needed if not any(other in folder.parents for other in needed))


def this_command() -> tuple[str, ...]:
    """How to start gardener again from anywhere. `-P`: a folder called gardener where it starts is not run instead."""
    return (sys.executable, "-P", "-m", "gardener")


def _filled(source: str, facts: Facts) -> str:
    text = (templates() / source).read_text("utf-8")
    if source.endswith(".plist"):
        return _filled_plist(text, facts)
    values = {
        "@STORE@": _quoted(str(facts.store)),
        "@NAME@": str(facts.store).replace("%", "%%"),
        "@WRITABLE@": " ".join(_quoted(str(path)) for path in facts.writable),
        "@OPTIONAL@": " ".join(_quoted(f"-{path}") for path in facts.writable),
        "@PROGRAM@": " ".join(_quoted(str(path)) for path in facts.program),
        "@COMMAND@": " ".join(_quoted(part) for part in facts.command),
        "@OWNER@": facts.owner,
        "@GROUP@": facts.group,
        "@NIGHTLY@": facts.nightly,
    }
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    body = "\n".join(lines).strip("\n") + "\n"
    for name, value in values.items():
        body = body.replace(name, value)
    return f"{_MARK}{facts.store}\n\n{body}"


def _filled_plist(text: str, facts: Facts) -> str:
    arguments = (*facts.command, "--store", str(facts.store), "daemon")
    rows = "\n".join(f"    <string>{escape(part)}</string>" for part in arguments)
    log = facts.home / "Library" / "Logs" / "memory-gardener.log"
    filled = text.replace("@ARGUMENTS@", rows).replace("@LOG@", escape(str(log)))
    mark = f"{_PLIST_MARK}{escape(str(facts.store)).replace('--', '- -')} -->\n"
    head, _, rest = filled.partition("<!--")
    return head + mark + rest.partition("-->\n")[2]


def _quoted(text: str) -> str:
    """One word of a unit file: quoted where it must be, with the signs that systemd would expand doubled."""
    safe = text.replace("%", "%%").replace("$", "$$")
    if safe and all(char.isalnum() or char in "/_.-%$:@+,=" for char in safe):
        return safe
    return '"' + safe.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _folder(kind: Kind, facts: Facts) -> Path:
    match kind:
        case "user" | "timer":
            return facts.home / ".config" / "systemd" / "user"
        case "system":
            return Path("/etc/systemd/system")
        case "launchd":
            return facts.home / "Library" / "LaunchAgents"
        case _:
            assert_never(kind)


def _main(found: dict[Path, str]) -> Path:
    """The file to enable: the timer where there is one."""
    return list(found)[-1]


def _refuse_anothers(path: Path, facts: Facts) -> None:
    if not path.exists():
        return
    first = path.read_text("utf-8", "replace")
    if (
        f"{_MARK}{facts.store}\n" in first
        or f"{_PLIST_MARK}{escape(str(facts.store)).replace('--', '- -')} -->" in first
    ):
        return
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
