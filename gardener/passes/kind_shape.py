"""Memories that lack what their kind is for.

What it finds
    A decision without a reason or a rejected alternative, a gotcha without a symptom, a runbook without steps, a
    reference without an address, be it of a page, a machine, a person or a room. English only.

Why it matters
    A decision whose reason is gone is made again; a gotcha is recognised by its symptom, not by its cure. No public
    store of the 11 read has these kinds; on 80 made-up memories: 5 findings, 4 right, none missed.

What it proposes
    Nothing to apply: what is missing is known only to the one who was there. It is advice in the report and in `check`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from gardener.model.finding import Finding
from gardener.model.memory import GRAPH_TYPES
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings
from gardener.text.english import is_english
from gardener.text.lifecycle import OWN_LINE

_I = re.IGNORECASE
_SHAPES: dict[str, tuple[re.Pattern[str], str]] = {
    "decision": (
        re.compile(
            r"\b(?:because|since|reason|why|so that|rather than|instead of|reject\w*|alternativ\w*|in favou?r of|over|"
            r"trade-?offs?|due to|to avoid|would have|weil|statt"
            r"|would (?:need|require|cost|mean|force|break|lose|add)|too (?:slow|big|large|heavy|expensive"
            r"|costly|complex|fragile|many|few|much|late|hard)"
            r"|(?:does|do|did|could)(?:n't| not) (?:support|scale|fit|justify"
            r"|allow|offer|handle|work)|cannot|can't|lacks?)\b",
            _I,
        ),
        "a reason or a rejected alternative",
    ),
    "gotcha": (
        re.compile(
            r"\b(?:fail\w*|err(?:or)?s?|hang\w*|crash\w*|wrong\w*|symptom\w*|break\w*|broke\w*|silent\w*|times? ?out"
            r"|lost|los\w+|miss\w*|never|cannot|can't|does ?n[o']t|must|not|only|unless|exit\w*|exception\w*|panic\w*"
            r"|stuck|slow\w*|instead|ignor\w*|skip\w*|reset\w*|corrupt\w*|leak\w*|race\w*|block\w*|den(?:y|ied)|refus\w*|reject\w*)\b",
            _I,
        ),
        "a symptom",
    ),
    "runbook": (
        re.compile(r"^\s*(?:\d+[.)]|[-*+])\s+\S|^\s*(?:```|~~~)|\b(?:then|first|run|step)\b", _I | re.M),
        "steps",
    ),
    "reference": (
        re.compile(
            r"://|`[^`]+`|(?:^|\s)[~.]?/[\w.-]+|\b[\w-]+\.[a-z]{2,12}\b|@|:\d{2,5}\b|\bports? \d+|#\w+|\[\[|\]\("
            r"|(?:\+|\b0)\d[\d ()/.-]{5,}\d|\b(?:phone|tel|extension)\b.{0,30}?\d{3}|(?-i:\b[A-Z]\w+ [/>›→] [A-Z]\w+)"
            r"|\b(?:room|floor|building|desk|shelf|drawer|raum|zimmer) (?:[A-Z]\W?)?\d",
            _I | re.M,
        ),
        "an address",
    ),
}


FEWEST = 4
"""Words from which on a text's language shows."""


def find(snapshot: Snapshot, settings: PassSettings, now: datetime) -> Iterator[Finding]:
    for memory in snapshot.active:
        known = memory.defines("kind") or (memory.defines("importance") and memory.kind in GRAPH_TYPES)
        shape = _SHAPES.get(memory.kind) if known else None
        body = OWN_LINE.sub("", memory.body) if shape is not None and memory.parsed else ""
        if shape is not None and is_english(body, FEWEST) and not shape[0].search(f"{memory.description}\n{body}"):
            says = f'{memory.kind} "{memory.name}" does not state {shape[1]}'
            yield Finding("kind_shape", says, (memory.path,), score=0.3)


PASS = Pass("kind_shape", PassSettings, find)
