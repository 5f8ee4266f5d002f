"""Compares a whole store once: candidates per scope, verdict and score of each, the judge's answers. Groups nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain

from gardener.model.memory import Memory
from gardener.model.snapshot import Answer, Snapshot
from gardener.text.similarity.align import Text
from gardener.text.similarity.candidates import Counts, Near, nearest
from gardener.text.similarity.cues import LEADING, cue_lines, over_links, over_numbers
from gardener.text.similarity.pair import ASKED, Comparison, Pair
from gardener.text.similarity.score import features_of
from gardener.text.similarity.sentences import Sentence
from gardener.text.similarity.subject import Subject, naming_words
from gardener.text.similarity.verify import WHOLE, Judgement, verify

ALIGNED = 0.75
"""Pairs are aligned sentence by sentence when one holds this idf-weighted share of the other's terms."""
CROWDED = 0.9
"""The same for pairs that do not stand out: only a near copy could still matter."""
FEW = 8
"""Members of a scope up to which every pair is aligned: what two of a handful share looks common rather than rare."""
CROWD = 5.0
"""Standard deviations (both sides together) a pair has to stand out by: duplicates lie at 6 to 7, others at 4.5."""


@lru_cache(maxsize=1)
def compare(snapshot: Snapshot) -> Comparison:
    """All pairs of a snapshot worth knowing of. Computed once for dedup, conflict, check and judge together."""
    answers = _answers(snapshot)
    shared = snapshot.scopes.get("", ())
    found: dict[str, tuple[Pair, ...]] = {}
    base = Counts().add(map(_blob, shared))
    for scope, members in snapshot.scopes.items():
        others = shared if scope else ()
        counts = Counts(base).add(map(_blob, members)) if scope else base
        found[scope] = tuple(Scope(snapshot, (*others, *members), len(members), answers).pairs(counts))
    return Comparison(found, {scope: len(members) for scope, members in snapshot.scopes.items()})


@dataclass(frozen=True)
class Scope:
    """One project with the global memories before its own. Texts are parsed when a pair needs them, dropped with it."""

    snapshot: Snapshot
    members: Sequence[Memory]
    own: int
    answers: Mapping[tuple[str, str], Answer]

    def pairs(self, counts: Counts) -> Iterator[Pair]:
        """Pairs that were aligned, answered or pointed at, and as many of the others as a judge could be asked."""
        twins = list(_twins(counts.signatures, len(self.members) - self.own))
        answered = self._answered()
        pointed = set(self._pointed())
        near = nearest(counts, self.own, answered.keys(), pointed, {later for _, later in twins})
        near += [Near(a, b, 1.0, 0, 99.0, (1.0, 1.0)) for a, b in twins]
        few = len(self.members) <= FEW
        worth = {(one.a, one.b) for one in near if few or _worth(one)} | answered.keys()
        spread = self._spread(at for pair in worth for at in pair)
        left = int(ASKED * self.own)
        for one in near:
            key = (one.a, one.b)
            if key not in worth and key not in pointed:
                left -= 1
            if left >= 0 or key in worth or key in pointed:
                yield self._pair(one, spread if key in worth else None, key in pointed, answered.get(key))

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

    @cached_property
    def places(self) -> dict[str, int]:
        return {memory.path: at for at, memory in enumerate(self.members)}

    def _answered(self) -> dict[tuple[int, int], Answer]:
        here = ((self.places.get(a), self.places.get(b), answer) for (a, b), answer in self.answers.items())
        shared = len(self.members) - self.own  # two global memories are the global scope's pair, and no project's
        both = ((a, b, answer) for a, b, answer in here if a is not None and b is not None)
        return {_pair_of(a, b): answer for a, b, answer in both if max(a, b) >= shared}

    def _spread(self, places: Iterable[int]) -> Mapping[tuple[str, ...], int]:
        """How many of the aligned texts have each sentence."""
        said = ({one.tokens for one in self.subject(at).text.sentences} for at in sorted(set(places)))
        return Counter(chain.from_iterable(said))

    def _pair(
        self, one: Near, spread: Mapping[tuple[str, ...], int] | None, pointed: bool, answer: Answer | None
    ) -> Pair:
        first, second = (one.a, one.b) if self.members[one.a].path < self.members[one.b].path else (one.b, one.a)
        judgement = None
        if spread is not None:
            subjects = self.subject(first), self.subject(second)
            judgement = verify(*subjects, _rare(spread), self.common, answered=answer is not None)
            judgement = _in_a_crowd(one, judgement)
        paths = self.members[first].path, self.members[second].path
        return Pair(*paths, judgement, features_of(one, judgement), one.stands_out, pointed, answer)

    def _pointed(self) -> Iterator[tuple[int, int]]:
        """Memories of which one names the other (a link, a leading number) where it says that something is over."""
        numbered = _numbered(self.members)
        for at in range(len(self.members) - self.own, len(self.members)):
            memory = self.members[at]
            lines = cue_lines(memory) if memory.links or numbered else {}
            targets = (self.snapshot.resolve(link, memory.path, memory.project) for link in over_links(memory, lines))
            others = {self.places.get(target.path) for target in targets if target is not None}
            others |= {numbered.get(number) for number in over_numbers(lines)} if numbered else set()
            yield from (_pair_of(at, other) for other in others if other is not None and other != at)


def _pair_of(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)


def _numbered(members: Sequence[Memory]) -> dict[str, int]:
    """Leading number of a file name -> its place, where it is one memory's alone."""
    found: dict[str, list[int]] = defaultdict(list)
    for at, memory in enumerate(members):
        if number := LEADING.match(memory.stem):
            found[number.group(1)].append(at)
    return {number: places[0] for number, places in found.items() if len(places) == 1}


def _blob(memory: Memory) -> tuple[bytes, bytes]:
    """What a memory is called, and what it says, as bytes."""
    name, description = (text.encode("utf-8", "surrogateescape") for text in (memory.name, memory.description))
    return name, description + b"\n" + memory.data[memory.body_at :]


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


def _worth(one: Near) -> bool:
    """Whether the words of the two are so much the same that their sentences could be."""
    return max(one.held) >= (ALIGNED if one.stands_out >= CROWD else CROWDED)


def _in_a_crowd(near: Near, judgement: Judgement) -> Judgement:
    """Texts no nearer to each other than to several more share a skeleton, unless one is nearly all in the other."""
    if judgement.verdict in {"related", "variant"} or near.stands_out >= CROWD or judgement.proved >= WHOLE:
        return judgement
    return replace(judgement, verdict="related", because="several others say as much of the same")


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
