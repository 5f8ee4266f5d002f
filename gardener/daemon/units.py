"""The service's files, filled in from a store's facts: systemd units and a launchd agent. Nothing is written here."""

from __future__ import annotations

import grp
import pwd
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, assert_never
from xml.sax.saxutils import escape

from gardener.config.store import Store
from gardener.storage.journal import PRIVATE

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


def facts_of(store: Store, home: Path) -> Facts:
    """The facts of an open store, for this Python; the owner is who owns the store's folder."""
    top, status = Path(store.path), Path(store.path).stat()
    return Facts(
        store=top,
        writable=tuple(top / name for name in (store.layout.proposals, store.layout.reports, PRIVATE)),
        command=this_command(),
        program=program_folders(),
        owner=_name(status.st_uid, lambda number: pwd.getpwuid(number).pw_name),
        group=_name(status.st_gid, lambda number: grp.getgrgid(number).gr_name),
        nightly=store.settings.schedule.nightly,
        home=home,
    )


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


def installed_for(text: str, store: Path) -> bool:
    """Whether a file of a service is ours and for this store."""
    return f"{_MARK}{store}\n" in text or _plist_mark(store) in text


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
    head, _, rest = filled.partition("<!--")
    return f"{head}{_plist_mark(facts.store)}\n" + rest.partition("-->\n")[2]


def _plist_mark(store: Path) -> str:
    # A comment in XML holds no double hyphen.
    return f"{_PLIST_MARK}{escape(str(store)).replace('--', '- -')} -->"


def _name(number: int, look_up: Callable[[int], str]) -> str:
    try:
        return look_up(number)
    except KeyError:
        return str(number)


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
