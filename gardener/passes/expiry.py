"""Claims past their own date.

What it finds
    A memory that says itself until when it holds ("until 2026-06-30", "expires on …", "valid for Q3 2025"), and a todo
    whose due date has passed. Only dates with a year count, and only in the description or the first sentences.

Why it matters
    "Freeze until June" is followed in August by whoever does not do the sum.

What it proposes
    A question: archive it, or "still true". The sentence with the date that decided it is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from gardener.model.edit import Archive
from gardener.model.finding import Finding, Quote
from gardener.model.memory import Memory
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings

_DATE = r"(\d{4}-\d\d-\d\d|\d{4}-Q[1-4]|Q[1-4][ /-]?\d{4})"
_UNTIL = re.compile(
    r"\b(?:(?:valid|in force|holds?|applies|frozen|freeze|embargo\w*|temporar\w+|only)\b[^.\n]{0,40}?"
    r"\b(?:until|till|through|for)|expires?(?: on| at| in)?|expiry(?: date)?:?|valid (?:until|through|for)"
    rf"|good (?:until|through)|ends? on|sunset(?:s on| on)?|deadline(?: is)?:?)\s+\**{_DATE}",
    re.IGNORECASE,
)
_DUE = re.compile(rf"\b(?:due|by|before|deadline|until)(?: on| is)?:?\s+\**{_DATE}", re.IGNORECASE)
_READ = 600


class ExpirySettings(PassSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`grace_days` after the date before the question; `recheck_days` that "still true" holds."""

    grace_days: int = 1
    recheck_days: int = 180


def find(snapshot: Snapshot, settings: ExpirySettings, now: datetime) -> Iterator[Finding]:
    today = now.astimezone(UTC).date()
    for memory in snapshot.active:
        if not memory.parsed or memory.favorite or memory.kind in {"event", "stage", "observation"}:
            continue
        pattern = _DUE if memory.kind == "todo" else _UNTIL
        for text, line in _claims(memory):
            found = pattern.search(text)
            if found and (last := _last_day(found.group(1))) and today > last + timedelta(days=settings.grace_days):
                yield _finding(memory, found.group(1), last, text, line, settings)
                break


def _claims(memory: Memory) -> Iterator[tuple[str, int | None]]:
    yield memory.description, None
    for offset, line in enumerate(memory.body[:_READ].split("\n")):
        yield line.strip(), memory.body_line + offset


def _last_day(said: str) -> date | None:
    quarter = re.fullmatch(r"(?:(\d{4})-)?Q([1-4])(?:[ /-]?(\d{4}))?", said, re.IGNORECASE)
    try:
        if quarter is None:
            return date.fromisoformat(said)
        year, number = int(quarter.group(1) or quarter.group(3)), int(quarter.group(2))
        return date(year + number // 4, number * 3 % 12 + 1, 1) - timedelta(days=1)
    except (ValueError, TypeError):
        return None


def _finding(memory: Memory, said: str, last: date, text: str, line: int | None, settings: ExpirySettings) -> Finding:
    return Finding(
        "expiry",
        f'"{memory.name}" is past its own date, {said}',
        (memory.path,),
        (Archive(memory.path, f"past its own date, {last:%Y-%m-%d}"),),
        score=0.7,
        quotes=(Quote(memory.path, text, line, "description" if line is None else ""),),
        rejecting=f"still true, ask again in {settings.recheck_days} days",
        holds_days=settings.recheck_days,
    )


PASS = Pass("expiry", ExpirySettings, find)
