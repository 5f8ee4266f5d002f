"""Files that lie where they do not belong.

What it finds
    A journal or other work artifact filed as a memory (named by a date, with three and more dated headings, or as
    long and divided as a document), and a stage that only says something landed. Code does not count, nor a date in
    the name of a decision, refutation or gotcha, nor sections that each tell the cause of an incident. As advice: a
    global memory that names one project only.

Why it matters
    Memories are loaded by name and description and must stay true; journals and milestones are read once. Among
    memories they cost tokens and crowd out facts. Of 11 public stores only a plain one files journals, and on
    purpose; on 80 made-up memories: 2 findings, 2 right, none missed.

What it proposes
    To move the file to the notes without the keys that only a memory has; every other byte stays. Formats that know no
    notes are left alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from gardener.model.edit import Edit, Move, Replace
from gardener.model.finding import Finding
from gardener.model.memory import Memory
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings
from gardener.text.links import without_code
from gardener.text.open_items import open_items

_DATED_NAME = re.compile(r"\d{4}-\d\d-\d\d(?:$|[-_])")
_DATED_HEADING = re.compile(r"^#{1,6}\s+(?:\W*)\d{4}-\d\d-\d\d\b", re.MULTILINE)
_LANDED = re.compile(r"\b(?:landed|shipped|merged|released|deployed|went live|rolled out|completed?)\b", re.IGNORECASE)
_GOES_ON = re.compile(r"\b(?:next|remaining|still|open|blocked|until|waiting)\b", re.IGNORECASE)
_HEADING = re.compile(r"^#{1,6}\s+\S", re.MULTILINE)
_CASES = re.compile(r"\b(?:causes|lessons?|post-?mortems?|incidents|outages|ursachen|ausfälle)\b", re.IGNORECASE)
_LESSON = re.compile(r"\b(?:because|causes?|caused by|never|always|lesson|weil|nie|immer)\b", re.IGNORECASE)
_TOP = 300
"""Characters in which a text says what it is about."""
_ENOUGH_HEADINGS = 3
_DOCUMENT_HEADINGS, _DOCUMENT_WORDS = 8, 1200
"""From here on a text is a document: of 378 memories of public stores, one fact each, the longest two reach it."""
_LONG_KINDS = frozenset({"runbook", "protocol", "reference", "convention"})
_DATED_KINDS = frozenset({"decision", "refuted", "gotcha"})
"""Kinds whose files are named by the day on which one fact was settled, as records of decisions are."""
_LIFECYCLE = ("kind", "type", "importance", "forgotten", "valid_from", "invalid_at", "superseded_by")


def find(snapshot: Snapshot, settings: PassSettings, now: datetime) -> Iterator[Finding]:
    projects = {memory.project for memory in snapshot.active if memory.project}
    for memory in snapshot.active:
        if not memory.parsed or not memory.conventions.ids:
            continue
        target = f"{snapshot.notes_folder}/{memory.project or '_global'}/{memory.stem}.md"
        if snapshot.notes_folder and target not in snapshot.files and memory.path not in snapshot.linked_from:
            yield from _move(memory, target)
        if not memory.project and len(projects) > 1:
            yield from _one_project(memory, projects)


def _move(memory: Memory, target: str) -> Iterator[Finding]:
    told = without_code(memory.body)
    headings = 0 if _teaches(memory, told) else len(_DATED_HEADING.findall(told))
    if _DATED_NAME.match(memory.stem) and memory.kind not in _DATED_KINDS:
        says, why = "is a journal of one day", "It is named by a date."
    elif headings >= _ENOUGH_HEADINGS:
        says, why = "is a journal", f"{headings} of its headings are dates."
    elif memory.kind not in _LONG_KINDS and _is_document(told):
        says, why = "is a document", f"It has {len(told.split()):,} words under its own headings."
    elif memory.kind == "stage" and memory.stage and memory.stage.line is None and _only_landed(memory):
        says, why = "is a milestone filed as a stage", "It has no status and says that the work landed."
    else:
        return
    edits = (*_without_lifecycle(memory), Move(memory.path, target))
    yield Finding("placement", f'"{memory.name}" {says}', (memory.path,), edits, score=0.5, why=(why,))


def _teaches(memory: Memory, body: str) -> bool:
    """Whether dated sections are the cases of a lesson: the text says so at its top, or each of them holds one."""
    top, *sections = _DATED_HEADING.split(body)
    return _CASES.search(f"{memory.description} {top[:_TOP]}") is not None or all(map(_LESSON.search, sections))


def _is_document(body: str) -> bool:
    return len(body.split()) >= _DOCUMENT_WORDS and len(_HEADING.findall(body)) >= _DOCUMENT_HEADINGS


def _without_lifecycle(memory: Memory) -> Iterator[Edit]:
    """The lines of keys that a note does not have go; a value over several lines stays."""
    text = memory.data[: memory.body_at].decode("utf-8", "surrogateescape").split("\n")
    ends = {*memory.lines.values(), len(text) - 1}
    for key in _LIFECYCLE:
        line = memory.lines.get(key)
        if line is not None and line + 1 in ends:
            yield Replace(memory.path, line, text[line - 1].removesuffix("\r"), None)


def _only_landed(memory: Memory) -> bool:
    text = memory.body.strip()
    if len(text.split()) > 80 or _LANDED.search(text) is None or _GOES_ON.search(text):
        return False
    return next(open_items(text), None) is None


def _one_project(memory: Memory, projects: set[str]) -> Iterator[Finding]:
    words = Counter(re.findall(r"[\w-]+", f"{memory.description} {memory.body}".casefold()))
    named = [project for project in projects if len(project) > 3 and words[project.casefold()] >= 2]
    if len(named) == 1:
        yield Finding("placement", f'global "{memory.name}" speaks of {named[0]} only', (memory.path,), score=0.2)


PASS = Pass("placement", PassSettings, find)
