"""Text that a reader cannot see.

What it finds
    Zero-width characters, bidirectional controls, tag and control characters, and (as advice) names that imitate
    another memory's by look-alike letters. Emoji sequences, joiners inside scripts that need them, and direction marks
    beside right-to-left letters are left alone.

Why it matters
    What a person reviewing a memory does not see, the model still reads. Read on 3,926 memories of 11 public
    stores: 4 findings, 4 right, two of them texts about the character they hold.

What it proposes
    To remove them, shown as escapes; the same in many files is one proposal. A control character in a path of
    backslashes is what `\\b` or the like was turned into, and is written back as that. Where the text itself
    speaks of the character by its number or name, it is only said to be there; not so for what reorders text or carries
    hidden words, which deceives all the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import datetime

from gardener.model.edit import Edit, Replace
from gardener.model.finding import Finding, Quote
from gardener.model.memory import Memory
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings

_JOINERS = "\u200c\u200d"
_MARKS = "\u200e\u200f\u061c"
_SUSPECT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u061c\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_DECEIVING = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
"""What reorders or smuggles text: a text that names one may still deceive with it."""
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
_ESCAPES = {"\a": "\\a", "\b": "\\b", "\v": "\\v", "\f": "\\f", "\x1b": "\\e"}
_LOOKALIKES = str.maketrans("аеорсухіјѕԁոΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "aeopcyxijsdnABEZHIKMNOPTYXo")


def find(snapshot: Snapshot, settings: PassSettings, now: datetime) -> Iterator[Finding]:
    names = {memory.name: memory for memory in snapshot.active}
    for memory in snapshot.active:
        edits = tuple(_edits(memory))
        if edits:
            yield _finding(memory, edits) if not _spoken_of(edits, memory) else _mention(memory, edits)
        plain = memory.name.translate(_LOOKALIKES)
        if plain != memory.name and plain in names:
            says = f'the name "{memory.name}" imitates "{plain}" with letters of another alphabet'
            yield Finding("hidden_text", says, (memory.path, names[plain].path), score=0.6)


def _edits(memory: Memory) -> Iterator[Edit]:
    text = memory.data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    if not _SUSPECT.search(text) or "\0" in text or _NOT_UTF8.search(text):
        return  # bytes of another encoding are not hidden text, and taking some away would ruin the rest
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.removesuffix("\r")
        clean = "".join(_shown(bare, i) if _SUSPECT.match(c) else c for i, c in enumerate(bare))
        marked = number == 1 and memory.data.startswith(b"\xef\xbb\xbf")
        if clean != bare and not marked:
            yield Replace(memory.path, number, bare, clean)


def _shown(line: str, at: int) -> str:
    """What stands for the character at `at`: itself where it serves, the escape it came from, or nothing."""
    character = line[at]
    if not _hides(line, at):
        return character
    run = line[:at].rpartition(" ")[2] + line[at:].partition(" ")[0]
    return _ESCAPES.get(character, "") if "\\" in run else ""


def _hides(line: str, at: int) -> bool:
    """Whether the character at `at` hides something, rather than serving its script or an emoji."""
    character = line[at]
    before, after = line[at - 1] if at else "", line[at + 1] if at + 1 < len(line) else ""
    if character in _JOINERS:
        return not (_joins(before) and (_joins(after) or character == "\u200c"))
    if character in _MARKS:
        return not any(
            unicodedata.bidirectional(c) in _RIGHT_TO_LEFT for c in line[max(0, at - 12) : at + 12] if c != character
        )
    if "\U000e0020" <= character <= "\U000e007f":
        return "\U0001f3f4" not in line[max(0, at - 8) : at]
    return True


def _joins(character: str) -> bool:
    """Whether joiners have a work to do beside this character: emoji, and scripts written with joined letters."""
    if not character:
        return False
    number = ord(character)
    joined = 0x0590 <= number <= 0x109F or 0x1780 <= number <= 0x18AF
    return joined or unicodedata.category(character) in {"So", "Sk", "Mn"} or 0x1F000 <= number <= 0x1FAFF


def _spoken_of(edits: tuple[Edit, ...], memory: Memory) -> bool:
    """Whether the text names every character it hides, so that it is about them rather than hiding something."""
    text = memory.data.decode("utf-8", "surrogateescape").casefold()
    old = {c for edit in edits if isinstance(edit, Replace) for c in edit.old if _SUSPECT.match(c)}
    return all(_named(character, text) and not _DECEIVING.match(character) for character in old)


def _named(character: str, text: str) -> bool:
    number = ord(character)
    code = f"{number:04x}"
    told = [f"u+{code}", f"\\u{code}", unicodedata.name(character, "u+" + code).casefold()]
    told += [f"\\x{number:02x}"] if number <= 0xFF else []
    return any(name in text or name.replace("zero width", "zero-width") in text for name in told)


def _mention(memory: Memory, edits: tuple[Edit, ...]) -> Finding:
    lines = ", ".join(str(edit.line) for edit in edits[:8] if isinstance(edit, Replace))
    says = f'"{memory.name}" holds the hidden characters it speaks of in line {lines}'
    return Finding("hidden_text", says, (memory.path,), score=0.3)


def _finding(memory: Memory, edits: tuple[Edit, ...]) -> Finding:
    lines = [edit for edit in edits if isinstance(edit, Replace)]
    where = ", ".join(str(edit.line) for edit in lines[:8])
    written_back = any(edit.new and edit.new.count("\\") > edit.old.count("\\") for edit in lines)
    return Finding(
        "hidden_text",
        f'"{memory.name}" holds hidden characters in line {where}',
        (memory.path,),
        edits,
        risk="judgement" if written_back else "safe",
        score=0.8,
        quotes=tuple(Quote(memory.path, edit.old, edit.line) for edit in lines[:8]),
        group="" if written_back else "hidden characters",
    )


PASS = Pass("hidden_text", PassSettings, find)
