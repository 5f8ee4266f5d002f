"""Lays two texts side by side, sentence by sentence: what each finds of itself in the other, and where they part."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from rapidfuzz.distance import LCSseq

from gardener.text.similarity.claims import Diff, differ
from gardener.text.similarity.sentences import Sentence, sentences
from gardener.text.similarity.vocabulary import NEGATORS, SCOPES
from gardener.text.similarity.words import stem

NEAR = 0.5
"""A sentence counts as met in the other text from this share of its own weight on."""
PUT = frozenset({"value", "polarity", "scope", "name", "word", "order"})
"""Differences that put one claim for another, unlike words added or left out."""
RAREST = 8
"""Words of a sentence, the rarest first, by which its like in the other text is looked up."""
MOST = 600
"""Sentences of one text that are looked for word by word; beyond it only literal ones count."""
_PROPER = re.compile(r"(?<=[a-z,;)] )[\"'(*_`]*([A-Z][A-Za-z0-9]+)")


@dataclass(frozen=True, eq=False)
class Text:
    """What one memory says: its description first, then its body. `lines[i]` counts from the body's first line."""

    description: str
    body: str

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        above = sentences(self.description.replace("\n", " "), line=-1)
        return (*above, *sentences(self.body))

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset(sentence.key for sentence in self.sentences)

    @cached_property
    def stream(self) -> str:
        """All tokens in order, for finding a sentence inside another or across two."""
        return f" {' '.join(' '.join(sentence.tokens) for sentence in self.sentences)} "

    @cached_property
    def where(self) -> dict[tuple[str, ...], int]:
        return {sentence.tokens: at for at, sentence in reversed(list(enumerate(self.sentences)))}

    @cached_property
    def index(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for at, sentence in enumerate(self.sentences):
            for token in sentence.content:
                found[token].append(at)
        return found

    @cached_property
    def weight(self) -> float:
        return sum(sentence.weight for sentence in self.sentences)

    @cached_property
    def names(self) -> frozenset[str]:
        """Words written with a capital inside a sentence, as tokens."""
        return frozenset(stem(word.casefold()) for one in self.sentences for word in _PROPER.findall(one.text))


@dataclass(frozen=True, slots=True)
class Meeting:
    """Sentence `a` of one text and the sentence `b` of the other that comes nearest, with how they differ.

    `share` is the part (0..1) of a's weight that stands in b in the same order.
    """

    a: int
    b: int
    share: float
    diff: Diff


@dataclass(frozen=True, slots=True)
class Side:
    """How one text is found in the other: per sentence a share of 0..1, and the near meetings.

    `proved` are the shares without sentences in which a word of the one stands for another word of the other.
    """

    shares: tuple[float, ...]
    proved: tuple[float, ...]
    meetings: tuple[Meeting, ...]


@dataclass(frozen=True, slots=True)
class Alignment:
    """Both directions: `a` is how the first text is found in the second."""

    a: Side
    b: Side


def align(a: Text, b: Text) -> Alignment:
    names = a.names | b.names
    return Alignment(_side(a, b, names), _side(b, a, names))


def _side(one: Text, other: Text, names: frozenset[str]) -> Side:
    shares: list[float] = []
    proved: list[float] = []
    meetings: list[Meeting] = []
    looked = 0
    for at, sentence in enumerate(one.sentences):
        if sentence.tokens in other.where or (not sentence.tokens and sentence.key in other.keys):
            share = certain = 1.0
        elif looked < MOST and sentence.tokens:
            looked += 1
            share, certain = _looked_for(at, sentence, other, names, meetings)
        else:
            share = certain = 0.0
        shares.append(share)
        proved.append(certain)
    return Side(tuple(shares), tuple(proved), tuple(meetings))


def _looked_for(
    at: int, sentence: Sentence, other: Text, names: frozenset[str], meetings: list[Meeting]
) -> tuple[float, float]:
    """(share, proved share) of a sentence that is not one of the other text's; a near one joins the `meetings`."""
    if _runs_through(sentence, other):
        return 1.0, 1.0
    met = _nearest(at, sentence, other, names)
    if met is None:
        return 0.0, 0.0
    meetings.append(met)
    return 0.0 if "order" in met.diff.kinds else met.share, 0.0 if met.diff.kinds & PUT else met.share


def _runs_through(sentence: Sentence, other: Text) -> bool:
    """The same words in one unbroken run of the other text that no negation or limit stands at."""
    if len(sentence.tokens) < 4:
        return False
    run = f" {' '.join(sentence.tokens)} "
    at = other.stream.find(run)
    if at < 0:
        return False
    before = other.stream[max(0, at - 40) : at].split()[-2:]
    after = other.stream[at + len(run) : at + len(run) + 40].split()[:1]
    return not any(token in NEGATORS or token in SCOPES for token in (*before, *after))


def _nearest(at: int, sentence: Sentence, other: Text, names: frozenset[str]) -> Meeting | None:
    """The sentence of the other text with the longest common order of words, if it holds enough of this one."""
    spread = sorted((len(places), token) for token in sentence.content if (places := other.index.get(token)))
    if len(spread) * 2 < len(sentence.content):
        return None
    counts = Counter(chain.from_iterable(other.index[token][:200] for _, token in spread[:RAREST]))
    least = 2 if len(spread) > 3 else 1
    places = [place for place, common in counts.most_common(3) if common >= least]
    if not places:
        return None
    lengths = [LCSseq.similarity(sentence.tokens, other.sentences[place].tokens) for place in places]
    best = places[max(range(len(places)), key=lengths.__getitem__)]
    theirs = other.sentences[best].tokens
    enough = 0.0 if sorted(sentence.tokens) == sorted(theirs) else NEAR * sentence.weight
    found = differ(sentence.tokens, theirs, names, enough)
    return Meeting(at, best, found.shared / sentence.weight, found) if found else None
