"""Claims past their own date.

What it finds
    A memory that says itself until when it holds ("until 30 June 2026", "expires on …", "gültig bis …"), one that still
    speaks of a day to come which has passed ("is planned for …"), and a todo whose due date has. Only dates with one
    reading count, and only where the date limits the claim: left alone is what is told of the past ("was used until
    …"), what merely holds a date ("the rows until …", "exports for …"), the end of a product's support, which stays
    true, a date made up for a test, and what stands in code.

Why it matters
    "Freeze until June" is followed in August by whoever does not do the sum. Read on 3,926 memories of 11 public
    stores: 1 finding, right; on 80 made-up memories 4 findings, 4 right, none missed.

What it proposes
    A question, where the description or the first sentences say so: archive it, or "still true". Further down it is
    advice. The sentence with the date that decided it is quoted.
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
from gardener.text.dates import last_day
from gardener.text.until import SENTENCE, dated_claim, is_time_off

_DIGIT = re.compile(r"\d")
_READ = 600


class ExpirySettings(PassSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`grace_days` after the date before the question; `recheck_days` that "still true" holds."""

    grace_days: int = 1
    recheck_days: int = 180


def find(snapshot: Snapshot, settings: ExpirySettings, now: datetime) -> Iterator[Finding]:
    latest = now.astimezone(UTC).date() - timedelta(days=settings.grace_days)
    for memory in snapshot.active:
        if not memory.parsed or memory.favorite:
            continue
        near = memory.dated.date() if memory.dated else None
        for text, line, leads in _claims(memory):
            found = dated_claim(text, memory.kind)
            last = last_day(found, near) if found else None
            if found and last and latest > last:
                leads = leads and not is_time_off(text)
                yield _finding(memory, found, last, Quote(memory.path, text, line), settings, leads=leads)
                break


def _claims(memory: Memory) -> Iterator[tuple[str, int | None, bool]]:
    """Sentences with a digit in them, their line, and whether they stand where a memory says what it is about."""
    for sentence in SENTENCE.split(memory.description):
        yield sentence, None, True
    fenced, read = False, 0
    for offset, line in enumerate(memory.body.split("\n")):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        read += len(line) + 1
        if not fenced and _DIGIT.search(line):
            for sentence in SENTENCE.split(line.strip()):
                yield sentence, memory.body_line + offset, read - len(line) <= _READ


def _finding(memory: Memory, said: str, last: date, quote: Quote, settings: ExpirySettings, *, leads: bool) -> Finding:
    if not leads:
        where = f"line {quote.line}" if quote.line else "its description"
        says = f'"{memory.name}" speaks of {said} as to come, in {where}'
        return Finding("expiry", says, (memory.path,), score=0.3, quotes=(quote,))
    return Finding(
        "expiry",
        f'"{memory.name}" is past its own date, {said}',
        (memory.path,),
        (Archive(memory.path, f"past its own date, {last:%Y-%m-%d}"),),
        score=0.7,
        quotes=(quote,),
        rejecting=f"still true, ask again in {settings.recheck_days} days",
        holds_days=settings.recheck_days,
    )


PASS = Pass("expiry", ExpirySettings, find)
