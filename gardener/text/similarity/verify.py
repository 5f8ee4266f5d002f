"""Says of two texts whether they are the same, one within the other, at odds, or merely alike; by the texts alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gardener.text.similarity.align import Alignment, Text, align
from gardener.text.similarity.claims import Diff, moved, says
from gardener.text.similarity.disputed import Dispute, disputes, renamed
from gardener.text.similarity.sentences import Sentence
from gardener.text.similarity.subject import Subject, differ_in_subject
from gardener.text.similarity.vocabulary import LIMITS
from gardener.text.similarity.words import tokens

Verdict: TypeAlias = Literal["duplicate", "contained", "conflict", "variant", "related"]

ALIKE = 0.75
"""Below this share of the smaller text found in the other, nothing is claimed but that they are related."""
WHOLE = 0.85
"""From this share on, both ways, two texts say the same."""
_CLAUSE = re.compile(r"[;:]")
SHORT = 40.0
"""Texts up to this weight (about three sentences) have to agree word for word: a single word can be the claim."""

LONG = 120.0
"""Weight of a text (some fifteen sentences) from which on a reworded sentence may be drift, not another claim."""
DRIFT = 0.15
"""Share of such a text that may be in sentences with a word put for another; they are shown as what would be lost."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a pair. `a_in_b` and `b_in_a` are the shares (0..1) of each text that the other holds;
    `proved` is the larger such share without sentences in which a word stands for another, and with those that
    others say too counting less. A disputed sentence counts as held: it is the same claim.

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
    Where a judge has `answered`, disputes are told however little of the two texts agrees.
    """
    if a.text.keys == b.text.keys and a.text.keys:
        return Judgement("duplicate", 1.0, 1.0, 1.0, because="every sentence of each is in the other")
    found = align(a.text, b.text)
    odds = tuple(disputes(a.text, b.text, found))
    places = [{one.at[side] for one in odds if one.decides} for side in (0, 1)]
    a_in_b, b_in_a = (
        _share(one.text, side.shares, met) for one, side, met in zip((a, b), (found.a, found.b), places, strict=True)
    )
    proved = max(
        _share(one.text, side.proved, met, rarity)
        for one, side, met in zip((a, b), (found.a, found.b), places, strict=True)
    )
    verdict, because = _judge(a, b, found, odds, (a_in_b, b_in_a), common)
    told = tuple(one for one in odds if one.decides) if verdict == "conflict" or answered else ()
    return Judgement(verdict, a_in_b, b_in_a, proved, told, because)


def changed_claims(old: Text, new: Text) -> tuple[Dispute, ...]:
    """Sentences of an old version that the new one repeats with another value or polarity: new claims."""
    return tuple(disputes(old, new, align(old, new)))


def _judge(
    a: Subject, b: Subject, found: Alignment, odds: tuple[Dispute, ...], shares: tuple[float, float], common: Set[str]
) -> tuple[Verdict, str]:
    if max(shares) < ALIKE:
        return "related", "too little of either is in the other"
    if subject := differ_in_subject(a, b, common):
        return "variant", subject
    if swapped := renamed(a.text, b.text, found):
        return "variant", swapped
    deciding = [one for one in odds if one.decides]
    if len(deciding) > 1 and all(one.refers for one in deciding):
        return "variant", "they refer to other things in several places"
    if deciding:
        return "conflict", "the same claim with another value"
    smaller = min(a.text.weight, b.text.weight)
    reworded = sum(one.a.weight for one in odds)
    if any("name" in one.kinds for one in odds) or (odds and (smaller < LONG or reworded > DRIFT * smaller)):
        return "related", "a word stands for another in otherwise equal sentences"
    if smaller <= SHORT and not (_word_for_word(a.text, b.text, found) or _same_body(a.text, b.text)):
        return "related", "short texts that differ in what they say"
    if min(shares) >= WHOLE:
        return "duplicate", "nearly every sentence of each is in the other"
    return "contained", "nearly every sentence of one is in the other"


def _share(
    text: Text, shares: tuple[float, ...], disputed: Set[int], rarity: Callable[[Sentence], float] | None = None
) -> float:
    """The weighted mean of the sentences' shares, disputed ones in full."""
    weights = [one.weight * (rarity(one) if rarity else 1.0) for one in text.sentences]
    held = sum(weight * (1.0 if at in disputed else shares[at]) for at, weight in enumerate(weights))
    return held / (sum(weights) or 1.0)


def _word_for_word(a: Text, b: Text, found: Alignment) -> bool:
    """Whether every sentence of the smaller text is one of the other's, but for words that only hold it together."""
    one, other, side = (a, b, found.a) if a.weight <= b.weight else (b, a, found.b)
    near = {meeting.a: meeting.diff for meeting in side.meetings}
    return all(
        not sentence.tokens
        or sentence.tokens in other.where
        or (at in near and _held_together(near[at]))
        or _stands_in(sentence, other)
        for at, sentence in enumerate(one.sentences)
    )


def _stands_in(sentence: Sentence, other: Text) -> bool:
    """Whether a sentence of the other has the same words with one phrase moved; a description, which sums up what the
    body says whole, may also go on there with a clause of its own."""
    mine = sentence.tokens
    return any(
        moved(mine, one.tokens)
        or (sentence.line < 0 and tokens(_CLAUSE.split(one.folded)[0]) == mine and LIMITS.isdisjoint(one.tokens))
        for one in other.sentences
        if not one.code
    )


def _same_body(a: Text, b: Text) -> bool:
    """Whether only the descriptions differ, each of them a way to sum up one and the same body."""
    one, other = ([sentence.key for sentence in text.sentences if sentence.line >= 0] for text in (a, b))
    return one == other and len(one) > 1


def _held_together(diff: Diff) -> bool:
    return not diff.kinds and not any(says(token) for slot in diff.slots for token in (*slot.a, *slot.b))
