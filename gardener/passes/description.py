"""Descriptions by which nobody finds the memory.

What it finds
    Where the format defines the key: a missing description, one of more than 150 characters (in formats that set that
    limit), one that YAML cut at ` #`, and one that only repeats the name or says "notes about" it. As advice: one that
    shares no word with its body.

Why it matters
    The description is the only text an index shows. What it does not say is not found. Read on 3,926 memories of 11
    public stores: 6 findings, 6 right; on 80 made-up memories 5 more, none wrong or missed.

What it proposes
    A description in the memory's own words, to be edited at will. What a shorter one drops moves verbatim to the top of
    the body, behind a stage's header; where that would begin amid a sentence, all of it does. Nothing is lost. A
    missing one is the first sentence of the body without marks of emphasis.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from itertools import takewhile

from gardener.model.edit import Edit, Replace, SetField
from gardener.model.finding import Finding
from gardener.model.memory import Memory
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings
from gardener.text.english import is_english
from gardener.text.frontmatter import cut_by_comment, read
from gardener.text.stage import header_end

LONGEST = 150
SHORTEST_CUT = 60
LONGEST_TOPIC = 4
"""Words of a name that is a topic; a longer one is a statement, and may be said again."""
_WHOLE = r"(?<!\s\d)(?<!\s\d\d)(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bcf)(?<!\betc)"
"""Before a full stop that ends a sentence, rather than a number in a list or an abbreviation."""
_CLAUSES = (re.compile(rf"{_WHOLE}[.!?](?= )"), re.compile(r"[;:](?= )| [—–](?= )|,(?= )"))
_SENTENCE = re.compile(rf"(.+?[^.]{_WHOLE}[.!?])(?:\s|$)", re.DOTALL)
_EMPHASIS = re.compile(
    r"(?P<code>`+[^`]*`+)|(?<![\w*\\])(?P<mark>\*\*\*|\*\*|\*)(?=[^\s*])(?P<bold>[^*`\n]*[^\s*])(?P=mark)(?![\w*])"
    r"|(?<![\w\\])_(?=[^\W_])(?P<leaning>[^_`\n]* [^_`\n]*[^\s_])_(?!\w)"
)
"""Balanced pairs around words; an underscore counts only around several, since `__init__` and `_id_` are names."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_FILLER = frozenset(
    "a an the this of for on about to in and with our my how note notes memory memories info information detail details"
    " overview summary things stuff misc various general documentation docs topic thoughts some everything remarks"
    " facts related regarding concerning description page file what works".split()
)
_FORM = re.compile(r"(?:ings?|ers?|ed|es|s|e)\Z")
_DOUBLED = re.compile(r"([^aeiou\W])\1\Z")
_FRAGMENT = re.compile(r"(?:because|and|but|or|nor|which|who|whose|whereas|than|so that)\b")
"""What only goes on with a sentence; with a capital it may begin one."""
_EMPTY = frozenset(
    "about after also are been before can could does each every for from has have how into its just more most"
    " must never not off once only onto our out over own same should some than that the their them then there"
    " these they this those two under use used uses using very was were what when where which who why will with"
    " without you your".split()
)
"""Words that say nothing of what a text is about."""
_SAID, _READ = 4, 12
"""Words that say something, and words of a body, from which on it means something that they share none."""
_LISTED = re.compile(r"\s*(?:[-*+|>]|\d+[.)])\s")
_MARKUP = re.compile(r"^(?:#{1,6}\s+|[-*+>]\s+|\d+[.)]\s+|\*\*[^*]+:\*\*\s*)+")


class DescriptionSettings(PassSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`longest` description in characters that an index should carry."""

    longest: int = LONGEST


def find(snapshot: Snapshot, settings: DescriptionSettings, now: datetime) -> Iterator[Finding]:
    for memory in snapshot.active:
        if memory.parsed and memory.has_front_matter and memory.defines("description"):
            yield from _one(memory, settings.longest)


def _one(memory: Memory, longest: int) -> Iterator[Finding]:
    said = memory.description
    lead = _lead(memory)
    short = shortened(lead, longest if memory.conventions.ids else 2 * longest)[0]
    if _cut_short(memory):
        why = "YAML reads ` #` as the start of a comment; in quotes the whole line counts."
        yield _finding(memory, "has a description that YAML cuts short", (_set(memory, said),), why, 0.8)
    elif not said and lead:
        why = "The first sentence of its body."
        yield _finding(memory, "has no description", (_set(memory, short),), why, 0.7)
    elif said and lead and _only_topic(memory) and _fold(lead) != _fold(said):
        why = "It says no more than the name; the first sentence of its body does."
        yield _finding(memory, "has a description that says only its topic", (_set(memory, short),), why, 0.6)
    elif len(said) > longest and memory.conventions.ids:
        yield from _long(memory, longest)
    elif _is_foreign(memory):
        yield Finding(
            "description",
            f'"{memory.name}" has a description that shares no word with its body',
            (memory.path,),
            score=0.2,
        )


def _cut_short(memory: Memory) -> bool:
    if b" #" not in memory.data[: memory.body_at]:
        return False
    text = memory.data.decode("utf-8", "surrogateescape")
    entry = read(text).entries.get("description")
    return entry is not None and cut_by_comment(text, entry) is not None


def _long(memory: Memory, longest: int) -> Iterator[Finding]:
    short, dropped = shortened(memory.description, longest)
    if dropped and not _reads_alone(memory.description, short, dropped):
        dropped = memory.description
    lines = [line.removesuffix("\r") for line in memory.body.split("\n")]
    at = next((i for i, line in enumerate(lines) if line.strip()), None)
    if not dropped or at is None:
        return
    moved = Replace(memory.path, memory.body_line + at, lines[at], f"{dropped}\n\n{lines[at]}")
    ends = header_end(memory.body)
    if ends:  # behind a stage's header, which counts within the first lines only
        at = next((i for i in range(ends, len(lines)) if not lines[i].strip()), len(lines)) - 1
        moved = Replace(memory.path, memory.body_line + at, lines[at], f"{lines[at]}\n\n{dropped}")
    why = (
        f"An index shows {longest} characters; it has {len(memory.description)}. The rest moves to the top of the body."
    )
    yield _finding(memory, "has a description longer than an index shows", (_set(memory, short), moved), why, 0.5)


def _reads_alone(text: str, short: str, dropped: str) -> bool:
    """Whether what a shorter description drops can stand by itself: it was cut behind a sentence or its like."""
    return (short[-1] in ".!?" or text[len(short) :].startswith(";")) and not _FRAGMENT.match(dropped)


def shortened(text: str, longest: int = LONGEST) -> tuple[str, str]:
    """(at most `longest` characters cut behind a sentence, else a clause, else a word; what was dropped)."""
    if len(text) <= longest:
        return text, ""
    for clause in _CLAUSES:
        ends = [found.end() for found in clause.finditer(text, 0, longest) if found.end() >= SHORTEST_CUT]
        if ends:
            return text[: ends[-1]].rstrip(" ,;:—–"), text[ends[-1] :].strip()
    space = text.rfind(" ", SHORTEST_CUT, longest)
    return (text[:space].rstrip(), text[space:].strip()) if space > 0 else (text, "")


def _lead(memory: Memory) -> str:
    """The first sentence of the body, without markup; "" where it begins with code or a table."""
    for block in memory.body.replace("\r\n", "\n").split("\n\n"):
        line = _MARKUP.sub("", _paragraph(block)).strip().rstrip(":")
        if line.startswith(("```", "~~~", "|", "<", "!")):
            return ""
        if (
            line
            and not _FRAGMENT.match(line)
            and not block.lstrip().startswith("#")
            and not re.match(r"(?i)\**(?:status|gate)\b", line)
        ):
            flat = _EMPHASIS.sub(lambda m: m["code"] or m["bold"] or m["leaning"], " ".join(line.split()))
            found = _SENTENCE.match(flat)
            return found.group(1) if found and len(found.group(1)) >= 20 else flat
    return ""


def _paragraph(block: str) -> str:
    """A block up to the list in it."""
    first, *rest = block.strip().split("\n")
    return "\n".join([first, *takewhile(lambda line: not _LISTED.match(line), rest)])


def _only_topic(memory: Memory) -> bool:
    """Whether the description has no word but those of the name, apart from words like "notes about"."""
    said, *names = (_fold(text).split() for text in (memory.description, memory.name, memory.stem))
    if said in names:
        return True
    more = {_stem(word) for word in said if word not in _FILLER}
    return any(more <= set(map(_stem, name)) for name in names if len(name) <= LONGEST_TOPIC)


def _stem(word: str) -> str:
    """A word without its English ending: `log` for `logs` and `logging`, `cach` for `cache` and `caching`."""
    stem = _DOUBLED.sub(r"\1", _FORM.sub("", word))
    return stem if len(stem) >= 3 else word


def _set(memory: Memory, value: str) -> Edit:
    return SetField(memory.path, "description", value)


def _finding(memory: Memory, says: str, edits: tuple[Edit, ...], why: str, score: float) -> Finding:
    return Finding("description", f'"{memory.name}" {says}', (memory.path,), edits, score=score, why=(why,))


def _fold(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text.casefold()).strip()


def _is_foreign(memory: Memory) -> bool:
    said = {word for word in _WORD.findall(memory.description.casefold()) if word not in _EMPTY}
    known = f"{memory.body} {memory.name} {memory.stem}".casefold()
    if len(said) < _SAID or any(word[:4] in known for word in said):
        return False
    return (
        len(_WORD.findall(memory.body)) >= _READ and is_english(memory.description, _SAID) and is_english(memory.body)
    )


PASS = Pass("description", DescriptionSettings, find)
