"""Two compared memories and the comparison of a whole store, as values: what is proven, disputed or undecided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from gardener.model.snapshot import Answer
from gardener.text.similarity.disputed import Dispute
from gardener.text.similarity.score import Features, Parts, parts_of, total
from gardener.text.similarity.verify import Judgement

ASKED = 1.4
"""Undecided pairs put to a judge per memory of the scope, those that stand out most first."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories of one scope, `a` < `b` by path, and all that is known of them.

    `pointed` says that one names the other where it speaks of something being over. `score` is the sum of `parts`,
    0..1. An answer's `a` is the memory it is said of: the contained one, the superseding one.
    """

    a: str
    b: str
    judgement: Judgement | None
    features: Features
    stands_out: float
    pointed: bool = False
    answer: Answer | None = None

    @property
    def word(self) -> str:
        """The judge's answer, "" if none."""
        return self.answer.word if self.answer else ""

    @property
    def score(self) -> float:
        return total(self.features)

    @property
    def parts(self) -> Parts:
        return parts_of(self.features)

    @property
    def verdict(self) -> str:
        return self.judgement.verdict if self.judgement else "related"

    @property
    def disputes(self) -> tuple[Dispute, ...]:
        return self.judgement.disputes if self.judgement else ()

    def is_same(self, bar: float) -> bool:
        """Whether one may stand for the other: the texts prove it, or a judge said so and no value speaks against."""
        if self.word:
            return self.word in {"same", "contained"} and not self.disputes
        return self.verdict in {"duplicate", "contained"} and self.score >= bar

    def is_dispute(self, bar: float) -> bool:
        """Whether the two are at odds: by their texts, by a judge's word, or by values in what he called the same."""
        if self.word:
            return self.word in {"conflict", "supersedes"} or (
                self.word in {"same", "contained"} and bool(self.disputes)
            )
        return self.verdict == "conflict" and self.score >= bar

    def undecided(self, bar: float) -> bool:
        return not (self.word or self.is_same(bar) or self.is_dispute(bar))

    def sure(self, bar: float) -> float:
        """The score, at least the bar where a judge's word stands behind it."""
        return max(self.score, bar) if self.word else self.score

    def parts_with(self, bar: float) -> Parts:
        """The contributions to `sure`, the judge's word among them."""
        more = self.sure(bar) - self.score
        return (*self.parts, (f"judged {self.word}", more)) if more > 0 else self.parts

    def other(self, path: str) -> str:
        return self.b if path == self.a else self.a


@dataclass(frozen=True)
class Comparison:
    """Every compared pair of a store by scope, those that stand out most first, and how many memories a scope holds."""

    scopes: Mapping[str, tuple[Pair, ...]]
    sizes: Mapping[str, int]

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        return tuple(chain.from_iterable(self.scopes.values()))

    def undecided(self, bar: float) -> tuple[Pair, ...]:
        """What a judge should see, best first: pairs neither proven nor answered, some of each scope."""
        found: list[Pair] = []
        for scope, pairs in self.scopes.items():
            left = [pair for pair in pairs if pair.undecided(bar)]
            found += sorted(left, key=_asked_first)[: int(ASKED * self.sizes[scope])]
        return tuple(sorted(found, key=_asked_first))


def _asked_first(pair: Pair) -> tuple[bool, bool, float, str, str]:
    return (pair.verdict == "variant", not pair.pointed, -pair.stands_out, pair.a, pair.b)
