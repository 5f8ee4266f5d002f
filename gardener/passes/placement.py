"""Files that lie where they do not belong.

What it finds
    A journal or other work artifact filed as a memory (named by a date, or with three and more dated headings), and a
    stage that only says something landed. As advice: a global memory that names one project only.

Why it matters
    Memories are loaded by name and description and must stay true; journals and milestones are read once. Among
    memories they cost tokens and crowd out facts. Of 11 public stores only a plain one files journals, and on
    purpose; on 80 made-up memories: 2 findings, 2 right, none missed.

What it proposes
    To move the file to the notes, byte for byte. Formats that know no notes are left alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from gardener.model.edit import Move
from gardener.model.finding import Finding
from gardener.model.memory import Memory
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings

_DATED_NAME = re.compile(r"\d{4}-\d\d-\d\d(?:$|[-_])")
_DATED_HEADING = re.compile(r"^#{1,6}\s+(?:\W*)\d{4}-\d\d-\d\d\b", re.MULTILINE)
_LANDED = re.compile(r"\b(?:landed|shipped|merged|released|deployed|went live|rolled out|completed?)\b", re.IGNORECASE)
_OPEN = re.compile(r"\[ \]|\b(?:next|remaining|todo|still|open|blocked|pending|until|waiting)\b", re.IGNORECASE)
_ENOUGH_HEADINGS = 3


def find(snapshot: Snapshot, settings: PassSettings, now: datetime) -> Iterator[Finding]:
    projects = {memory.project for memory in snapshot.active if memory.project}
    taken = {note.path for note in snapshot.notes}
    for memory in snapshot.active:
        if not memory.parsed or not memory.conventions.ids:
            continue
        target = f"notes/{memory.project or '_global'}/{memory.stem}.md"
        if target not in taken and memory.path not in snapshot.linked_from:
            yield from _move(memory, target)
        if not memory.project and len(projects) > 1:
            yield from _one_project(memory, projects)


def _move(memory: Memory, target: str) -> Iterator[Finding]:
    headings = len(_DATED_HEADING.findall(memory.body))
    if _DATED_NAME.match(memory.stem):
        says, why = "is a journal of one day", "It is named by a date."
    elif headings >= _ENOUGH_HEADINGS:
        says, why = "is a journal", f"{headings} of its headings are dates."
    elif memory.kind == "stage" and memory.stage and memory.stage.line is None and _only_landed(memory):
        says, why = "is a milestone filed as a stage", "It has no status and says that the work landed."
    else:
        return
    edits = (Move(memory.path, target),)
    yield Finding("placement", f'"{memory.name}" {says}', (memory.path,), edits, score=0.5, why=(why,))


def _only_landed(memory: Memory) -> bool:
    text = memory.body.strip()
    return len(text.split()) <= 80 and _LANDED.search(text) is not None and _OPEN.search(text) is None


def _one_project(memory: Memory, projects: set[str]) -> Iterator[Finding]:
    words = Counter(re.findall(r"[\w-]+", f"{memory.description} {memory.body}".casefold()))
    named = [project for project in projects if len(project) > 3 and words[project.casefold()] >= 2]
    if len(named) == 1:
        yield Finding("placement", f'global "{memory.name}" speaks of {named[0]} only', (memory.path,), score=0.2)


PASS = Pass("placement", PassSettings, find)
