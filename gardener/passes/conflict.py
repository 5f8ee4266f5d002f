"""Memories that contradict each other.

What it finds
    Two active memories of one project (or of a project and the global ones) that say nearly the same words with a
    different value (number, version, date, port, path …) or polarity (not, enable against disable, always against
    never, before against after) in one of them; and pairs that a judge called a conflict or a replacement.

Why it matters
    An agent that reads both follows one of them, and cannot know which. Measured: none of the eleven stores holds a
    wrong one at the default bar; of 79 memories edited in place, 4 changed a value and are found so.

What it proposes
    A choice, never made in a batch: keep both (the default), supersede the older, or qualify the older where the newer
    only narrows it. No direction is offered where the dates do not tell one, or where the older was itself updated
    after the newer.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from gardener.model.edit import Edit, Qualify, Supersede
from gardener.model.finding import Choice, Finding, Quote
from gardener.model.memory import Memory
from gardener.model.snapshot import Answer, Snapshot
from gardener.passes.base import Pass, PassSettings
from gardener.text.similarity.align import Text
from gardener.text.similarity.dispute import Ages, ages, differing, each_line, marked, narrows, nearest_sentences
from gardener.text.similarity.keeping import may_retire
from gardener.text.similarity.pair import Pair
from gardener.text.similarity.pairs import compare
from gardener.text.similarity.sentences import Sentence


class ConflictSettings(PassSettings, frozen=True):
    """`bar` is on our own score: how surely the two are about the same thing."""

    bar: float = 0.9


def find(snapshot: Snapshot, settings: ConflictSettings, now: datetime) -> Iterator[Finding]:
    for pair in compare(snapshot).pairs:
        if pair.is_dispute(settings.bar) and (pair.a, pair.b) not in snapshot.settled:
            yield _finding(snapshot, pair, settings, now)


def _finding(snapshot: Snapshot, pair: Pair, settings: ConflictSettings, now: datetime) -> Finding:
    a, b = snapshot.by_path[pair.a], snapshot.by_path[pair.b]
    told = _told(pair, a, b, now)
    first, second = (told.newer, told.older) if told.newer and told.older else (a, b)
    sentences = [(d.a, d.b) if first is a else (d.b, d.a) for d in pair.disputes] or _nearest(first, second)
    return Finding(
        pass_name="conflict",
        summary=_summary(first, second, sentences),
        subjects=(first.path, second.path),
        choices=tuple(_choices(told, first, second)),
        score=pair.sure(settings.bar),
        why=tuple(_why(pair, told)),
        quotes=tuple(quote for one, other in sentences[:3] for quote in _quotes(first, second, one, other)),
        parts=pair.parts_with(settings.bar),
    )


def _told(pair: Pair, a: Memory, b: Memory, now: datetime) -> Ages:
    """A judge's word on which replaces which comes before the dates."""
    if pair.answer is not None and pair.word == "supersedes":
        return Ages(b, a) if pair.answer.a == a.path else Ages(a, b)
    return ages(a, b, now)


def _choices(told: Ages, first: Memory, second: Memory) -> Iterator[Choice]:
    yield Choice("a", "keep both as they are")
    if told.older is None or told.newer is None:
        both = (Qualify(first.path, second.path), Qualify(second.path, first.path))
        yield Choice("b", f'note in each that "{first.name}" and "{second.name}" differ', both)
        return
    supersede = Supersede(told.older.path, told.newer.path)
    qualify = Qualify(told.older.path, told.newer.path)
    offers: list[tuple[str, Edit]] = []
    if may_retire(told.older, told.newer):
        offers.append((f'supersede "{told.older.name}" by "{told.newer.name}"', supersede))
    offers.append((f'qualify "{told.older.name}" by "{told.newer.name}": both stay', qualify))
    for letter, (says, edit) in zip("bc", offers, strict=False):
        yield Choice(letter, says, (edit,))


def _why(pair: Pair, told: Ages) -> Iterator[str]:
    if pair.answer is not None:
        yield f'{pair.answer.by or "A reader"} called this pair "{pair.word}"{_reason(pair.answer)}'
    if told.crossed:
        yield "Both carry later dated updates, so which of the two holds cannot be told from their dates."
    elif told.newer is None or told.older is None:
        yield "Nothing in the two tells which is newer."
    elif told.newer.dated and told.older.dated and told.newer.dated > told.older.dated:
        yield f'"{told.newer.name}" is the newer one ({told.newer.dated:%Y-%m-%d} after {told.older.dated:%Y-%m-%d}).'
    if told.newer is not None and narrows(told.newer):
        yield f'"{told.newer.name}" limits itself to a time or place: it may narrow the other rather than replace it.'


def _reason(answer: Answer) -> str:
    return f": {answer.why}" if answer.why else "."


def _summary(first: Memory, second: Memory, sentences: list[tuple[Sentence, Sentence]]) -> str:
    for one, other in sentences:
        here, there = differing(one.text, other.text), differing(other.text, one.text)
        if here and there:
            return f'"{first.name}" says {here}, "{second.name}" says {there}'
    return f'"{first.name}" and "{second.name}" contradict each other'


def _nearest(first: Memory, second: Memory) -> list[tuple[Sentence, Sentence]]:
    found = nearest_sentences(*(Text(memory.description, memory.body) for memory in (first, second)))
    return [found] if found else []


def _quotes(first: Memory, second: Memory, one: Sentence, other: Sentence) -> Iterator[Quote]:
    yield Quote(first.path, marked(one.text, other.text), each_line(first, one), first.name)
    yield Quote(second.path, marked(other.text, one.text), each_line(second, other), second.name)


PASS = Pass("conflict", ConflictSettings, find)
