"""Groups of memories that say the same: who stays, who may go, why, and what only those who go say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gardener.model.finding import Loss
from gardener.model.memory import NEVER_STALE, Memory
from gardener.model.snapshot import Snapshot
from gardener.text.similarity.align import Text
from gardener.text.similarity.pair import Pair

PINNED = 4
"""The parts of the order that a fuller text does not outweigh."""


@dataclass(frozen=True, slots=True)
class Group:
    """One memory that stays and those that may go; every pair is between the kept one and one of the others."""

    kept: Memory
    retired: tuple[tuple[Memory, Pair], ...]


def groups(snapshot: Snapshot, pairs: Iterable[Pair]) -> Iterator[Group]:
    """Greedily by a centre: the best to keep takes everyone directly close to it. Nobody is in two groups."""
    close: dict[str, dict[str, Pair]] = defaultdict(dict)
    for pair in pairs:
        close[pair.a][pair.b] = close[pair.b][pair.a] = pair
    members = [snapshot.by_path[path] for path in close]
    order = Order(snapshot, {memory.path: Text(memory.description, memory.body) for memory in members})
    taken: set[str] = set()
    for kept in sorted(members, key=order.key):
        if kept.path in taken:
            continue
        others = ((snapshot.by_path[path], pair) for path, pair in sorted(close[kept.path].items()))
        retired = tuple((m, pair) for m, pair in others if m.path not in taken and order.may_go(m, kept, pair))
        if retired:
            taken |= {kept.path, *(memory.path for memory, _ in retired)}
            yield Group(kept, retired)


@dataclass(frozen=True, slots=True)
class Order:
    """Which of two stays: pinned kind, kept by an open proposal, favourite, fuller, global, linked, newer, path."""

    snapshot: Snapshot
    texts: dict[str, Text]

    def key(self, memory: Memory) -> tuple[bool, bool, bool, bool, float, bool, int, float, str]:
        """Sorts what stays first."""
        return (
            memory.kind != "constraint",
            memory.kind not in NEVER_STALE,
            all(kept != memory.path for kept, _ in self.snapshot.open_pairs),
            not memory.favorite,
            -self.words(memory),
            bool(memory.project),
            -len(self.snapshot.linked_from.get(memory.path, ())),
            -(memory.dated.timestamp() if memory.dated else 0.0),
            memory.path,
        )

    def words(self, memory: Memory) -> int:
        return sum(len(sentence.tokens) for sentence in self.texts[memory.path].sentences)

    def may_go(self, memory: Memory, kept: Memory, pair: Pair) -> bool:
        """Whether `memory` may go for `kept`: the contained for what contains it, and what `may_retire` allows."""
        holder = contained_in(pair)
        if holder and holder != kept.path:
            return False
        if holder and self.key(memory)[:PINNED] < self.key(kept)[:PINNED]:
            return False
        return (bool(holder) or self.key(kept) < self.key(memory)) and may_retire(memory, kept)


def contained_in(pair: Pair) -> str:
    """The path of the memory that holds the other one, "" where neither is said to."""
    if pair.answer is not None and pair.word == "contained":
        return pair.other(pair.answer.a)
    if pair.word == "same" or pair.judgement is None or pair.judgement.verdict != "contained":
        return ""
    return pair.b if pair.judgement.smaller == "a" else pair.a


def may_retire(memory: Memory, by: Memory) -> bool:
    """Guards that hold whatever a score or a judge says: kinds that bind, and what every project reads."""
    if memory.kind == "constraint" and by.kind != "constraint":
        return False
    if (memory.kind == "refuted") != (by.kind == "refuted"):
        return False
    return bool(memory.project) or not by.project


def loss(kept: Text, retired: Text, path: str) -> Loss:
    """Every sentence of the retired memory (its description too) that is not literally one of the kept one's."""
    lost = dict.fromkeys(one.text for one in retired.sentences if one.key not in kept.keys)
    return Loss(path, len(retired.sentences), tuple(lost))
