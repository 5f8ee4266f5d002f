"""Words by which a memory says that something is over, corrected or replaced, and what it says so of."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from gardener.model.memory import Link, Memory

_STEMS = (
    *(b"supersed", b"obsolete", b"deprecated", b"outdated", b"longer", b"replace", b"reversed"),
    *(b"overrul", b"retracted", b"withdrawn", b"amend", b"stale", b"qualifies", b"overrides", b"revoke"),
)
_OVER = re.compile(
    rb"\b(?:supersed(?:e[sd]?|ing)|obsolete[sd]?|deprecated|outdated|no longer|replaces|replaced by|reversed|"
    rb"overrul\w+|retracted|withdrawn|amend(?:s|ed)|stale|qualifies|overrides|revoke[sd]?)\b"
)
_NUMBER = re.compile(r"(?<![\w#./-])(?:#|ADR[- ]?|RFC[- ]?)?0{0,4}(\d{1,4})(?![\w./%]|\.\d)", re.IGNORECASE)
LEADING = re.compile(r"^0*(\d{1,4})[-_ ]")
LONGEST = 100_000
"""Bytes of a body that are searched."""


def cue_lines(memory: Memory) -> dict[int, str]:
    """File lines (1-based) of the body that speak of something being over, and those beside them.

    Literal stems are looked for first: a pattern over every body would cost more than reading the store.
    """
    body = memory.data[memory.body_at : memory.body_at + LONGEST]
    low = body.lower()
    places = [place for stem in _STEMS for place in _all(low, stem) if _OVER.search(low, max(0, place - 4), place + 16)]
    if not places:
        return {}
    starts = [0, *(at + 1 for at in _all(body, b"\n"))]
    near = {bisect_right(starts, place) - 1 + step for place in places for step in (-1, 0, 1)}
    lines = body.split(b"\n")
    return {memory.body_line + at: lines[at].decode("utf-8", "replace") for at in sorted(near) if 0 <= at < len(lines)}


def _all(text: bytes, part: bytes) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def over_links(memory: Memory, lines: dict[int, str]) -> Iterator[Link]:
    """Links that stand beside such words."""
    yield from (link for link in memory.links if link.line in lines and not link.fenced)


def over_numbers(lines: dict[int, str]) -> frozenset[str]:
    """Numbers that stand beside such words: `ADR-0019`, `rule 104`."""
    return frozenset(number for line in lines.values() for number in _NUMBER.findall(line))
