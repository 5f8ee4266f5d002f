"""Says of two texts whether they are the same, one within the other, at odds, or merely alike. Rests on the texts alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gardener.text.similarity.align import Alignment, Meeting, Side, Text, align
from gardener.text.similarity.claims import Diff, Difference, Slot, value_class
from gardener.text.similarity.sentences import Sentence
from gardener.text.similarity.subject import Subject, differ_in_subject
from gardener.text.similarity.words import is_content

Verdict: TypeAlias = Literal["duplicate", "contained", "conflict", "variant", "related"]

ALIKE = 0.75
"""Below this share of the smaller text found in the other, nothing is claimed but that they are related."""
WHOLE = 0.85
"""From this share on, both ways, two texts say the same."""
SHORT = 40.0
"""Texts up to this weight (about three sentences) have to agree word for word: a single word can be the claim."""
_DRESSING = {"value": 4, "polarity": 2, "scope": 0}
"""Loose words on one side of a slot beside which a difference of that kind still is about the same claim."""
_DECIDING = frozenset(_DRESSING)


@dataclass(frozen=True, slots=True)
class Dispute:
    """Two sentences that make the same claim with another value or polarity."""

    a: Sentence
    b: Sentence
    kinds: frozenset[Difference]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a pair. `a_in_b` and `b_in_a` are the shares (0..1) of each text that the other holds;
    `proved` is the larger such share without sentences in which a word stands for another, and with those that
    others say too counting less.

    For `contained`, `smaller` is "a" or "b": the one that the other holds. `because` is why, in words.
    """

    verdict: Verdict
    a_in_b: float
    b_in_a: float
    proved: float
    disputes: tuple[Dispute, ...] = ()
    because: str = ""

    @property
    def smaller(self) -> str:
        return "a" if self.a_in_b >= self.b_in_a else "b"


def verify(
    a: Subject,
    b: Subject,
    rarity: Callable[[Sentence], float] | None = None,
    common: Set[str] = frozenset(),
    answered: bool = False,
) -> Judgement:
    """Aligns both texts and judges.

    `rarity` (0..1] discounts sentences that others say too, `common` are naming words that tell nothing apart.
    Where a judge has `answered`, disputes are looked for however little of the two texts agrees.
    """
    found = align(a.text, b.text)
    proved = max(_proved(a.text, found.a, rarity), _proved(b.text, found.b, rarity))
    verdict, disputes, because = _judge(a, b, found, common)
    if answered and not disputes and verdict != "duplicate":
        disputes = tuple(_disputes(a.text, b.text, found))
    return Judgement(verdict, found.a.cover, found.b.cover, proved, disputes, because)


def _judge(a: Subject, b: Subject, found: Alignment, common: Set[str]) -> tuple[Verdict, tuple[Dispute, ...], str]:
    if a.text.keys == b.text.keys and a.text.keys:
        return "duplicate", (), "every sentence of each is in the other"
    if max(found.a.cover, found.b.cover) < ALIKE:
        return "related", (), "too little of either is in the other"
    if subject := differ_in_subject(a, b, common):
        return "variant", (), subject
    if renamed := _renamed(a.text, b.text, found):
        return "variant", (), renamed
    if disputes := tuple(_disputes(a.text, b.text, found)):
        return "conflict", disputes, "the same claim with another value"
    if min(a.text.weight, b.text.weight) <= SHORT and not _word_for_word(a.text, b.text, found):
        return "related", (), "short texts that differ in what they say"
    if min(found.a.cover, found.b.cover) >= WHOLE:
        return "duplicate", (), "nearly every sentence of each is in the other"
    return "contained", (), "nearly every sentence of one is in the other"


def changed_claims(old: Text, new: Text) -> tuple[Dispute, ...]:
    """Sentences of an old version that the new one repeats with another value or polarity: a new claim in an old place."""
    return tuple(_disputes(old, new, align(old, new)))


def _proved(text: Text, side: Side, rarity: Callable[[Sentence], float] | None) -> float:
    weights = [one.weight * (rarity(one) if rarity else 1.0) for one in text.sentences]
    return sum(share * weight for share, weight in zip(side.proved, weights, strict=True)) / (sum(weights) or 1.0)


def _meetings(found: Alignment) -> Iterator[tuple[int, int, Meeting]]:
    """Near sentences as (place in a, place in b, meeting), each pair of places once."""
    seen = set()
    for meeting in found.a.meetings:
        seen.add((meeting.a, meeting.b))
        yield meeting.a, meeting.b, meeting
    for meeting in found.b.meetings:
        if (meeting.b, meeting.a) not in seen:
            yield meeting.b, meeting.a, meeting


def _disputes(a: Text, b: Text, found: Alignment) -> Iterator[Dispute]:
    """Sentences where nothing but values, polarity or scope differs (and a word or two of dressing)."""
    for at, other, meeting in _meetings(found):
        one, two = a.sentences[at], b.sentences[other]
        kinds = meeting.diff.kinds & _DECIDING
        if not kinds or one.code != two.code or one.key in b.keys or two.key in a.keys:
            continue
        most = max(_DRESSING[kind] for kind in kinds)
        close = meeting.diff.shared >= 0.6 * max(one.weight, two.weight) and meeting.diff.shared >= 1.5
        if close and meeting.diff.loose <= most:
            yield Dispute(one, two, kinds)


def _renamed(a: Text, b: Text, found: Alignment) -> str:
    """Wherever the one has this word the other has that, in two places or more: one skeleton, two subjects.

    Numbers, dates and the like are left out: the same number changed in two places is a changed value.
    """
    swaps: Counter[tuple[str, str]] = Counter()
    for at, _, meeting in _meetings(found):
        if not a.sentences[at].code:
            swaps.update(pair for slot in meeting.diff.slots if (pair := _swap(slot)))
    for (one, two), count in swaps.most_common(5):
        if count > 1 and one not in b.index and two not in a.index:
            return f"where one says {one}, the other says {two}"
    return ""


def _swap(slot: Slot) -> tuple[str, str] | None:
    """The word that stands for another in a slot, the last of a few on each side."""
    if len(slot.a) > 4 or len(slot.b) > 4:
        return None
    one, two = ([t for t in side if is_content(t) and value_class(t) not in _CHANGING] for side in (slot.a, slot.b))
    return (one[-1], two[-1]) if one and two else None


_CHANGING = frozenset({"number", "date", "colour", "month", "weekday", "ordinal", "rhythm", "ident", "hash"})


def _word_for_word(a: Text, b: Text, found: Alignment) -> bool:
    """Whether every sentence of the smaller text is one of the other's, but for words that only hold it together."""
    one, other, side = (a, b, found.a) if a.weight <= b.weight else (b, a, found.b)
    near = {meeting.a: meeting.diff for meeting in side.meetings}
    return all(
        sentence.tokens in other.where or sentence.key in other.keys or (at in near and _held_together(near[at]))
        for at, sentence in enumerate(one.sentences)
    )


def _held_together(diff: Diff) -> bool:
    return not diff.kinds and not any(is_content(token) for slot in diff.slots for token in (*slot.a, *slot.b))
