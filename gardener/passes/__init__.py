"""All passes, found by looking into this folder: a module `NAME` holds `PASS = Pass("NAME", ...)`."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from gardener.passes.base import Pass

TABLE = (
    "dedup",
    "conflict",
    "stale_stage",
    "unknown_status",
    "staleness",
    "supersession",
    "correction",
    "identity",
    "links",
    "description",
    "placement",
    "refuted_echo",
    "index",
    "craft",
    "kind_shape",
    "importance",
    "associations",
    "expiry",
    "secrets",
    "hidden_text",
)
"""The order in which passes take turns for the cap; a pass that is not named comes last, by name."""


@cache
def discover() -> tuple[Pass, ...]:
    """Every pass in table order. Fails loudly when a module holds none or another module's name."""
    found = []
    for module in pkgutil.iter_modules(__path__):
        if module.name == "base" or module.name.startswith("_"):
            continue
        loaded = importlib.import_module(f"{__name__}.{module.name}")
        one = getattr(loaded, "PASS", None)
        if not isinstance(one, Pass) or one.name != module.name:
            raise RuntimeError(f"gardener/passes/{module.name}.py must define PASS = Pass({module.name!r}, ...)")
        found.append(one)
    return tuple(sorted(found, key=lambda p: (TABLE.index(p.name) if p.name in TABLE else len(TABLE), p.name)))


def docstring(name: str) -> str:
    """The pass's own explanation, as `explain` prints it."""
    return importlib.import_module(f"{__name__}.{name}").__doc__ or ""
