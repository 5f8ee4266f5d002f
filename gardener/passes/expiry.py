"""Claims past their own date.

What it finds
    A memory that says itself until when it holds ("until 30 June 2026", "expires on …", "valid for Q3"), one that still
    speaks of a day to come which has passed ("is planned for …"), and a todo whose due date has. Only dates with one
    reading count, and only where the date limits the claim: left alone is what is told of the past ("was used until
    …"), what merely holds a date ("the rows until …", "exports for …"), the end of a product's support, which stays
    true, and what stands in code.

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
from gardener.text.dates import DATE, last_day

_DAY = rf"[ \t]*[:=]?[ \t*_`~]*(?:about |at least |around )?({DATE})"
_CLOSED = (
    r"(?=[*_`~]*(?:[.,;!?)\]]|\s*$|\s+(?:in|at|for|by|with|because|when|while|if|unless|so|but|alone|only|and then)\b"
)
_END = rf"{_CLOSED}|\s+and\b))"
_LIMIT = rf"{_CLOSED}))"
"""Behind a date that ends its claim: one before a noun or a verb says which things are meant, not until when."""
_EXPLICIT = (
    r"\b(?:expires?|expir(?:y|ation)(?: date)?|deadline)\b(?: is)?"
    rf"(?:[^.\n]{{0,40}}?\b(?:on|at|by|in|until|for)\b)?{_DAY}{_END}"
    rf"|\b(?:valid|good|in force|holds?|applies)(?: only)? (?:until|till|through|for)\b{_DAY}{_END}"
    rf"|\b(?:frozen|freeze|embargo\w*)\b[^.\n]{{0,40}}?\b(?:until|till|through|for)\b{_DAY}{_END}"
)
_UNTIL = (
    r"(?:\b(?:no|not|never|only|do|don't|use|keep|wait|avoid|skip|leave|stays?|works?|remains?|is|are|must|may|can"
    r"|temporar\w+)\b|[*_:])[^.\n]*"
    rf"(?<!\brows )(?<!\brecords )(?<!\bentries )(?<!\bdata )\b(?:until|till)\b{_DAY}{_LIMIT}|^\W*until\b{_DAY}"
)
_PLANNED = (
    rf"\b(?:is|are|be) (?:scheduled|planned|slated|due|set)\b[^.\n]{{0,60}}?\b(?:for|on|by|in|until)\b{_DAY}{_END}"
    r"|\b(?:takes? place|upcoming|will (?:be|end|stop|close|move|go|change|start|begin|launch|open|switch|become))\b"
    rf"[^.\n]{{0,60}}?\b(?:on|by|in|until)\b{_DAY}{_END}"
)
_DUE = rf"\b(?:due|by|before|deadline|until|till)\b(?: on| is)?{_DAY}"
_PATTERNS = {
    name: tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
    for name, patterns in {
        "todo": (_DUE, _EXPLICIT),
        "event": (_PLANNED,),
        "observation": (_PLANNED,),
        "stage": (),
        "": (_EXPLICIT, _UNTIL, _PLANNED),
    }.items()
}
_DIGIT = re.compile(r"\d")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_TOLD = re.compile(
    r"\b(?:was|were|had|did|been|used to|ran|held|kept|went|took|wrote|broke|came|got|made|said|lost|found|stood)\b"
    r"|\b(?P<before>\w+) (?P<verb>\w+[^\We]ed)\b",
    re.IGNORECASE,
)
_PASSIVE = frozenset("is are be being stay stays remain remains not a an the all any our this that and or".split())
_LASTING = re.compile(r"\b(?:end[ -]of[ -]life|eol|lts|sunset\w*|support\w*|maintain\w*)\b", re.IGNORECASE)
"""What is told of a product's life stays true, and matters more, when the day has passed."""
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
        patterns = _PATTERNS.get(memory.kind, _PATTERNS[""])
        near = memory.dated.date() if memory.dated else None
        for text, line, leads in _claims(memory):
            found = _found(text, patterns)
            last = last_day(found, near) if found else None
            if found and last and latest > last:
                yield _finding(memory, found, last, Quote(memory.path, text, line), settings, leads=leads)
                break


def _claims(memory: Memory) -> Iterator[tuple[str, int | None, bool]]:
    """Sentences with a digit in them, their line, and whether they stand where a memory says what it is about."""
    for sentence in _SENTENCE.split(memory.description):
        yield sentence, None, True
    fenced, read = False, 0
    for offset, line in enumerate(memory.body.split("\n")):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        read += len(line) + 1
        if not fenced and _DIGIT.search(line):
            for sentence in _SENTENCE.split(line.strip()):
                yield sentence, memory.body_line + offset, read - len(line) <= _READ


def _found(sentence: str, patterns: tuple[re.Pattern[str], ...]) -> str:
    """The date of a claim that still stands, "" where the sentence makes none or tells of the past."""
    for pattern in patterns:
        found = pattern.search(sentence)
        if found and not _is_told(sentence) and not _LASTING.search(sentence):
            return str(next(filter(None, found.groups())))
    return ""


def _is_told(sentence: str) -> bool:
    return any(not told["verb"] or told["before"].casefold() not in _PASSIVE for told in _TOLD.finditer(sentence))


def _finding(memory: Memory, said: str, last: date, quote: Quote, settings: ExpirySettings, *, leads: bool) -> Finding:
    if not leads:
        says = f'"{memory.name}" speaks of {said} as to come, in line {quote.line}'
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
