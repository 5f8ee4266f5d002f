"""Nearest memories of a text from an index of hashed terms: for `check`, which has no time for scikit-learn.

A vector holds 32-bit hashes and counts of words, never a word. The verdict on the few nearest is the verifier's.
"""

from __future__ import annotations

import math
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gardener.model.memory import Memory
from gardener.text.similarity.align import Text
from gardener.text.similarity.candidates import terms
from gardener.text.similarity.disputed import Dispute
from gardener.text.similarity.subject import Subject
from gardener.text.similarity.verify import Judgement, changed_claims, verify


@dataclass(frozen=True, slots=True)
class Vector:
    """The distinct terms of one text as 32-bit hashes (unsigned, ascending) and how often each stands in it."""

    hashes: array[int]
    counts: array[int]

    def packed(self) -> bytes:
        """32-bit hashes followed by 16-bit counts in this machine's byte order: six bytes a term."""
        return self.hashes.tobytes() + self.counts.tobytes()

    @classmethod
    def unpacked(cls, data: bytes) -> Vector:
        """The vector of `packed`. ValueError when the length is not a multiple of six."""
        size, rest = divmod(len(data), 6)
        if rest:
            raise ValueError("a packed vector has six bytes a term")
        hashes, counts = array("I"), array("H")
        hashes.frombytes(data[: size * 4])
        counts.frombytes(data[size * 4 :])
        return cls(hashes, counts)


@dataclass(frozen=True, slots=True)
class Hint:
    """One of the nearest memories of a text: the cosine of their terms (0..1) and the verdict, `a` being the text."""

    path: str
    cosine: float
    judgement: Judgement


def vector(memory: Memory) -> Vector:
    """The hashed terms of name, description and body."""
    front = f"{memory.name} {memory.description} ".encode("utf-8", "surrogateescape")
    said = front + memory.data[memory.body_at :]
    counted = Counter(map(zlib.crc32, terms(said)))
    hashes = sorted(counted)
    return Vector(
        array("I", hashes), array("H", [count if (count := counted[key]) < _MOST else _MOST for key in hashes])
    )


def nearest_to(text: Vector, index: Mapping[str, Vector], most: int = 5) -> list[tuple[str, float]]:
    """Paths of the index nearest to a text by TF-IDF cosine, best first; those without a common term are left out."""
    spread: Counter[int] = Counter()
    for one in index.values():
        spread.update(one.hashes)
    total = len(index) + 1
    weights = _weigh(text, spread, total)
    length = math.sqrt(sum(value * value for value in weights.values())) or 1.0
    scored = []
    for path, one in index.items():
        if not weights.keys().isdisjoint(one.hashes):
            theirs = _weigh(one, spread, total)
            dot = sum(value * theirs[key] for key, value in weights.items() if key in theirs)
            scored.append((path, dot / (length * math.sqrt(sum(value * value for value in theirs.values())))))
    return sorted(scored, key=lambda found: (-found[1], found[0]))[:most]


def hints(memory: Memory, others: Iterable[tuple[Memory, float]]) -> list[Hint]:
    """The verdict on each of the nearest, those that say the same or disagree first."""
    mine = Subject.of(memory, Text(memory.description, memory.body))
    found = [
        Hint(other.path, cosine, verify(mine, Subject.of(other, Text(other.description, other.body))))
        for other, cosine in others
    ]
    return sorted(found, key=lambda hint: (_ORDER[hint.judgement.verdict], -hint.cosine, hint.path))


def new_claims(old: Memory, new: Memory) -> tuple[Dispute, ...]:
    """What an in-place edit turned round: where there is any, the old memory should be superseded, not overwritten."""
    return changed_claims(Text(old.description, old.body), Text(new.description, new.body))


NEW_CLAIM = "new claim: supersede instead"
_MOST = 0xFFFF
_ORDER = {"duplicate": 0, "contained": 1, "conflict": 2, "related": 3, "variant": 4}


def _weigh(one: Vector, spread: Mapping[int, int], total: int) -> dict[int, float]:
    return {
        key: (1.0 + math.log(count)) * (math.log((1 + total) / (1 + spread.get(key, 0))) + 1.0)
        for key, count in zip(one.hashes, one.counts, strict=True)
    }
