"""The score of a pair: named, signed contributions that add up. Coefficients are in `coefficients`, trained by a script."""

from __future__ import annotations

from typing import TypeAlias

from gardener.text.similarity.candidates import Near
from gardener.text.similarity.coefficients import START, WEIGHTS
from gardener.text.similarity.verify import Judgement

Parts: TypeAlias = tuple[tuple[str, float], ...]

STANDING = 20.0
"""Standard deviations from which on standing out counts in full."""
LIMIT = "kept between 0 and 1"


def features(near: Near, judgement: Judgement | None) -> dict[str, float]:
    """What the score rests on, each 0..1. Without a judgement the texts were too far apart to be aligned."""
    found = {
        "rare terms of one in the other": max(near.held),
        "rare terms both ways": min(near.held),
        "stands out from its neighbours": min(max(near.stands_out / STANDING, 0.0), 1.0),
    }
    if judgement is None:
        return found | dict.fromkeys(_READ, 0.0)
    a_smaller = judgement.smaller == "a"
    values = (
        max(judgement.a_in_b, judgement.b_in_a),
        min(judgement.a_in_b, judgement.b_in_a),
        judgement.a_literal if a_smaller else judgement.b_literal,
        float(judgement.verdict == "variant"),
    )
    return found | dict(zip(_READ, values, strict=True))


_READ = ("sentences of one in the other", "sentences both ways", "word for word", "another subject")


def parts_of(near: Near, judgement: Judgement | None) -> Parts:
    """The contributions, largest first, and what keeps their sum within 0 and 1."""
    found = features(near, judgement)
    parts = [(name, WEIGHTS[name] * value) for name, value in found.items() if WEIGHTS.get(name, 0.0) * value]
    return limited((("to start with", START), *sorted(parts, key=lambda part: (-abs(part[1]), part[0]))))


def limited(parts: Parts) -> Parts:
    """The same parts with a last one where their sum would leave 0..1."""
    whole = sum(value for _, value in parts)
    over = min(max(whole, 0.0), 1.0) - whole
    return (*parts, (LIMIT, over)) if abs(over) > 1e-9 else parts


def total(parts: Parts) -> float:
    return min(max(sum(value for _, value in parts), 0.0), 1.0)
