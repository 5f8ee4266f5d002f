"""Words by which a memory says that something is over, corrected or replaced, and what it says so of."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gardener.model.memory import Link, Memory

OVER = re.compile(
    r"\b(?:supersed(?:e[sd]?|ing)|obsolete[sd]?|deprecated|outdated|no longer|replaces|replaced by|reversed|overrul\w+|"
    r"retracted|withdrawn|amend(?:s|ed)|not any ?more|stale|qualifies|overrides|revokes?d?)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w#./-])(?:#|ADR[- ]?|RFC[- ]?)?0{0,4}(\d{1,4})(?![\w./%]|\.\d)", re.IGNORECASE)
LEADING = re.compile(r"^0*(\d{1,4})[-_ ]")
LONGEST = 100_000
"""Characters of a body that are searched."""


def cue_lines(memory: Memory) -> dict[int, str]:
    """File lines (1-based) of the body that speak of something being over, and those beside them."""
    body = memory.body[:LONGEST]
    if not OVER.search(body):
        return {}
    lines = body.split("\n")
    near = {at + step for at, line in enumerate(lines) if OVER.search(line) for step in (-1, 0, 1)}
    return {memory.body_line + at: lines[at] for at in sorted(near) if 0 <= at < len(lines)}


def over_links(memory: Memory, lines: dict[int, str]) -> Iterator[Link]:
    """Links that stand beside such words."""
    yield from (link for link in memory.links if link.line in lines and not link.fenced)


def over_numbers(lines: dict[int, str]) -> frozenset[str]:
    """Numbers that stand beside such words: `ADR-0019`, `rule 104`."""
    return frozenset(number for line in lines.values() for number in _NUMBER.findall(line))
