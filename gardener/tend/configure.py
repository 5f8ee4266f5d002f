"""The settings of every pass, validated against the pass's own table."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from gardener.config import FILE, convert
from gardener.errors import SettingsError
from gardener.passes import discover
from gardener.passes.base import PassSettings


def configured(raw: Mapping[str, Mapping[str, Any]], path: str = FILE) -> dict[str, PassSettings]:
    """Each pass's settings by name. Raises SettingsError naming the key from the top of the file."""
    known = {one.name: one for one in discover()}
    for name in raw:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1, 0.5)
            hint = f"; did you mean passes.{near[0]}?" if near else f"; the passes are {', '.join(known)}"
            raise SettingsError(f"{path}: passes.{name} is not a pass{hint}")
    return {name: convert(raw.get(name, {}), one.settings, path, f"passes.{name}") for name, one in known.items()}
