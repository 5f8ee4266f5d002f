"""Cuts markdown into what it says: sentences, list items, headings, table rows and code lines, with their places."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from gardener.text.similarity.words import FUNCTION, fold, tokens, weight

_FENCE = re.compile(r"\s{0,3}(?:>\s?)*(```+|~~~+)")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+")
_ITEM = re.compile(r"\s*(?:[-*+\u2022]|\d{1,3}[.)]|\*\*\d{1,3}[.)]?\*\*)\s+")
_BOX = re.compile(r"\[([ xX])\]\s+")
_RULE = " \t\r-=*_|:"
"""A line of nothing else is a rule, an underline or the second row of a table."""
_QUOTE = re.compile(r"\s{0,3}(?:>\s?)+")
_OWN = re.compile(r"> (?:Superseded by .+|Archived \(.*\)|Qualified by .+) (?:on )?\(?\d{4}-\d{2}-\d{2}\)?\s*$")
_END = re.compile(
    r"""(?<=[.!?])["'\u201d\u2019)\]*_`]*\s+(?=["'\u201c\u2018(\[*_`\u2014-]*[^\W_a-z])|(?<=[\u3002\uff01\uff1f])""",
    re.VERBOSE,
)
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|sec|dr|mr|mrs|ms|st|resp|incl)|\b[A-Za-z])\.$", re.I
)


@dataclass(frozen=True, eq=False)
class Sentence:
    """One thing a text says. `text` is as written on one line, `line` counts from 0 at the start of the text."""

    text: str
    line: int
    code: bool = False
    heading: bool = False

    @cached_property
    def key(self) -> str:
        """Equal keys: literally the same sentence but for case, emphasis, list marks and white space."""
        return (_GAPS.sub(" ", self.text).strip() if self.code else self.folded).strip(" .;:,")

    @cached_property
    def folded(self) -> str:
        return fold(self.text)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        return tokens(self.folded)

    @cached_property
    def content(self) -> frozenset[str]:
        """The words that carry meaning, each once."""
        return frozenset(self.tokens) - FUNCTION

    @cached_property
    def weight(self) -> float:
        return sum(map(weight, self.tokens))


_GAPS = re.compile(r"\s+")


def sentences(markdown: str, *, line: int = 0) -> tuple[Sentence, ...]:
    """Everything a markdown text says, in reading order. Rules, fences and gardener's own lines say nothing."""
    return tuple(found for found in _cut(markdown, line) if found.key)


def _cut(markdown: str, line: int) -> Iterator[Sentence]:
    fence = ""
    held: list[str] = []
    start = line
    for number, raw in enumerate(markdown.split("\n"), line):
        opening = _FENCE.match(raw)
        if fence or opening:
            yield from _paragraph(held, start)
            held = []
            if opening and (not fence or opening.group(1).startswith(fence)):
                fence = "" if fence else opening.group(1)
            elif raw.strip():
                yield Sentence(raw.strip(), number, code=True)
            continue
        if not raw.strip(_RULE) or _OWN.match(raw):
            yield from _paragraph(held, start)
            held = []
            continue
        text = _QUOTE.sub("", raw, count=1)
        heading = _HEADING.match(text)
        if heading or text.lstrip().startswith("|"):
            yield from _paragraph(held, start)
            held = []
            yield Sentence(
                text[heading.end() :].strip(" #") if heading else text.strip(" |"), number, heading=bool(heading)
            )
            continue
        item = _ITEM.match(text)
        if item or not held:
            yield from _paragraph(held, start)
            held, start = [], number
        held.append(_boxed(text[item.end() :]) if item else text.strip())
    yield from _paragraph(held, start)


def _boxed(text: str) -> str:
    """An open and a ticked box say different things, so the mark stays in words."""
    return _BOX.sub(lambda m: "\u2610 " if m.group(1) == " " else "\u2713 ", text, count=1)


def _paragraph(lines: list[str], start: int) -> Iterator[Sentence]:
    text = " ".join(lines).strip()
    if not text:
        return
    ends = _line_ends(lines)
    begin = 0
    for end in [*(m for m in _END.finditer(text)), None]:
        stop = end.start() if end else len(text)
        if end and _ABBREVIATED.search(text, max(begin, stop - 12), stop):
            continue
        if text[begin:stop].strip():
            skipped = len(text[begin:stop]) - len(text[begin:stop].lstrip())
            yield Sentence(text[begin:stop].strip(), start + min(bisect_right(ends, begin + skipped), len(ends) - 1))
        begin = stop


def _line_ends(lines: list[str]) -> list[int]:
    ends, total = [], 0
    for one in lines:
        total += len(one) + 1
        ends.append(total)
    return ends
