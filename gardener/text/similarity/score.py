"""The score of a pair: named, signed contributions that add up. A script trains what is in `coefficients`."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from gardener.text.similarity.candidates import Near
from gardener.text.similarity.coefficients import START, WEIGHTS
from gardener.text.similarity.verify import Judgement

Parts: TypeAlias = tuple[tuple[str, float], ...]

STANDING = 10.0
"""Standard deviations, of both sides together, from which on standing out counts in full."""


class Features(NamedTuple):
    """What the score rests on, each 0..1, in the order of `NAMES`. All but the first two are 0 for texts that are too
    far apart to be aligned."""

    terms: float
    standing: float
    found: float
    proved: float
    variant: float


NAMES = (
    "rare terms of one in the other",
    "stands out from its other neighbours",
    "sentences of one in the other",
    "found word for word or with words added",
    "about another subject",
)


def features_of(near: Near, judgement: Judgement | None) -> Features:
    terms, standing = max(near.held), min(max(near.stands_out / STANDING, 0.0), 1.0)
    if judgement is None:
        return Features(terms, standing, 0.0, 0.0, 0.0)
    found = max(judgement.a_in_b, judgement.b_in_a)
    return Features(terms, standing, found, judgement.proved, float(judgement.verdict == "variant"))


def parts_of(features: Features) -> Parts:
    """The contributions, largest first, and what keeps their sum within 0 and 1."""
    named = [(name, weight * value) for name, weight, value in zip(NAMES, WEIGHTS, features, strict=True)]
    parts = sorted((part for part in named if part[1]), key=lambda part: (-abs(part[1]), part[0]))
    return limited((("to start with", START), *parts))


def limited(parts: Parts) -> Parts:
    """The same parts with a last one where their sum would leave 0..1."""
    whole = sum(value for _, value in parts)
    over = min(max(whole, 0.0), 1.0) - whole
    return (*parts, ("kept between 0 and 1", over)) if abs(over) > 1e-9 else parts


def total(features: Features) -> float:
    whole = START + sum(weight * value for weight, value in zip(WEIGHTS, features, strict=True))
    return min(max(whole, 0.0), 1.0)
