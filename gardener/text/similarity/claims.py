"""How two nearly equal sentences differ: by value, polarity, scope, name, word or order, or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rapidfuzz.distance import Levenshtein

from gardener.text.similarity.vocabulary import CLASSES, DENIALS, LIMITS, NEGATORS, OPPOSITES, PREFIXES, SCOPES
from gardener.text.similarity.words import is_content, kind_of, weight

Difference: TypeAlias = Literal["value", "polarity", "scope", "name", "word", "order"]

_DIRECTED = frozenset(
    "to from before after over under than into onto by instead above below until through for on of".split()
)
_JOINING = frozenset(
    "before after during in on at by with within without under over inside outside when while if for from to until "
    "unless through via per between against into onto".split()
)

REFERENCES = frozenset({"path", "url", "host", "ident", "hash"})
"""Sorts of values that say where or which, rather than how much or when."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One place where two aligned sentences differ: the tokens of each side (either may be empty)."""

    a: tuple[str, ...]
    b: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Diff:
    """`shared` is the weight of what stands in both in the same order; `kinds` what the rest differs by."""

    shared: float
    kinds: frozenset[Difference]
    slots: tuple[Slot, ...]

    @property
    def loose(self) -> int:
        """Content words on either side that are neither values nor what decides: dressing, or another claim."""
        sides = (side for slot in self.slots for side in (slot.a, slot.b))
        return max((sum(map(_is_loose, side)) for side in sides), default=0)

    @property
    def elsewhere(self) -> bool:
        """Whether the two speak of other things: a loose word for another, or a reference changed beside a value."""
        gone = Counter(token for slot in self.slots for token in slot.a)
        come = Counter(token for slot in self.slots for token in slot.b)
        changed = {value_class(token) for token in (gone - come) + (come - gone)} - {""}
        return any(map(_put, self.slots)) or bool(changed & REFERENCES and changed - REFERENCES)


def _put(slot: Slot) -> bool:
    """Whether a loose word stands for another loose word, opposites apart."""
    one, two = ([token for token in side if _is_loose(token)] for side in (slot.a, slot.b))
    return any(not are_opposite(x, y) for x in one for y in two)


def _is_loose(token: str) -> bool:
    return is_content(token) and not (token in NEGATORS or token in SCOPES or value_class(token))


def value_class(token: str) -> str:
    """What sort of value a token is; tokens of one sort compete with each other. "" for ordinary words."""
    kind = kind_of(token)
    if kind in {"number", "version", "time"}:
        return "number"
    return CLASSES.get(token, "") if kind in {"", "name"} else kind


def differ(a: Sequence[str], b: Sequence[str], names: Set[str] = frozenset(), least: float = 0.0) -> Diff | None:
    """Aligns two token sequences (a Levenshtein script over words) and says what kind of difference remains.

    `names` are the words that are written like names (capitals inside a sentence) in either text. None where less
    than `least` of weight is shared.
    """
    if moved(a, b):
        return Diff(sum(map(weight, a)), frozenset(), ())
    shared = 0.0
    slots: list[Slot] = []
    ends = (-1, -1)
    for step in Levenshtein.opcodes(a, b):
        a1, a2, b1, b2 = step.src_start, step.src_end, step.dest_start, step.dest_end
        if step.tag == "equal":
            shared += sum(weight(token) for token in a[a1:a2])
            continue
        if slots and (a1, b1) == ends:
            slots[-1] = Slot(slots[-1].a + tuple(a[a1:a2]), slots[-1].b + tuple(b[b1:b2]))
        else:
            slots.append(Slot(tuple(a[a1:a2]), tuple(b[b1:b2])))
        ends = (a2, b2)
    if shared < least:
        return None
    return Diff(shared, frozenset(_kinds(slots, names)), tuple(slots))


def moved(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether the two differ only in where one phrase stands: "before a release run it", "run it before a release".

    The phrase opens with the one word of the sentence that joins a phrase to the rest. Where there are two, moving one
    pairs every value with the other's phrase; names that changed places, a denial and a limit are another claim.
    """
    if sum(token in _JOINING for token in a) != 1 or not LIMITS.isdisjoint(a):
        return False
    return any(part[0] in _JOINING for parts in rotations(a, b) for part in parts)


def rotations(a: Sequence[str], b: Sequence[str]) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """The two neighbouring parts of a, of two words or more each, that changed places in b, where nothing else did.

    A single word that moved may be the claim (`only`, a name before or after `to`), so it is no part.
    """
    if len(a) != len(b) or sorted(a) != sorted(b) or tuple(a) == tuple(b):
        return
    start = common(a, b)
    one, two = (side[start : len(a) - common(a[::-1], b[::-1])] for side in (a, b))
    for cut in range(2, len(one) - 1):
        if (*one[cut:], *one[:cut]) == tuple(two):
            yield one[:cut], one[cut:]


def common(a: Sequence[str], b: Sequence[str]) -> int:
    """How many words both begin with, of two sequences as long as each other that differ."""
    return next(at for at, (x, y) in enumerate(zip(a, b, strict=True)) if x != y)


def _kinds(slots: list[Slot], names: Set[str]) -> set[Difference]:
    kinds: set[Difference] = set()
    gone, come = Counter[str](), Counter[str]()
    for slot in slots:
        gone.update(slot.a)
        come.update(slot.b)
        if _opposites(slot):
            kinds.add("polarity")
        if named(slot, names):
            kinds.add("name")
        elif any(map(says, slot.a)) and any(map(says, slot.b)):
            kinds.add("word")
    if _tips(slots, gone, come, NEGATORS):
        kinds.add("polarity")
    if _tips(slots, gone, come, SCOPES):
        kinds.add("scope")
    if _compete(gone, come):
        kinds.add("value")
    if any(is_content(token) or token in _DIRECTED for token in gone & come):
        kinds.add("order")
    return kinds


def says(token: str) -> bool:
    """A content word other than a plain denial, of which one is as good as another."""
    return is_content(token) and token not in DENIALS


def _tips(slots: list[Slot], gone: Counter[str], come: Counter[str], deciding: Set[str]) -> bool:
    """One side has a negation (or limit) more, and it stands nearly alone: no clause of its own came with it."""
    if sum(gone[word] for word in deciding) == sum(come[word] for word in deciding):
        return False
    return any(_alone(slot, deciding) for slot in slots)


def _alone(slot: Slot, deciding: Set[str]) -> bool:
    """Whether a slot holds a deciding word and hardly anything else: nothing where it is an insertion."""
    if len(slot.a) + len(slot.b) > 6 or not any(token in deciding for token in (*slot.a, *slot.b)):
        return False
    least = 1 if slot.a and slot.b else 0
    return all(sum(is_content(t) and t not in deciding for t in side) <= least for side in (slot.a, slot.b))


def _compete(gone: Counter[str], come: Counter[str]) -> bool:
    """Values of one sort on both sides that are not simply moved."""
    left = {sort for token in gone - come if (sort := value_class(token))}
    return any(sort in left for token in come - gone if (sort := value_class(token)))


def _opposites(slot: Slot) -> bool:
    if len(slot.a) > 4 or len(slot.b) > 4:
        return False
    return any(are_opposite(x, y) for x in slot.a for y in slot.b)


def are_opposite(x: str, y: str) -> bool:
    if frozenset((x, y)) in OPPOSITES:
        return True
    short, long = sorted((x, y), key=len)
    return len(short) > 3 and any(long == prefix + short for prefix in PREFIXES)


def named(slot: Slot, names: Set[str] = frozenset()) -> bool:
    """Something written like a name (path, identifier, dotted word, capitals inside a sentence) on both sides."""
    return all(any(kind_of(token) in _NAMING or token in names for token in side) for side in (slot.a, slot.b))


_NAMING = frozenset({"name", "path", "flag", "url", "host", "ident", "hash"})
