"""Memories that correct themselves: the line that does, how much it takes back, a description in its words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gardener.model.memory import Memory
from gardener.text.similarity.align import Text
from gardener.text.similarity.claims import differ
from gardener.text.similarity.sentences import Sentence, sentences
from gardener.text.similarity.words import fold, is_content, kind_of

_LEAD = r"^(?:\d+\.\s+)?[^\w\"'(`\[<]{0,24}(?:[Ss]tatus\W{1,4})?[^\w\"'(`\[<]{0,6}"
_WHOLE = re.compile(
    _LEAD + r"(?:(?:SUPERSEDED|OBSOLETE|OUTDATED|RETRACTED|REVERSED|DEPRECATED|NO LONGER (?:TRUE|VALID|APPLIES))\b"
    r"|(?i:superseded by|replaced by|superseded(?=\s*\[)|obsoleted by|deprecated in favou?r of))"
)
_POINTING = re.compile(
    _LEAD + r"(?i:this(?: \w+)? (?:was|is|has been) (?:replaced|superseded|obsoleted) by\b"
    r"|(?:outdated|obsolete|deprecated)\W{0,4}[!:.,;\u2014-](?!.*\binstead of\b).{0,40}?\b(?:use|see|instead|now)\b)"
    r"|.*[.!?] This (?:memory|note|page|file|entry) (?:was|is|has been) (?:replaced|superseded|obsoleted) by\b"
)
"""Said of the memory as a whole only where the line names, by a link, what to read instead."""
_AMENDING = re.compile(
    _LEAD + r"(?:(?:UPDATED?|CORRECTION|CORRECTED|AMENDED|REVISED|EDIT|WRONG)\b(?=[\s*_:(,;.\u2014-])"
    r"|(?:Update|Correction|Corrected)(?=[\s*_]{0,3}(?:\(?20\d\d-\d\d(?:-\d\d)?\)?)?[*_]{0,2}:))"
)
_TAKING_BACK = re.compile(_LEAD + r"(?i:correction|corrected|wrong|revised)\b")
_UNTRUE = re.compile(
    r"(?:(?:this|that|it)(?: is|'s) )?(?:no longer (?:true|valid|so|the case)|not true any ?more|wrong|false)"
    r"(?:\s*[,;:.!\u2014-]\s*|\s*$)",
    re.IGNORECASE,
)
_ADDING = re.compile(
    r"\b(?:second|another|additional|also|too|separate|extra|besides|as before|as well)\b", re.IGNORECASE
)
_PARTLY = re.compile(r"\b(?:in part|partly|partially|parts? of|some of|except)\b", re.IGNORECASE)
_AWARE = re.compile(
    r"\b(?:supersed\w+|obsolete\w*|outdated|retracted|reversed|deprecated|no longer|corrected|correction|"
    r"updated?|amended|revised|was|were|fixed|removed|retired|now|until|previously|formerly|used to|wrong|stale)\b",
    re.IGNORECASE,
)
_MARKER = re.compile(
    r"^\W*(?:STATUS\s*:\s*)?(?:[A-Z][A-Z ]{3,}|Update|Correction|Corrected)\b"
    r"\W*(?:\(?20\d{2}-\d{2}-\d{2}[^):\u2014-]*\)?)?[\s:\u2014*_).,-]*"
)
_WITHOUT_SUBJECT = re.compile(r"(?:it|they|this|that|these|those|he|she)\b", re.IGNORECASE)
_OWN = re.compile(r"^\s*> (?:Superseded by|Archived|Qualified by) ")
_PLAIN = re.compile(r"[*`]|\[\[|\]\]")
HEAD = 15
"""Body lines within which a bare `Superseded by` speaks of the whole memory."""
LONGEST = 150


@dataclass(frozen=True, slots=True)
class Correction:
    """The line of a body (0-based) that takes something back; `whole` where it takes back the memory, `partly` where it
    says that only a part is meant, `pointing` where only the memory it names shows that it speaks of the whole."""

    line: int
    text: str
    whole: bool
    partly: bool
    pointing: bool

    @property
    def says(self) -> str:
        """The text behind the word and the date that it opens with."""
        return _MARKER.sub("", self.text, count=1)


def corrections(memory: Memory) -> Iterator[Correction]:
    """Lines outside code that open with a word such as UPDATE or SUPERSEDED, each with the lines of its paragraph."""
    lines = memory.body.split("\n")
    fenced = False
    for at, line in enumerate(lines):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        if fenced or _OWN.match(line):
            continue
        whole = at < HEAD and _WHOLE.match(line) is not None
        pointing = at < HEAD and "[" in line and _POINTING.match(line) is not None
        if whole or pointing or _AMENDING.match(line):
            text = _paragraph(lines, at)
            yield Correction(at, text, whole or pointing, bool(_PARTLY.search(text[:200])), pointing and not whole)


def stands_against(memory: Memory, correction: Correction) -> bool:
    """Whether the description still says what the correction takes back.

    It must not speak of a change itself, and either disagree with a sentence of the correction by a value or polarity
    (by a word, where it is called a correction), or be about the memory as a whole that is taken back.
    """
    if not memory.description or correction.pointing or _AWARE.search(memory.description):
        return False
    if not correction.partly and (correction.whole or _UNTRUE.match(correction.says)):
        return True
    strict = _TAKING_BACK.match(correction.text) is not None
    if not strict and _ADDING.search(correction.says):
        return False
    stated, said = Text("", memory.description).sentences, sentences(correction.says)
    return any(_disagree(old, new, strict) or _other_amount(old, new, strict) for old in stated for new in said)


def in_its_words(correction: Correction) -> str:
    """The first sentence of the correction as a description of at most 150 characters; "" where it is longer."""
    bare = _UNTRUE.sub("", correction.says, count=1) if _UNTRUE.match(correction.says) else correction.says
    for one in sentences(bare)[:1]:
        for text in (one.text, re.split(r"\s[\u2014;]\s|;\s", one.text)[0]):
            plain = _PLAIN.sub("", text).strip(" .:;-")
            if 20 <= len(plain) <= LONGEST and len(plain.split()) >= 4 and not _WITHOUT_SUBJECT.match(plain):
                return plain[0].upper() + plain[1:]
    return ""


def _disagree(old: Sentence, new: Sentence, strict: bool) -> bool:
    if fold(old.text) == fold(new.text) or not old.weight:
        return False
    found = differ(old.tokens, new.tokens)
    if found is None or found.shared < 2:
        return False
    if found.kinds & {"value", "polarity"} and found.shared >= 0.5 * old.weight:
        return True
    return strict and bool(found.kinds & {"word", "name"}) and found.shared >= 0.65 * min(old.weight, new.weight)


def _other_amount(old: Sentence, new: Sentence, strict: bool) -> bool:
    """Whether the two speak of another number of the same thing, and share a word besides.

    The new one has no subject of its own, is called a correction, or names the old number too: it may else add to it.
    """
    before, after = (_amounts(one) for one in (old, new))
    things = {
        thing
        for thing, amount in before
        if any(thing == other and amount != now for other, now in after)
        and (strict or _WITHOUT_SUBJECT.match(new.text) or (thing, amount) in after)
    }
    return any(len({word for word in old.content & new.content if not kind_of(word)} - {thing}) > 0 for thing in things)


def _amounts(sentence: Sentence) -> list[tuple[str, str]]:
    """(what is counted or the unit, the number), of each number with a word behind it."""
    pairs = zip(sentence.tokens, sentence.tokens[1:], strict=False)
    return [(thing, number) for number, thing in pairs if kind_of(number) == "number" and is_content(thing)]


def _paragraph(lines: list[str], at: int) -> str:
    end = next((i for i in range(at + 1, len(lines)) if not lines[i].strip()), len(lines))
    return " ".join(line.strip() for line in lines[at : min(end, at + 12)])
