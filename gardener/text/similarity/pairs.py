"""Compares a whole store once: candidates per scope, verdict and score of each, the judge's answers. Groups nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from gardener.model.memory import Memory
from gardener.model.snapshot import Answer, Snapshot
from gardener.text.similarity.align import Text
from gardener.text.similarity.candidates import Counts, Near, nearest
from gardener.text.similarity.score import Features, Parts, features_of, parts_of, total
from gardener.text.similarity.sentences import Sentence
from gardener.text.similarity.subject import Subject, naming_words
from gardener.text.similarity.cues import invalidates
from gardener.text.similarity.verify import WHOLE, Dispute, Judgement, verify

ALIGNED = 0.55
"""Pairs are aligned sentence by sentence when one holds this idf-weighted share of the other's terms."""
CROWD = 5.0
"""Standard deviations (both sides together) a pair has to stand out by: labelled duplicates lie at 6 to 7, others at 4.5."""
ASKED = 1.4
"""Undecided pairs put to a judge per memory of the scope, those that stand out most first."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories of one scope, `a` < `b` by path, and all that is known of them.

    `score` is the sum of `parts`, 0..1. `word` is the judge's answer ("" if none), `first` the path it is said of
    (the contained one, the superseding one).
    """

    a: str
    b: str
    judgement: Judgement | None
    features: Features
    stands_out: float
    word: str = ""
    first: str = ""

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

    def other(self, path: str) -> str:
        return self.b if path == self.a else self.a


@dataclass(frozen=True)
class Comparison:
    """Every compared pair of a store, and how many memories its scopes hold."""

    pairs: tuple[Pair, ...]
    sizes: Mapping[str, int]

    @cached_property
    def of(self) -> Mapping[str, tuple[Pair, ...]]:
        found: dict[str, list[Pair]] = defaultdict(list)
        for pair in self.pairs:
            found[pair.a].append(pair)
            found[pair.b].append(pair)
        return {path: tuple(pairs) for path, pairs in found.items()}


@lru_cache(maxsize=1)
def compare(snapshot: Snapshot) -> Comparison:
    """All pairs of a snapshot worth knowing of. Computed once for dedup, conflict, check and judge together."""
    answers = _answers(snapshot)
    shared = snapshot.scopes.get("", ())
    pairs: list[Pair] = []
    base = Counts().add(map(_blob, shared))
    for scope, members in snapshot.scopes.items():
        others = shared if scope else ()
        counts = Counts(base).add(map(_blob, members)) if scope else base
        pairs += Scope(snapshot, (*others, *members), len(members), answers).pairs(counts)
    return Comparison(tuple(pairs), {scope: len(members) for scope, members in snapshot.scopes.items()})


@dataclass(frozen=True)
class Scope:
    """One project with the global memories before its own; texts are parsed when a pair needs them, and dropped with it."""

    snapshot: Snapshot
    members: Sequence[Memory]
    own: int
    answers: Mapping[tuple[str, str], Answer]

    def pairs(self, counts: Counts) -> Iterator[Pair]:
        place = {memory.path: at for at, memory in enumerate(self.members)}
        twins = list(_twins(counts.signatures, len(self.members) - self.own))
        named = {(place[a], place[b]) for a, b in self.answers if a in place and b in place}
        named |= set(self._linked(place))
        near = nearest(counts, self.own, named, {later for _, later in twins})
        near += [Near(a, b, 1.0, 0, 99.0, (1.0, 1.0)) for a, b in twins]
        aligned = [one for one in near if self._worth(one)]
        rarity = self._rarity(aligned)
        for one in near:
            yield self._pair(one, rarity)

    @cached_property
    def subjects(self) -> dict[int, Subject]:
        return {}

    def subject(self, at: int) -> Subject:
        if at not in self.subjects:
            memory = self.members[at]
            self.subjects[at] = Subject.of(memory, Text(memory.description, memory.body))
        return self.subjects[at]

    @cached_property
    def common(self) -> frozenset[str]:
        """Naming words that a quarter of the scope's names have: they tell nothing apart."""
        spread = Counter(word for memory in self.members for word in naming_words(memory.name, memory.stem))
        return frozenset(word for word, count in spread.items() if count >= max(4, len(self.members) / 4))

    def _answer(self, one: Near) -> Answer | None:
        a, b = sorted((self.members[one.a].path, self.members[one.b].path))
        return self.answers.get((a, b))

    def _worth(self, one: Near) -> bool:
        return max(one.held) >= ALIGNED or self._answer(one) is not None

    def _rarity(self, aligned: Iterable[Near]) -> Mapping[tuple[str, ...], int]:
        places = {at for one in aligned for at in (one.a, one.b)}
        return Counter(tokens for at in places for tokens in {one.tokens for one in self.subject(at).text.sentences})

    def _pair(self, one: Near, spread: Mapping[tuple[str, ...], int]) -> Pair:
        first, second = sorted((one.a, one.b), key=lambda at: self.members[at].path)
        answer = self._answer(one)
        judgement = None
        if self._worth(one):
            judgement = verify(self.subject(first), self.subject(second), _rare(spread), self.common, answered=answer is not None)
            judgement = _in_a_crowd(one, judgement)
        features = features_of(one, judgement)
        pair = Pair(self.members[first].path, self.members[second].path, judgement, features, one.stands_out)
        return replace(pair, word=answer.word, first=answer.a) if answer else pair

    def _linked(self, place: Mapping[str, int]) -> Iterator[tuple[int, int]]:
        """Memories of which one links to the other and speaks of something being over."""
        for at in range(len(self.members) - self.own, len(self.members)):
            memory = self.members[at]
            if not memory.links:
                continue
            for link in memory.links[:50]:
                target = self.snapshot.resolve(link, memory.path, memory.project)
                other = place.get(target.path) if target is not None else None
                if other is not None and other != at and (invalidates(memory) or invalidates(self.members[other])):
                    yield min(at, other), max(at, other)


def _blob(memory: Memory) -> tuple[bytes, bytes]:
    """What a memory is called, and what it says, as bytes."""
    return f"{memory.name} ".encode(), memory.description.encode() + b"\n" + memory.data[memory.body_at :]


def _twins(signatures: Sequence[int], shared: int) -> Iterator[tuple[int, int]]:
    """(first, later) for every text of the scope's own that equals an earlier one word for word."""
    seen: dict[int, int] = {}
    for at, signature in enumerate(signatures):
        first = seen.setdefault(signature, at)
        if first != at and at >= shared and signature:
            yield first, at


def _rare(spread: Mapping[tuple[str, ...], int]) -> Callable[[Sentence], float]:
    """What a sentence counts for: less and less from the third memory on that says it too."""
    return lambda sentence: min(1.0, 2.0 / max(1, spread.get(sentence.tokens, 1)))


def _in_a_crowd(near: Near, judgement: Judgement) -> Judgement:
    """Texts no nearer to each other than to several more share a skeleton, unless the one is nearly all in the other."""
    if judgement.verdict not in {"duplicate", "contained"} or near.stands_out >= CROWD or judgement.proved >= WHOLE:
        return judgement
    return replace(judgement, verdict="variant", because="several others say as much of the same")


def _answers(snapshot: Snapshot) -> dict[tuple[str, str], Answer]:
    """The answers that still hold, by sorted pair: same contents, and one word only where several were given."""
    found: dict[tuple[str, str], Answer] = {}
    torn: set[tuple[str, str]] = set()
    for answer in snapshot.answers:
        a, b = (snapshot.by_path.get(path) for path in (answer.a, answer.b))
        if a is None or b is None or (a.sha256, b.sha256) != (answer.a_sha256, answer.b_sha256):
            continue
        key = (answer.a, answer.b) if answer.a < answer.b else (answer.b, answer.a)
        before = found.setdefault(key, answer)
        directed = answer.word in {"contained", "supersedes"}
        if before.word != answer.word or (directed and before.a != answer.a):
            torn.add(key)
    return {key: answer for key, answer in found.items() if key not in torn}
