"""Retiring, qualifying and restoring one memory's text (DESIGN §3.2), exact to the byte."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import accumulate

from gardener.model.memory import Memory
from gardener.text.frontmatter import read, stamp
from gardener.text.keys import set_key
from gardener.text.links import code_spans

TOMBSTONE = re.compile(r"> (?:Superseded by .+ on|Archived \(.*\) on) \d{4}-\d\d-\d\d[ \t]*\r?\Z")
OWN_LINE = re.compile(r"^> (?:Superseded by|Archived \(|Qualified by) .*$", re.MULTILINE)
"""Lines gardener itself writes at the end of a body: no text of the memory's own."""
_NAMED = re.compile(r"> Superseded by (?P<label>.+?)(?: \((?P<id>[0-9A-Z]{26})\))? on ")
_MARK = re.compile(r"\[(?:superseded by [^\]]*|archived)\] ?")


def tombstone(memory: Memory) -> tuple[int, str, str] | None:
    """The line that ends a retired body: (0-based line, the successor's id or label or "", the whole line).

    Further up only one of the day of the retirement counts: others may merely be spoken of.
    """
    lines = memory.body.split("\n")
    at = _tombstone_at(lines, memory)
    if at is None:
        return None
    named = _NAMED.match(lines[at])
    return at, (named["id"] or named["label"]) if named else "", lines[at].removesuffix("\r")


def _tombstone_at(lines: list[str], memory: Memory) -> int | None:
    """The last one, with only lines of gardener's own below it; or of the memory's day, wherever text was added."""
    for at in range(len(lines) - 1, -1, -1):
        if TOMBSTONE.match(lines[at]):
            return at
        if lines[at].strip() and not OWN_LINE.match(lines[at]):
            break
    changed = f"{memory.updated:%Y-%m-%d}" if memory.updated else ""  # where only `forgotten` says that it is retired
    day = (memory.invalid_at[:10] or changed) if not memory.active else ""
    return _written_over(lines, day) if day and any(TOMBSTONE.match(line) and day in line for line in lines) else None


def _written_over(lines: list[str], day: str) -> int | None:
    """A tombstone of that day that text was added below: outside code, behind a blank line."""
    text = "\n".join(lines)
    code = code_spans(text)
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    for at in range(len(lines) - 1, -1, -1):
        alone = at == 0 or not lines[at - 1].strip() or OWN_LINE.match(lines[at - 1])
        if alone and day in lines[at] and TOMBSTONE.match(lines[at]) and not any(a <= starts[at] < b for a, b in code):
            return at
    return None


def supersede(text: str, old: Memory, new: Memory, now: datetime) -> str:
    """`old`'s text, retired in favour of `new`. Raises ValueError where the lifecycle forbids it."""
    if old.path == new.path:
        raise ValueError(f"{old.path} cannot supersede itself")
    if not old.active:
        raise ValueError(f"{old.path} is already inactive")
    if not new.active:
        raise ValueError(f"{new.path} is inactive and cannot supersede {old.path}")
    text = _retire(text, old, successor_value(old, new), f"[superseded by {new.name}]", now)
    return append(text, successor_line(old, new, now))


def archive(text: str, memory: Memory, reason: str, now: datetime) -> str:
    """`memory`'s text, retired for `reason` without a successor."""
    if not memory.active:
        raise ValueError(f"{memory.path} is already inactive")
    text = _retire(text, memory, None, "[archived]", now)
    return append(text, archived_line(reason, now))


def qualify(text: str, old: Memory, new: Memory, now: datetime) -> str:
    """`old`'s text with one line naming the memory that narrows it; both stay active."""
    if old.path == new.path or not old.active or not new.active:
        raise ValueError(f"{old.path} and {new.path} must be two active memories")
    return append(text, f"> Qualified by {new.name} ({_day(now)})")


def is_qualified(old: Memory, new: Memory) -> bool:
    """Whether `old` says already that `new` narrows it."""
    return f"> Qualified by {new.name} (" in old.body


def restore(text: str, memory: Memory, now: datetime) -> str:
    """`memory`'s text made active again where no record of its retiring remains."""
    if memory.active:
        raise ValueError(f"{memory.path} is active already")
    text = without_tombstone(text, memory)
    if memory.forgotten:
        text = set_key(text, "forgotten", False)
    for key in ("superseded_by", "invalid_at"):
        if memory.fields.get(key) is not None:
            text = set_key(text, key, None)
    if is_marked(memory):
        text = set_key(text, "description", _MARK.sub("", memory.description, count=1))
    return _touch(text, now)


def is_marked(memory: Memory) -> bool:
    """Whether the description says that the memory was retired."""
    return memory.conventions.marks_description and _MARK.match(memory.description) is not None


def successor_value(old: Memory, new: Memory) -> str:
    """What `superseded_by` holds: the ULID where the format has ids, else PROJECT/NAME."""
    return new.id if old.conventions.ids and new.id else new.label


def successor_line(old: Memory, new: Memory, when: datetime) -> str:
    """The line that ends `old`'s body, by which its reader sees where the knowledge went."""
    ulid = f" ({new.id})" if old.conventions.ids and new.id else ""
    return f"> Superseded by {new.label}{ulid} on {_day(when)}"


def archived_line(reason: str, when: datetime) -> str:
    """The line that ends a body without a successor."""
    return f"> Archived ({' '.join(reason.split())}) on {_day(when)}"


def append(text: str, line: str) -> str:
    """`text` with `line` at its end after one blank line; a missing final newline stays missing."""
    newline = _newline_at_end(text)
    line = line.replace("\r\n", "\n").replace("\n", newline)
    if not text.endswith("\n"):
        return f"{text}{newline}{newline}{line}" if text else line
    blank = "" if re.search(r"(?:\A|\n)[ \t]*\r?\n\Z", text) else newline
    return f"{text}{blank}{line}{newline}"


def without_tombstone(text: str, memory: Memory) -> str:
    """A retired memory's text without its tombstone and the blank line before it, where that divides nothing else."""
    lines = text.split("\n")
    at = _tombstone_at(lines, memory)
    if at is None:
        return text
    divides = at + 1 < len(lines) and lines[at + 1].strip()
    first = at - 1 if at and not lines[at - 1].strip() and not divides else at
    last_line = at == len(lines) - 1
    kept = lines[:first] + lines[at + 1 :]
    joined = "\n".join(kept)
    return joined.removesuffix("\r") if last_line else joined


def _retire(text: str, memory: Memory, successor: str | None, mark: str, now: datetime) -> str:
    text = set_key(text, "invalid_at", stamp(now))
    if successor is not None:
        text = set_key(text, "superseded_by", successor)
    if memory.conventions.marks_description and "description" in read(text).entries:
        text = set_key(text, "description", f"{mark} {memory.description}".rstrip())
    return _touch(text, now)


def _touch(text: str, now: datetime) -> str:
    known = read(text).entries
    key = next(
        (key for key in ("updated", "modified", "metadata.updated", "metadata.modified") if key in known), "updated"
    )
    return set_key(text, key, stamp(now))


def _newline_at_end(text: str) -> str:
    at = text.rfind("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def _day(now: datetime) -> str:
    return now.astimezone(UTC).strftime("%Y-%m-%d")
