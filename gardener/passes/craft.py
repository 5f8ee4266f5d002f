"""Faults of writing that make a memory hard to use later.

What it finds
    Memory-graph memories that open with talk about the memory, a chat summary or an instruction to the reader, that
    tell time from a "now" nobody knows, guess, count along, begin with "it", come to the point last, or consist of one
    long quotation. Events and observations are left alone, since they tell of one moment as it was; so is what is not
    English or too short to tell.

Why it matters
    A memory is read months later by someone who was not there: "yesterday", "the user asked" and "for now" mean
    nothing to them. Read on 557 memories of 7 public stores with `everywhere = true`: 5 findings, 3 right, 1 open
    to doubt, 1 wrong and mended since; on 80 made-up memories 5 findings, 4 right, none missed.

What it proposes
    Only what takes no knowledge: opening words such as "Remember that" go, and "yesterday", "today" and "tomorrow"
    become the date, where the memory was written in one go on a known day and the word stands by itself as a time; in
    code, names and links, and wherever there is doubt, it stays. The rest is advice, since the right words
    are known to the one who was there. `everywhere = true` gives it for the other formats too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from gardener.model.edit import Replace
from gardener.model.finding import Finding
from gardener.model.memory import GRAPH_TYPES, Memory
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings
from gardener.text.english import is_english

_TOLD = {
    "tells time from an unknown now": r"(?<![\w-])(?:yesterday|tomorrow|today|last (?:week|night|month)"
    r"|next (?:week|month)|this (?:morning|week)|just now|a few (?:days|weeks) ago)\b",
    "sums up a chat": r"\A\W*(?:(?:in )?this (?:conversation|chat|session)|the user (?:asked|said|wants? to know"
    r"|told me)|we (?:discussed|talked about|chatted))\b",
    "speaks to the reader": r"\A\W*(?:remember (?:to|that)|please\b|make sure (?:to|you)"
    r"|you (?:should|must|need to)|don't forget)\b",
    "opens with talk about itself": r"\A\W*(?:this (?:memory|note|file|document) (?:describes|records|captures"
    r"|is about|contains)|summary of\b|notes? (?:on|about)\b)",
    "comes to its point late": r"\A\W*(?:(?:some|a (?:bit|little) of|for) (?:background|context|history)|(?:background"
    r"|context|history):|as you (?:may )?know|before we (?:start|begin))\b",
    "guesses": r"\b(?:i (?:think|guess|believe)|not sure (?:if|whether)|might be that|possibly because"
    r"|i'm not certain)\b",
    "counts along": r"\b(?:so far|up to now|for the (?:third|fourth|fifth|\d+th) time"
    r"|\d+ times (?:now|already|so far))\b",
    "does not say what it is about": r"\A\W*(?:it|they|he|she|that|those|these) "
    r"(?:is|are|was|were|has|have|does|do|will|can)\b",
}
_FAULTS = tuple((says, re.compile(pattern, re.IGNORECASE)) for says, pattern in _TOLD.items())
_OPENING = re.compile(
    r"(?:please )?(?:remember|note(?! to\b)|keep in mind|don't forget|do not forget|be aware|make sure"
    r"|it is (?:important|worth) (?:to note|noting)|as a reminder)(?: that|,|:| to(?= \w))\s+(?=\S)",
    re.IGNORECASE,
)
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_DAY = re.compile(
    r"(?P<lead>(?:(?<=\s)|^)(?i:of|since|until|till|by|from|before|after) )?"
    r"(?:(?<=\s)|^)(?P<day>[Yy]esterday|[Tt]oday|[Tt]omorrow)(?=\s|[.,;:!?](?:\s|$)|$)"
    r"(?!,?\s+(?:(?:and |or )?(?:yesterday|today|tomorrow)|morning|noon|afternoon|evening|night|at \d+|to|is|are|was"
    r"|were|will|has|had|means|marks)\b|\s*[=(\[])"
)
_SENTENCE_GOES_ON = re.compile(r",|\s+(?:the|a|an|we|it|this|our|all|i|they|you|no|every)\b", re.IGNORECASE)
_NO_TIME = re.compile(
    r"(?:\b(?i:to|for|on|at|about|than|like|as|and|or|but|because|if|when|while|so|not|only|just|even|this|that|the|a|an"
    r"|early|late|earlier|later|(?:yesterday|today|tomorrow),?)|[A-Z]{2,}|[\"'(\[])\s+\Z",
)
"""What before such a word makes it something else than a time of its own: in doubt it stays."""
_COMMON = frozenset(
    "the a an it this that these those we you they there never always do does don't use run all any each every no not"
    " if when only after before in on at for with to".split()
)
"""Words that may gain a capital at the start of a sentence: they are no identifiers."""
_NO_PROSE = ("#", ">", "|", "`", "    ", "\t", " >", " |")
_READ = 400


class CraftSettings(PassSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`everywhere` gives the advice for formats other than memory-graph too."""

    everywhere: bool = False


def find(snapshot: Snapshot, settings: CraftSettings, now: datetime) -> Iterator[Finding]:
    for memory in snapshot.active:
        graph = memory.defines("importance") and memory.kind in GRAPH_TYPES
        if memory.parsed and (graph or settings.everywhere) and memory.kind not in {"event", "observation"}:
            yield from _faults(memory)


def _faults(memory: Memory) -> Iterator[Finding]:
    text = _plain(memory.body)
    if not is_english(f"{memory.description} {text}"):
        return
    edits = tuple(_mended(memory))
    after = _plain(_applied(memory, edits))
    found = [says for says, pattern in _FAULTS if pattern.search(after)]
    if _is_quotation(memory.body):
        found.append("is one long quotation")
    if edits:
        mended = [says for says, pattern in _FAULTS if pattern.search(text) and says not in found] or [
            "opens with words that carry nothing"
        ]
        says = f'"{memory.name}" {", ".join(mended)}'
        why = ("Opening words that only address the reader go; days become dates by the day it was written.",)
        yield Finding("craft", says, (memory.path,), edits, score=0.3, why=why)
    if found:
        yield Finding("craft", f'"{memory.name}" {", ".join(found)}', (memory.path,), score=0.1 * len(found))


def _plain(body: str) -> str:
    """The beginning of a body without headings and what it only cites."""
    return re.sub(r"`[^`]*`|\"[^\"]*\"|^#.*$|^>.*$", " ", body.strip(), flags=re.MULTILINE).strip()[:_READ]


def _applied(memory: Memory, edits: tuple[Replace, ...]) -> str:
    lines = memory.body.split("\n")
    for edit in edits:
        lines[edit.line - memory.body_line] = edit.new or ""
    return "\n".join(lines)


def _mended(memory: Memory) -> Iterator[Replace]:
    """The lines of prose near the top that can be told better without knowing more."""
    written = _written(memory)
    first, fenced, read = True, False, 0
    for offset, line in enumerate(memory.body.split("\n")):
        bare = line.removesuffix("\r")
        fenced ^= bare.lstrip().startswith(("```", "~~~"))
        read += len(line) + 1
        if read - len(line) > _READ:
            return
        if fenced or not bare.strip() or bare.startswith(_NO_PROSE):
            continue
        new = _without_opening(bare) if first else bare
        new = _with_dates(new, written) if written and not re.search(r"[`\"<]|\[.*\]", new) else new
        first = False
        if new != bare:
            yield Replace(memory.path, memory.body_line + offset, bare, new)


def _written(memory: Memory) -> date | None:
    """The day the text was written, where all of it was written on one."""
    if memory.created is None or (memory.updated and memory.updated.date() != memory.created.date()):
        return None
    return memory.created.date()


def _without_opening(line: str) -> str:
    found = _OPENING.match(line)
    if not found:
        return line
    rest = line[found.end() :]
    common = re.split(r"[\s,;:]", rest, maxsplit=1)[0] in _COMMON
    return rest[0].upper() + rest[1:] if common else rest


def _with_dates(line: str, written: date) -> str:
    def dated(found: re.Match[str]) -> str:
        before, opens = line[: found.start()], found["day"][0].isupper()
        if not found["lead"] and _NO_TIME.search(before):
            return found[0]
        if opens and (re.search(r"[^.!?:\s]\s*\Z", before) or not _SENTENCE_GOES_ON.match(line, found.end())):
            return found[0]
        day = written + timedelta(days=_DAYS[found["day"].casefold()])
        on = found["lead"] or ("On " if found["day"][0].isupper() else "on ")
        return f"{on}{day:%Y-%m-%d}"

    return _DAY.sub(dated, line)


def _is_quotation(body: str) -> bool:
    lines = [line for line in body.split("\n") if line.strip()]
    return len(lines) >= 3 and all(line.lstrip().startswith(">") for line in lines)


PASS = Pass("craft", CraftSettings, find)
