"""Stages whose status nobody can read.

What it finds
    A `stage` without a `Status:` line in its first 12 body lines, or with a value that is none of open,
    in_progress, blocked and done.

Why it matters
    A stage without a readable status stays in the briefing for a week and then drops out, whether or not the work
    is finished. No public store of the 11 read keeps stages; on 80 made-up memories: 2 findings, 2 right, none
    missed.

What it proposes
    A readable line in the place of the unreadable one, whose words stay on the next line as "Status before"; above the
    text where there is none. Where the value is a plain synonym (completed, wip, waiting …) the word it stands for,
    which is safe, but for "done" over a text that says what is still open; else a choice of the four.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from gardener.model.edit import Append, Edit, Replace
from gardener.model.finding import Choice, Finding, Quote
from gardener.model.memory import Memory
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings
from gardener.text.open_items import open_items
from gardener.text.stage import normalise, read_stage

_WORDS = {
    "open": "todo to_do planned new pending not_started proposed backlog queued",
    "in_progress": "wip started active ongoing doing underway in_work working inprogress",
    "blocked": "waiting on_hold hold paused stalled deferred",
    "done": "complete completed finished shipped merged landed closed resolved implemented delivered released",
}
_RULE = re.compile(r"(?=.*-)(?=.*\|)[ \t>|:-]+")
_SYNONYMS = {word: status for status, words in _WORDS.items() for word in words.split()}


def find(snapshot: Snapshot, settings: PassSettings, now: datetime) -> Iterator[Finding]:
    for memory in snapshot.active:
        if memory.stage is not None and memory.stage.status == "unknown" and memory.parsed and memory.defines("kind"):
            yield _finding(memory)


def _finding(memory: Memory) -> Finding:
    stage = memory.stage
    assert stage is not None
    exact = _SYNONYMS.get(normalise(stage.raw))
    implied = exact or _first_word(stage.raw)
    said = f"says Status: {stage.raw}" if stage.line else "has no Status line in its first 12 lines"
    if implied:
        left = _left(memory) if implied == "done" else ()
        return Finding(
            "unknown_status",
            f'Stage "{memory.name}" {said}, which means {implied}',
            (memory.path,),
            (_header(memory, implied),),
            risk="safe" if exact and not left else "judgement",
            score=0.8,
            why=("Readers know open, in_progress, blocked and done; any other word counts as unknown.",),
            quotes=left,
        )
    choices = tuple(
        Choice(letter, status, (_header(memory, status),))
        for letter, status in zip("abcd", ("open", "in_progress", "blocked", "done"), strict=True)
    )
    return Finding(
        "unknown_status",
        f'Stage "{memory.name}" {said}',
        (memory.path,),
        choices=choices,
        score=0.5,
        why=("A stage without a readable status drops out of the briefing a week after its last update.",),
    )


def _first_word(raw: str) -> str | None:
    """What the text before a bracket, comma or dash stands for, as in `done (2026-07-01)`."""
    word = normalise(re.split(r"[(,;.–—]| - ", raw, maxsplit=1)[0])
    return word if word in _WORDS else _SYNONYMS.get(word)


def _left(memory: Memory) -> tuple[Quote, ...]:
    items = open_items(memory.body)
    return tuple(Quote(memory.path, line, memory.body_line + at, "still open") for at, line in items)


def _header(memory: Memory, status: str) -> Edit:
    """A Status line where the unreadable one stood, else above the first line of text, where it counts."""
    stage, lines = memory.stage, [line.removesuffix("\r") for line in memory.body.split("\n")]
    if stage is not None and stage.line is not None:
        at = stage.line - memory.body_line
        old = lines[at]
        if lines[at + 1 : at + 2] and _RULE.fullmatch(lines[at + 1]):  # the heads of a table, which may say else
            return Replace(memory.path, stage.line, old, f"Status: {status}\n\n{old}")
        return Replace(memory.path, stage.line, old, _restated(old, stage.raw, status))
    for offset, text in enumerate(lines):
        if text.strip():
            return Replace(memory.path, memory.body_line + offset, text, f"Status: {status}\n\n{text}")
    return Append(memory.path, f"Status: {status}")


def _restated(line: str, raw: str, status: str) -> str:
    """The line with a status that can be read, in its own dress, and below it the words that stood there."""
    at = line.rfind(raw)
    new = f"{line[:at]}{status}{line[at + len(raw) :]}" if raw else f"Status: {status}"
    if read_stage(new).status != status or any(new.count(mark) % 2 for mark in ("`", "**")):
        new = f"Status: {status}"
    before = re.sub("status", lambda word: f"{word[0]} before", line, count=1, flags=re.IGNORECASE)
    return f"{new}\n{before}" if normalise(raw) else new


PASS = Pass("unknown_status", PassSettings, find)
