"""What a memory is about, as far as its name, title and description say: two subjects make a template, not a copy."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from functools import cached_property

from gardener.model.memory import Memory
from gardener.text.similarity.align import Text
from gardener.text.similarity.claims import value_class
from gardener.text.similarity.words import FUNCTION, HARMLESS, fold, squeezed, stem, tokens

_PARTS = re.compile(r"[^\W_]+")
_LEADING = re.compile(r"^\d+[-_. ]+")
_DIGITS = re.compile(r"\d+")
_COPY = re.compile(r"(?:[-_ .]*(?:copy|old|new|bak|backup|orig|draft|final|v?\d+|\(\d+\)))+$")


@dataclass(frozen=True, eq=False)
class Subject:
    """The naming parts of one memory beside its text."""

    name: str
    stem: str
    text: Text

    @classmethod
    def of(cls, memory: Memory, text: Text) -> Subject:
        return cls(memory.name.casefold(), memory.stem.casefold(), text)

    @cached_property
    def title(self) -> str:
        """The heading the body opens with."""
        body = next((one for one in self.text.sentences if one.line >= 0), None)
        return body.text if body is not None and body.heading else ""

    @cached_property
    def words(self) -> frozenset[str]:
        """Words of name, file name and title that could tell one subject from another."""
        return naming_words(self.name, self.stem, fold(self.title))

    @cached_property
    def said(self) -> str:
        """Letters and digits of description and body, without the name."""
        return squeezed(f"{self.text.description} {self.text.body}")

    def alone(self, other: Subject, common: Set[str] = frozenset()) -> frozenset[str]:
        """Naming words of this one alone that its text uses and the other's hardly does, nor its name; without those
        `common` to the store's names."""
        mine = ((word, stem(word)) for word in self.words if word not in common)
        return frozenset(word for word, root in mine if root not in other.called and self.speaks_of(root, other))

    def speaks_of(self, root: str, other: Subject) -> bool:
        """Whether this text uses a word, and four times as often as the other: siblings do name each other."""
        return self.said.count(root) >= max(1, 4 * other.said.count(root))

    @cached_property
    def called(self) -> str:
        return squeezed(f"{self.name} {self.stem} {self.title}")

    @cached_property
    def skeleton(self) -> str:
        return _DIGITS.sub("0", _LEADING.sub("", self.stem))

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        return tuple(_DIGITS.findall(_LEADING.sub("", self.stem)))


def naming_words(*names: str) -> frozenset[str]:
    """The words of some names, without a leading number, numbers and words that hold a name together."""
    found = _PARTS.findall(" ".join(_LEADING.sub("", name.casefold()) for name in names))
    return frozenset(word for word in found if len(word) > 1 and not word.isdigit() and word not in FUNCTION | HARMLESS)


def differ_in_subject(a: Subject, b: Subject, common: Set[str] = frozenset()) -> str:
    """Why the two are about different things, in words; "" when nothing shows that they are."""
    mine, yours = a.alone(b, common), b.alone(a, common)
    if mine and yours:
        return f"one is about {_listed(mine)}, the other about {_listed(yours)}"
    if in_series(a, b):
        return f"their names count on: {'-'.join(a.numbers)} and {'-'.join(b.numbers)}"
    titles = tuple(_values(one.title) for one in (a, b))
    if titles[0] and titles[1] and titles[0].isdisjoint(titles[1]):
        return f"their titles name {_listed(titles[0])} and {_listed(titles[1])}"
    return ""


def in_series(a: Subject, b: Subject) -> bool:
    """`phase-2` and `phase-3`, `2026-05-01` and `2026-05-02`: the same name but for its numbers."""
    return bool(a.numbers) and a.skeleton == b.skeleton and a.numbers != b.numbers


def _values(title: str) -> frozenset[str]:
    return frozenset(
        token for token in tokens(_LEADING.sub("", fold(title))) if value_class(token) in {"ident", "date", "hash"}
    )


def _listed(words: frozenset[str]) -> str:
    return ", ".join(sorted(words)[:3])
