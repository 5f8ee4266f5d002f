"""Says of two texts whether they are the same, one within the other, at odds, or merely alike. Rests on the texts alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gardener.text.similarity.align import Alignment, Meeting, Side, Text, align
from gardener.text.similarity.claims import Difference, named
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
    if renamed := _renamed(a.text, a.text.names | b.text.names, found):
        return "variant", (), renamed
    if disputes := tuple(_disputes(a.text, b.text, found)):
        return "conflict", disputes, "the same claim with another value"
    if min(a.text.weight, b.text.weight) <= SHORT and not _word_for_word(a.text, b.text, found):
        return "related", (), "short texts that differ in what they say"
    if min(found.a.cover, found.b.cover) >= WHOLE:
        return "duplicate", (), "nearly every sentence of each is in the other"
    return "contained", (), "nearly every sentence of one is in the other"


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


def _renamed(text: Text, names: frozenset[str], found: Alignment) -> str:
    """The same name put for another in two places or more: one skeleton, two subjects."""
    swaps: Counter[tuple[str, str]] = Counter()
    for at, _, meeting in _meetings(found):
        if "name" not in meeting.diff.kinds or text.sentences[at].code:
            continue
        for slot in meeting.diff.slots:
            one, two = (" ".join(filter(is_content, side)) for side in (slot.a, slot.b))
            if one and two and len(slot.a) <= 4 and len(slot.b) <= 4 and named(slot, names):
                swaps[(one, two)] += 1
    (pair, count), *_ = swaps.most_common(1) or [(("", ""), 0)]
    return f"{pair[0]} stands where the other has {pair[1]}" if count > 1 else ""


def _word_for_word(a: Text, b: Text, found: Alignment) -> bool:
    """Whether the smaller text's sentences all stand in the other, apart from words that claim nothing."""
    side = found.a if a.weight <= b.weight else found.b
    if side.literal >= 0.999:
        return True
    left = [meeting for meeting in side.meetings if meeting.share < 1.0]
    return side.cover >= 0.97 and not any(meeting.diff.kinds for meeting in left)
