"""What changed between two versions of a file, as lines that can be put back. Pure."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TypeAlias

from gardener.errors import StaleError

Hunk: TypeAlias = tuple[int, tuple[str, ...], tuple[str, ...]]
"""First line (1-based, of the version before), the lines before, the lines after, endings included."""


def lines_of(data: bytes) -> list[str]:
    """The lines of a file with their endings; only line feeds end one."""
    text = data.decode("utf-8", "surrogateescape")
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def hunks(before: bytes, after: bytes) -> tuple[Hunk, ...]:
    """The changed runs, in order."""
    old, new = lines_of(before), lines_of(after)
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    a, b = old[head : len(old) - tail], new[head : len(new) - tail]
    found = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    return tuple((head + i1 + 1, tuple(a[i1:i2]), tuple(b[j1:j2])) for tag, i1, i2, j1, j2 in found if tag != "equal")


def undone(data: bytes, changed: tuple[Hunk, ...], path: str, *, data_moved: bool = False) -> bytes:
    """The file with the written lines taken back where they stand; what others wrote since stays.

    StaleError where a written line is not there any more, stands in more than one place or in another order, and,
    where `data_moved` (others wrote since), for lines that were taken out: nothing says where they belong now.
    """
    lines = lines_of(data)
    shift = end = 0
    places: list[tuple[int, Hunk]] = []
    for first, old, new in changed:
        expected = first - 1 + shift
        at = _find(lines, list(new), expected)
        if not new and data_moved:
            at = None
        if at is None or at < end:
            raise StaleError(f"{path}: the lines that were written have been changed since; put them back by hand")
        places.append((at, (first, old, new)))
        end = at + len(new)
        shift += len(new) - len(old)
    for at, (_, old, new) in reversed(places):
        lines[at : at + len(new)] = old
    return "".join(lines).encode("utf-8", "surrogateescape")


def _find(lines: list[str], wanted: list[str], expected: int) -> int | None:
    """Where `wanted` stands: at the expected place, else at the only other one."""
    if lines[expected : expected + len(wanted)] == wanted and expected <= len(lines):
        return expected
    if not wanted:
        return None
    found = [i for i in range(len(lines) - len(wanted) + 1) if lines[i : i + len(wanted)] == wanted]
    return found[0] if len(found) == 1 else None
