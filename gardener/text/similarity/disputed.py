"""Where two aligned texts make one claim with another value, polarity, order or word; where they swap a subject."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from gardener.text.similarity.align import Alignment, Meeting, Text
from gardener.text.similarity.claims import (
    REFERENCES,
    Diff,
    Difference,
    Slot,
    are_opposite,
    common,
    moved,
    rotations,
    value_class,
)
from gardener.text.similarity.sentences import Sentence
from gardener.text.similarity.words import is_content, stem, tokens

_DRESSING = {"value": 4, "polarity": 2, "scope": 0}
"""Loose words on one side of a slot beside which a difference of that kind still is about the same claim."""
_CHANGING = frozenset({"number", "date", "colour", "month", "weekday", "ordinal", "rhythm", "ident", "hash"})
_PAST = frozenset("was were did had".split())
_BEFORE = frozenset(stem(word) for word in "before formerly previously originally initially once earlier".split())
_PARTS = re.compile(r"[,;/]|\band\b|\bor\b")


@dataclass(frozen=True, slots=True)
class Dispute:
    """Two sentences that make the same claim otherwise. `at` are their places in a's and b's sentences."""

    a: Sentence
    b: Sentence
    kinds: frozenset[Difference]
    at: tuple[int, int]

    @property
    def refers(self) -> bool:
        """Whether nothing but references (paths, addresses, issue and commit ids) differ."""
        mine, theirs = Counter(self.a.tokens), Counter(self.b.tokens)
        values = {value_class(token) for token in ((mine - theirs) + (theirs - mine))} - {""}
        return self.kinds == {"value"} and values <= REFERENCES

    @property
    def decides(self) -> bool:
        """Whether the two cannot both hold, as far as words tell: not where a plain word or name stands for another."""
        return bool(self.kinds - {"word", "name"})


def meetings(found: Alignment) -> Iterator[tuple[int, int, Meeting]]:
    """Near sentences as (place in a, place in b, meeting), each pair of places once."""
    seen = set()
    for meeting in found.a.meetings:
        seen.add((meeting.a, meeting.b))
        yield meeting.a, meeting.b, meeting
    for meeting in found.b.meetings:
        if (meeting.b, meeting.a) not in seen:
            yield meeting.b, meeting.a, meeting


def disputes(a: Text, b: Text, found: Alignment) -> Iterator[Dispute]:
    """Every dispute of an alignment, in a's order of meeting."""
    for at, other, meeting in meetings(found):
        one, two = a.sentences[at], b.sentences[other]
        if one.code != two.code or one.heading or two.heading or one.key in b.keys or two.key in a.keys:
            continue
        if _is_past(one) != _is_past(two):
            continue
        kinds = _at_odds(one, two, meeting.diff)
        if kinds:
            yield Dispute(one, two, kinds, (at, other))


def _is_past(sentence: Sentence) -> bool:
    """Whether it tells how things were, which what holds now does not contradict."""
    told = not _BEFORE.isdisjoint(sentence.tokens) or sentence.tokens[:1] == ("until",)
    return told and not _PAST.isdisjoint(sentence.tokens)


def _at_odds(one: Sentence, two: Sentence, diff: Diff) -> frozenset[Difference]:
    """By what two near sentences disagree: nothing where too little is shared, or one merely says more."""
    deciding = diff.kinds & _DRESSING.keys()
    if deciding:
        least = 0.6 if max(one.weight, two.weight) > 4 else 0.5
        close = diff.shared >= least * max(one.weight, two.weight) and diff.shared >= 1
        if not close or diff.loose > max(_DRESSING[kind] for kind in deciding):
            return frozenset()
        return frozenset({"word"}) if diff.elsewhere else deciding
    if "order" in diff.kinds and Counter(one.tokens) == Counter(two.tokens):
        if _same_list(one, two) or moved(one.tokens, two.tokens):
            return frozenset()
        plain = len(set(one.tokens)) == len(one.tokens) and any(rotations(one.tokens, two.tokens))
        return frozenset({"word"}) if plain else frozenset({"order"})
    if not one.code and diff.shared >= 1.5 and _one_word(diff):
        return diff.kinds & {"name", "word"}
    return frozenset()


def _same_list(one: Sentence, two: Sentence) -> bool:
    """Whether only a list between the same words was put in another order."""
    before = common(one.tokens, two.tokens)
    after = common(one.tokens[::-1], two.tokens[::-1])
    return _parts(one, before, after) == _parts(two, before, after)


def _parts(sentence: Sentence, before: int, after: int) -> list[tuple[str, ...]]:
    """The parts between commas and conjunctions, without the first and last so many words, sorted."""
    parts = [list(tokens(part)) for part in _PARTS.split(sentence.folded)]
    return sorted(tuple(part) for part in [parts[0][before:], *parts[1:-1], parts[-1][: len(parts[-1]) - after]])


def _one_word(diff: Diff) -> bool:
    """A single word stands for a single other one, and it is not its short form."""
    left = [slot for slot in diff.slots if any(map(is_content, (*slot.a, *slot.b)))]
    if len(left) != 1:
        return False
    one, two = (list(filter(is_content, side)) for side in (left[0].a, left[0].b))
    if len(one) != 1 or len(two) != 1:
        return False
    short, long = sorted((one[0], two[0]), key=len)
    return not long.startswith(short[:4])


def renamed(a: Text, b: Text, found: Alignment) -> str:
    """Wherever the one has this word the other has that, in two places or more: one skeleton, two subjects.

    Numbers, dates and the like are left out: the same number changed in two places is a changed value.
    """
    swaps: Counter[tuple[str, str]] = Counter()
    for at, _, meeting in meetings(found):
        if not a.sentences[at].code:
            swaps.update(pair for slot in meeting.diff.slots if (pair := _swap(slot)))
    for (one, two), count in swaps.most_common(5):
        if count > 1 and _is_of(one, a, b) and _is_of(two, b, a):
            return f"where one says {one}, the other says {two}"
    return ""


def _is_of(word: str, one: Text, other: Text) -> bool:
    """Whether a word belongs to one of the texts: the other has it a quarter as often, or not at all."""
    return len(one.index[word]) >= 4 * len(other.index.get(word, ()))


def _swap(slot: Slot) -> tuple[str, str] | None:
    """The word that stands for another in a slot, the last of a few on each side."""
    if len(slot.a) > 4 or len(slot.b) > 4:
        return None
    one, two = ([t for t in side if is_content(t) and value_class(t) not in _CHANGING] for side in (slot.a, slot.b))
    return (one[-1], two[-1]) if one and two and not are_opposite(one[-1], two[-1]) else None
