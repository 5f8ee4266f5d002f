"""Two memories at odds: which is older, whether that can be told, and how to show what differs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from rapidfuzz.distance import Levenshtein

from gardener.model.memory import Memory
from gardener.text.similarity.align import Text
from gardener.text.similarity.sentences import Sentence
from gardener.text.similarity.words import fold

_DATE = re.compile(r"\b(20\d{2}-[01]\d-[0-3]\d)\b")
_NARROW = re.compile(
    r"\b(?:only (?:for|in|on|while|until)|for (?:this|the current|now)|for the time being|temporar\w+|"
    r"until|not yet|so far|exception|except|unless|qualif\w+|"
    r"this (?:phase|sprint|week|release|project) only|current(?:ly)? only)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Ages:
    """Which memory came first. Neither when nothing tells, or when the older one was itself updated after the newer."""

    older: Memory | None
    newer: Memory | None
    crossed: bool = False


def ages(a: Memory, b: Memory, now: datetime) -> Ages:
    """By `created`, else by `updated`, else by the latest date their texts name."""
    for told in (_created, _dated, lambda memory: last_said(memory, now)):
        one, two = told(a), told(b)
        if one and two and one != two:
            older, newer = (a, b) if one < two else (b, a)
            return Ages(None, None, True) if _latest(older, now) > _latest(newer, now) else Ages(older, newer)
    return Ages(None, None)


def last_said(memory: Memory, now: datetime) -> datetime | None:
    """The latest date in description and body that is not ahead of now."""
    found = [
        date for text in _DATE.findall(f"{memory.description}\n{memory.body}") if (date := _day(text)) and date <= now
    ]
    return max(found, default=None)


def narrows(memory: Memory) -> bool:
    """Whether a memory limits itself to a phase, a place or a time: it dates the older one rather than replacing it."""
    return _NARROW.search(f"{memory.description}\n{memory.body[:1200]}") is not None


def marked(text: str, against: str) -> str:
    """The sentence with the words that the other does not have set between « and »."""
    ours, theirs = text.split(), against.split()
    keys = [[fold(word).strip(".,;:()\"'") for word in words] for words in (ours, theirs)]
    out = list(ours)
    for step in Levenshtein.opcodes(keys[0], keys[1]):
        start, end = step.src_start, step.src_end
        if step.tag != "equal" and end > start:
            out[start] = "«" + out[start]
            bare = out[end - 1].rstrip(".,;:")
            out[end - 1] = f"{bare}»{out[end - 1][len(bare) :]}"
    return " ".join(out)


def differing(text: str, against: str) -> str:
    """Only the marked words of a sentence, for a title."""
    return " … ".join(re.findall(r"«([^«»]+)»", marked(text, against)))[:60]


def nearest_sentences(a: Text, b: Text) -> tuple[Sentence, Sentence] | None:
    """The two sentences that share most words: what to show where nothing is literally disputed."""
    best: tuple[float, int, int] = (0.0, 0, 0)
    for i, one in enumerate(a.sentences[:200]):
        for j in {place for token in one.content for place in b.index.get(token, ())[:20]}:
            other = b.sentences[j].content
            shared = len(one.content & other)
            best = max(best, (shared / (len(one.content | other) or 1) * min(shared, 6), -i, -j))
    return (a.sentences[-best[1]], b.sentences[-best[2]]) if best[0] else None


def _created(memory: Memory) -> datetime | None:
    return memory.created


def _dated(memory: Memory) -> datetime | None:
    return memory.dated


def _latest(memory: Memory, now: datetime) -> datetime:
    known = (memory.created, memory.updated, last_said(memory, now))
    return max((date for date in known if date), default=datetime.min.replace(tzinfo=UTC))


def _day(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        return None


def each_line(memory: Memory, sentence: Sentence) -> int | None:
    """The file line of a sentence of the body; None for the description."""
    return memory.body_line + sentence.line if sentence.line >= 0 else memory.lines.get("description")
