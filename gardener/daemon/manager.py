"""What the service manager says of a store's service: asked, never told anything."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from gardener.daemon.service import systemctl, tended_by
from gardener.daemon.units import Kind, installed

_PATIENCE = 2.0


@dataclass(frozen=True, slots=True)
class Unit:
    """A service that is installed. `state`, `sub` and `result` are systemd's words, "" where no manager answers."""

    kind: Kind
    name: str
    state: str = ""
    sub: str = ""
    result: str = ""

    @property
    def fails(self) -> bool:
        """Whether the manager tries to start it in vain, or gave up."""
        return self.state == "failed" or self.sub == "auto-restart"

    @property
    def journal(self) -> str:
        """The command that shows what it wrote."""
        return f"journalctl {'' if self.kind == 'system' else '--user '}-u '{self.name}'"


def ask(store: Path, home: Path) -> Unit | None:
    """The installed service of a store and how it does; None where none is installed."""
    for kind in tended_by(store, home)[:1]:
        name = installed(kind, store, home)[0][-1].name
        return Unit(kind, name, *_shown(kind, name))
    return None


def answers(kind: Kind) -> bool:
    """Whether this kind's service manager can be talked to."""
    return bool(_shown(kind, "default.target")[0])


def _shown(kind: Kind, name: str) -> tuple[str, str, str]:
    if kind == "launchd":
        return "", "", ""
    command = systemctl(kind, "show", name, "--property=ActiveState,SubState,Result")
    try:
        told = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return "", "", ""
    said = dict(line.split("=", 1) for line in told.splitlines() if "=" in line)
    return said.get("ActiveState", ""), said.get("SubState", ""), said.get("Result", "")
