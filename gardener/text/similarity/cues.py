"""Words by which a memory says that something is over, corrected or replaced, and where it says so."""

from __future__ import annotations

import re

from gardener.model.memory import Memory

_OVER = re.compile(
    r"\b(?:supersed(?:e[sd]?|ing)|obsolete[sd]?|deprecated|outdated|no longer|replaces|replaced by|reversed|overrul\w+|"
    r"retracted|withdrawn|amend(?:s|ed)|was removed|not any ?more|used to|previously|stale|qualifies)\b",
    re.IGNORECASE,
)
EARLY = 1500
"""Bytes of the body that count as its beginning."""


def invalidates(memory: Memory) -> bool:
    """Whether a memory speaks of something being over, in its description or early in its body."""
    head = memory.data[memory.body_at : memory.body_at + EARLY].decode("utf-8", "replace")
    return _OVER.search(f"{memory.description}\n{head}") is not None
