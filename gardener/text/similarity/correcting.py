"""Memories that correct themselves: the line that does, how much it takes back, a description in its words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gardener.model.memory import Memory
from gardener.text.similarity.align import Text
from gardener.text.similarity.claims import differ
from gardener.text.similarity.sentences import Sentence, sentences
from gardener.text.similarity.words import fold

_LEAD = r"^(?:\d+\.\s+)?[^\w\"'(`\[<]{0,24}(?:[Ss]tatus\W{1,4})?[^\w\"'(`\[<]{0,6}"
_WHOLE = re.compile(
    _LEAD + r"(?:(?:SUPERSEDED|OBSOLETE|OUTDATED|RETRACTED|REVERSED|DEPRECATED|NO LONGER (?:TRUE|VALID|APPLIES))\b"
    r"|(?i:superseded by|replaced by|superseded(?=\s*\[)|obsoleted by|deprecated in favou?r of))"
)
_AMENDING = re.compile(_LEAD + r"(?:UPDATED?|CORRECTION|CORRECTED|AMENDED|REVISED|EDIT|WRONG)\b(?=[\s*_:(,;.\u2014-])")
_PARTLY = re.compile(r"\b(?:in part|partly|partially|parts? of|some of|except)\b", re.IGNORECASE)
_AWARE = re.compile(
    r"\b(?:supersed\w+|obsolete\w*|outdated|retracted|reversed|deprecated|no longer|corrected|correction|"
    r"updated?|amended|revised|was|were|fixed|removed|retired|now|until|previously|formerly|used to|wrong|stale)\b",
    re.IGNORECASE,
)
_MARKER = re.compile(
    r"^\W*(?:STATUS\s*:\s*)?[A-Z][A-Z ]{3,}\b\W*(?:\(?20\d{2}-\d{2}-\d{2}[^):\u2014-]*\)?)?[\s:\u2014*_).,-]*"
)
_OWN = re.compile(r"^\s*> (?:Superseded by|Archived|Qualified by) ")
_PLAIN = re.compile(r"[*`]|\[\[|\]\]")
HEAD = 15
"""Body lines within which a bare `Superseded by` speaks of the whole memory."""
LONGEST = 150


@dataclass(frozen=True, slots=True)
class Correction:
    """The line of a body (0-based) that takes something back; `whole` where it takes back the memory, `partly` where it
    says that only a part is meant."""

    line: int
    text: str
    whole: bool
    partly: bool


def corrections(memory: Memory) -> Iterator[Correction]:
    """Lines outside code that open with a word such as UPDATE or SUPERSEDED, each with the lines of its paragraph."""
    lines = memory.body.split("\n")
    fenced = False
    for at, line in enumerate(lines):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        if fenced or _OWN.match(line):
            continue
        whole = bool(_WHOLE.match(line)) and at < HEAD
        if whole or _AMENDING.match(line):
            text = _paragraph(lines, at)
            yield Correction(at, text, whole, bool(_PARTLY.search(text[:200])))


def stands_against(memory: Memory, correction: Correction) -> bool:
    """Whether the description still says what the correction takes back.

    It must not speak of a change itself, and either disagree with a sentence of the correction by a value or polarity,
    or be about the memory as a whole that is taken back.
    """
    if not memory.description or _AWARE.search(memory.description):
        return False
    if correction.whole and not correction.partly:
        return True
    stated = Text("", memory.description).sentences
    return any(_disagree(old, new) for old in stated for new in sentences(correction.text))


def in_its_words(correction: Correction) -> str:
    """The first sentence of the correction as a description of at most 150 characters; "" where it is longer."""
    bare = _MARKER.sub("", correction.text, count=1)
    for one in sentences(bare)[:1]:
        for text in (one.text, re.split(r"\s[\u2014;]\s|;\s", one.text)[0]):
            plain = _PLAIN.sub("", text).strip(" .:;-")
            if 20 <= len(plain) <= LONGEST and len(plain.split()) >= 4:
                return plain[0].upper() + plain[1:]
    return ""


def _disagree(old: Sentence, new: Sentence) -> bool:
    if fold(old.text) == fold(new.text) or not old.weight:
        return False
    found = differ(old.tokens, new.tokens)
    return (
        found is not None
        and bool(found.kinds & {"value", "polarity"})
        and found.shared >= 0.5 * old.weight
        and found.shared >= 2
    )


def _paragraph(lines: list[str], at: int) -> str:
    end = next((i for i in range(at + 1, len(lines)) if not lines[i].strip()), len(lines))
    return " ".join(line.strip() for line in lines[at : min(end, at + 12)])
