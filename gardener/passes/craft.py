"""Faults of writing that make a memory hard to use later.

What it finds
    Memory-graph memories that open with talk about the memory, a chat summary or an instruction to the reader, that
    tell time from a "now" nobody knows, guess, count along, or consist of one long quotation. English only; text in
    another language is left alone.

Why it matters
    A memory is read months later by someone who was not there: "yesterday", "the user asked" and "for now" mean nothing
    to them.

What it proposes
    Nothing to apply: the right words are known to the one who was there. It is advice; `everywhere = true` gives it for
    the other formats too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from gardener.model.finding import Finding
from gardener.model.memory import GRAPH_TYPES, Memory
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings

_ENGLISH = frozenset("the a an is are was were to of and in for on with that this it not be by as at or from".split())
_TOLD = {
    "tells time from an unknown now": r"\b(?:yesterday|tomorrow|today|last (?:week|night|month)|next (?:week|month)"
    r"|this (?:morning|week)|just now|a few (?:days|weeks) ago)\b",
    "sums up a chat": r"\A\W*(?:(?:in )?this (?:conversation|chat|session)|the user (?:asked|said|wants? to know"
    r"|told me)|we (?:discussed|talked about|chatted))\b",
    "speaks to the reader": r"\A\W*(?:remember (?:to|that)|please\b|make sure (?:to|you)"
    r"|you (?:should|must|need to)|don't forget)\b",
    "opens with talk about itself": r"\A\W*(?:this (?:memory|note|file|document) (?:describes|records|captures"
    r"|is about|contains)|summary of\b|notes? (?:on|about)\b)",
    "guesses": r"\b(?:i (?:think|guess|believe)|not sure (?:if|whether)|might be that|possibly because"
    r"|i'm not certain)\b",
    "counts along": r"\b(?:so far|up to now|for the (?:third|fourth|fifth|\d+th) time"
    r"|\d+ times (?:now|already|so far))\b",
    "does not say what it is about": r"\A\W*(?:it|they|he|she|that|those|these) "
    r"(?:is|are|was|were|has|have|does|do|will|can)\b",
}
_FAULTS = tuple((says, re.compile(pattern, re.IGNORECASE)) for says, pattern in _TOLD.items())
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
    text = re.sub(r"`[^`]*`|\"[^\"]*\"|^#.*$", " ", memory.body.strip(), flags=re.MULTILINE).strip()[:_READ]
    if not _is_english(f"{memory.description} {text}"):
        return
    found = [says for says, pattern in _FAULTS if pattern.search(text)]
    if _is_quotation(memory.body):
        found.append("is one long quotation")
    if found:
        yield Finding("craft", f'"{memory.name}" {", ".join(found)}', (memory.path,), score=0.1 * len(found))


def _is_english(text: str) -> bool:
    words = re.findall(r"[^\W\d_]+", text.casefold())
    return len(words) >= 8 and sum(word in _ENGLISH for word in words) * 12 >= len(words)


def _is_quotation(body: str) -> bool:
    lines = [line for line in body.split("\n") if line.strip()]
    return len(lines) >= 3 and all(line.lstrip().startswith(">") for line in lines)


PASS = Pass("craft", CraftSettings, find)
