"""Which of two memories at odds is the older, what may be done about it, and why: by dates, texts or a judge."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from gardener.model.edit import Edit, Qualify, Supersede
from gardener.model.finding import Choice
from gardener.model.memory import Memory
from gardener.model.snapshot import Answer
from gardener.text.similarity.keeping import may_retire
from gardener.text.similarity.pair import Pair

_DATE = re.compile(r"\b(20\d{2}-[01]\d-[0-3]\d)\b")
_NARROW = re.compile(
    r"\b(?:only (?:for|in|on|while|until)|for (?:this|the current|now)|for the time being|temporar\w+|"
    r"until|not yet|so far|exception|except|unless|qualif\w+|"
    r"this (?:phase|sprint|week|release|project) only|current(?:ly)? only)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Ages:
    """Which memory came first. Neither when nothing tells, or when the older one was itself updated after the newer."""

    older: Memory | None
    newer: Memory | None
    crossed: bool = False


def ages(a: Memory, b: Memory, now: datetime) -> Ages:
    """By `created`, else by `updated`, else by the latest date their texts name."""
    for told in (_created, _dated, lambda memory: last_said(memory, now)):
        one, two = told(a), told(b)
        if one and two and one != two:
            older, newer = (a, b) if one < two else (b, a)
            return Ages(None, None, True) if _latest(older, now) > _latest(newer, now) else Ages(older, newer)
    return Ages(None, None)


def last_said(memory: Memory, now: datetime) -> datetime | None:
    """The latest date in description and body that is not ahead of now."""
    found = [
        date for text in _DATE.findall(f"{memory.description}\n{memory.body}") if (date := _day(text)) and date <= now
    ]
    return max(found, default=None)


def narrows(memory: Memory) -> bool:
    """Whether a memory limits itself to a phase, a place or a time: it dates the older one rather than replacing it."""
    return _NARROW.search(f"{memory.description}\n{memory.body[:1200]}") is not None


def told(pair: Pair, a: Memory, b: Memory, now: datetime) -> Ages:
    """A judge's word on which replaces which comes before the dates."""
    if pair.answer is not None and pair.word == "supersedes":
        return Ages(b, a) if pair.answer.a == a.path else Ages(a, b)
    return ages(a, b, now)


def choices(known: Ages, first: Memory, second: Memory) -> Iterator[Choice]:
    """Keep both; where a direction is known also supersede the older (if its kind may go) and qualify the older."""
    yield Choice("a", "keep both as they are")
    if known.older is None or known.newer is None:
        both = (Qualify(first.path, second.path), Qualify(second.path, first.path))
        yield Choice("b", f'note in each that "{first.name}" and "{second.name}" differ', both)
        return
    old, new = known.older, known.newer
    offers: list[tuple[str, Edit]] = []
    if may_retire(old, new):
        offers.append((f'supersede "{old.name}" by "{new.name}"', Supersede(old.path, new.path)))
    offers.append((f'qualify "{old.name}" by "{new.name}": both stay', Qualify(old.path, new.path)))
    for letter, (says, edit) in zip("bc", offers, strict=False):
        yield Choice(letter, says, (edit,))


def why_told(pair: Pair, known: Ages) -> Iterator[str]:
    """Who said what of the pair, which is newer, and whether the newer one only narrows the other."""
    if pair.answer is not None:
        yield f'{pair.answer.by or "A reader"} called this pair "{pair.word}"{_reason(pair.answer)}'
    if known.crossed:
        yield "Both carry later dated updates, so which of the two holds cannot be told from their dates."
    elif known.newer is None or known.older is None:
        yield "Nothing in the two tells which is newer."
    elif known.newer.dated and known.older.dated and known.newer.dated > known.older.dated:
        when = f"{known.newer.dated:%Y-%m-%d} after {known.older.dated:%Y-%m-%d}"
        yield f'"{known.newer.name}" is the newer one ({when}).'
    if known.newer is not None and known.older is not None and narrows(known.newer) and not narrows(known.older):
        yield f'"{known.newer.name}" limits itself to a time or place: it may narrow the other rather than replace it.'


def _created(memory: Memory) -> datetime | None:
    return memory.created


def _dated(memory: Memory) -> datetime | None:
    return memory.dated


def _latest(memory: Memory, now: datetime) -> datetime:
    known = (memory.created, memory.updated, last_said(memory, now))
    return max((date for date in known if date), default=datetime.min.replace(tzinfo=UTC))


def _day(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        return None


def _reason(answer: Answer) -> str:
    return f": {answer.why}" if answer.why else "."
