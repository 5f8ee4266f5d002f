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

from gardener.model.finding import Finding, Quote
from gardener.model.memory import Memory
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings
from gardener.text.similarity.ages import choices, told, why_told
from gardener.text.similarity.align import Text
from gardener.text.similarity.dispute import differing, each_line, marked, nearest_sentences
from gardener.text.similarity.pair import Pair
from gardener.text.similarity.pairs import compare
from gardener.text.similarity.sentences import Sentence


class ConflictSettings(PassSettings, frozen=True):
    """`bar` is on our own score: how surely the two are about the same thing."""

    bar: float = 0.9


def find(snapshot: Snapshot, settings: ConflictSettings, now: datetime) -> Iterator[Finding]:
    for pair in compare(snapshot).pairs:
        refuted = [snapshot.by_path[path].kind == "refuted" for path in (pair.a, pair.b)]
        if pair.is_dispute(settings.bar) and (pair.a, pair.b) not in snapshot.settled and len(set(refuted)) == 1:
            yield _finding(snapshot, pair, settings, now)


def _finding(snapshot: Snapshot, pair: Pair, settings: ConflictSettings, now: datetime) -> Finding:
    a, b = snapshot.by_path[pair.a], snapshot.by_path[pair.b]
    known = told(pair, a, b, now)
    first, second = (known.newer, known.older) if known.newer and known.older else (a, b)
    once = {(one.a.key, one.b.key): one for one in pair.disputes}.values()  # a description says what its body says
    sentences = [(one.a, one.b) if first is a else (one.b, one.a) for one in once] or _nearest(first, second)
    return Finding(
        pass_name="conflict",
        summary=_summary(first, second, sentences),
        subjects=(first.path, second.path),
        choices=tuple(choices(known, first, second)),
        score=pair.sure(settings.bar),
        why=tuple(why_told(pair, known)),
        quotes=tuple(quote for one, other in sentences[:3] for quote in _quotes(first, second, one, other)),
        parts=pair.parts_with(settings.bar),
    )


def _summary(first: Memory, second: Memory, sentences: list[tuple[Sentence, Sentence]]) -> str:
    for one, other in sentences:
        here, there = differing(one.text, other.text), differing(other.text, one.text)
        if here and there:
            return f'"{first.name}" says {here}, "{second.name}" says {there}'
        if here or there:
            says, lacks = (first, second) if here else (second, first)
            return f'"{says.name}" says {here or there}, "{lacks.name}" does not'
    return f'"{first.name}" and "{second.name}" contradict each other'


def _nearest(first: Memory, second: Memory) -> list[tuple[Sentence, Sentence]]:
    found = nearest_sentences(*(Text(memory.description, memory.body) for memory in (first, second)))
    return [found] if found else []


def _quotes(first: Memory, second: Memory, one: Sentence, other: Sentence) -> Iterator[Quote]:
    yield Quote(first.path, marked(one.text, other.text), each_line(first, one), first.name)
    yield Quote(second.path, marked(other.text, one.text), each_line(second, other), second.name)


PASS = Pass("conflict", ConflictSettings, find)
