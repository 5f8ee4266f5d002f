"""The service's files, filled in from a store's facts: systemd units and a launchd agent. Nothing is written here."""

from __future__ import annotations

import grp
import hashlib
import os
import pwd
import re
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
# The last of each is what is enabled; the others it starts.
_SOURCES: dict[Kind, tuple[str, ...]] = {
    "user": ("gardener.service",),
    "system": ("gardener@.service",),
    "timer": ("gardener-tend.service", "gardener-tend.timer"),
    "launchd": ("launchd/memory-gardener.plist",),
}
# systemd takes names of up to 255 signs.
_LONGEST_NAME = 200


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


def facts_of(store: Store, home: Path | None) -> Facts:
    """The facts of an open store, for this Python; the owner is who owns the store's folder, and `home` None is his."""
    top, status = Path(store.path), Path(store.path).stat()
    return Facts(
        store=top,
        writable=tuple(top / name for name in (store.layout.proposals, store.layout.reports, PRIVATE)),
        command=this_command(),
        program=program_folders(),
        owner=_name(status.st_uid, lambda number: pwd.getpwuid(number).pw_name),
        group=_name(status.st_gid, lambda number: grp.getgrgid(number).gr_name),
        nightly=store.settings.schedule.nightly,
        home=home or Path(_name(status.st_uid, lambda number: pwd.getpwuid(number).pw_dir)),
    )


def units(kind: Kind, facts: Facts) -> dict[Path, str]:
    """Where each file of the service goes, and its text; each store has files of its own."""
    names = zip(_names(kind, facts.store), _SOURCES[kind], strict=True)
    return {_folder(kind, facts.home) / name: _filled(source, facts) for name, source in names}


def installed(kind: Kind, store: Path, home: Path) -> tuple[tuple[Path, ...], ...]:
    """The files of this store's service that are there: those of today's name, then those of the one name for all
    stores that earlier versions used. The last file of each is the one that was enabled."""
    earlier = () if kind == "system" else tuple(Path(source).name for source in _SOURCES[kind])
    sets = [[_folder(kind, home) / name for name in names] for names in (_names(kind, store), earlier)]
    found = (tuple(path for path in paths if _is_ours(path, store)) for paths in sets)
    return tuple(paths for paths in found if paths)


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


def _is_ours(path: Path, store: Path) -> bool:
    try:
        return installed_for(path.read_text("utf-8", "replace"), store)
    except OSError:
        return False


def _names(kind: Kind, store: Path) -> tuple[str, ...]:
    """The names of the files in the order of `_SOURCES`, this store in each."""
    if kind == "launchd":
        return (f"{agent_label(store)}.plist",)
    escaped = unit_escape(store)
    part = escaped if len(escaped) <= _LONGEST_NAME else _digest(store)
    return tuple(f"{Path(source).stem.rstrip('@')}@{part}{Path(source).suffix}" for source in _SOURCES[kind])


def agent_label(store: Path) -> str:
    """What launchd calls the agent of a store."""
    return f"memory-gardener-{_digest(store)}"


def _digest(store: Path) -> str:
    return hashlib.sha256(os.fsencode(store)).hexdigest()[:10]


def _filled(source: str, facts: Facts) -> str:
    text = (templates() / source).read_text("utf-8")
    if source.endswith(".plist"):
        return _filled_plist(text, facts)
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    body = "\n".join(_filled_line(line, facts) for line in lines).strip("\n") + "\n"
    return f"{_MARK}{facts.store}\n\n{body}"


def _filled_line(line: str, facts: Facts) -> str:
    # In commands alone systemd puts variables in, where a doubled sign stands for one.
    dollar = "$$" if line.startswith("Exec") else "$"

    def quoted(*words: str) -> str:
        return " ".join(_quoted(word, dollar) for word in words)

    values = {
        "@STORE@": quoted(str(facts.store)),
        "@NAME@": str(facts.store).replace("%", "%%"),
        "@WRITABLE@": quoted(*map(str, facts.writable)),
        "@OPTIONAL@": quoted(*(f"-{path}" for path in facts.writable)),
        "@PROGRAM@": quoted(*map(str, facts.program)),
        "@COMMAND@": quoted(*facts.command),
        "@OWNER@": facts.owner,
        "@GROUP@": facts.group,
        "@NIGHTLY@": facts.nightly,
    }
    return re.sub("@[A-Z]+@", lambda found: values.get(found[0], found[0]), line)


def _filled_plist(text: str, facts: Facts) -> str:
    arguments = (*facts.command, "--store", str(facts.store), "daemon")
    rows = "\n".join(f"    <string>{escape(part)}</string>" for part in arguments)
    label = agent_label(facts.store)
    log = facts.home / "Library" / "Logs" / f"{label}.log"
    filled = text.replace("@LABEL@", label).replace("@ARGUMENTS@", rows).replace("@LOG@", escape(str(log)))
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


def _quoted(text: str, dollar: str) -> str:
    """One word of a unit file: quoted where it must be, with the signs that systemd would expand doubled."""
    safe = text.replace("%", "%%").replace("$", dollar)
    if safe and all(char.isalnum() or char in "/_.-%$:@+,=" for char in safe):
        return safe
    return '"' + safe.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _folder(kind: Kind, home: Path) -> Path:
    match kind:
        case "user" | "timer":
            return home / ".config" / "systemd" / "user"
        case "system":
            return Path("/etc/systemd/system")
        case "launchd":
            return home / "Library" / "LaunchAgents"
        case _:
            assert_never(kind)
