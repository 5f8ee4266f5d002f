"""The stage header: `Status:` and `Gate:` within the first twelve lines of a body (DESIGN §3.3)."""

from __future__ import annotations

import re

from gardener.model.memory import Stage

HEADER_LINES = 12
LIVE = ("open", "in_progress", "blocked")
KNOWN = frozenset({*LIVE, "done"})

_CHECKBOX = re.compile(r"\[[ xX]?\]")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_NUMBER = re.compile(r"^\s*(?:>\s*)*\d+[.)]\s+")


def read_stage(body: str, first_line: int = 1) -> Stage:
    """The header of a body whose first line is file line `first_line`; the first Status wins."""
    status, gate = None, ""
    for offset, line in enumerate(body.split("\n", HEADER_LINES)[:HEADER_LINES]):
        pair = header_pair(line)
        if pair is None:
            continue
        key, value = pair
        if key == "status" and status is None:
            word = normalise(value)
            status = Stage(word if word in KNOWN else "unknown", value.strip(" \t\r*_`~"), first_line + offset)
        elif key == "gate" and not gate and normalise(value) in {"human", "ai"}:
            gate = normalise(value)
    found = status or Stage("unknown")
    return Stage(found.status, found.raw, found.line, gate)


def header_end(body: str) -> int:
    """How many lines of a body end with its last line of a header, 0 where it has none."""
    lines = body.split("\n", HEADER_LINES)[:HEADER_LINES]
    told = [number for number, line in enumerate(lines, 1) if (header_pair(line) or ("",))[0] in {"status", "gate"}]
    return max(told, default=0)


def normalise(value: str) -> str:
    """A status as §3.3 compares it: without decoration, folded, `-` and spaces as `_`."""
    return re.sub(r"[-\s]+", "_", _bare(value)).casefold()


def header_pair(line: str) -> tuple[str, str] | None:
    stripped = line.strip().lstrip("> ")
    if stripped.startswith("|"):
        cells = [cell for cell in stripped.strip("|").split("|") if cell.strip()]
        return (_bare(cells[0]).casefold(), cells[1]) if len(cells) == 2 else None
    key, colon, value = _NUMBER.sub("", line).partition(":")
    return (_bare(key).casefold(), value) if colon else None


def _bare(text: str) -> str:
    return _EDGES.sub("", _CHECKBOX.sub(" ", text))
