"""What a pass is: a name, its settings and a pure function from a snapshot to findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from gardener.model.finding import Finding
from gardener.model.snapshot import Snapshot


class PassSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every pass can be told under `[passes.NAME]`. `max_pending` bounds its open proposals."""

    enabled: bool = True
    max_pending: int = 20


@dataclass(frozen=True, slots=True)
class Pass:
    """One detector. `find(snapshot, settings, now)` reads no file, clock, random number or other pass."""

    name: str
    settings: type[PassSettings]
    find: Callable[[Snapshot, Any, datetime], Iterable[Finding]]
