"""Memories that correct themselves while their description states the old claim.

What it finds
    A body with a line that opens with UPDATE, CORRECTION, SUPERSEDED, OBSOLETE and the like, whose description speaks
    of no change and still says what that line takes back; or one that names, near its top, the memory that replaces it.

Why it matters
    An index shows only the description, so agents act on the claim that was taken back. Measured: 12 of 695 files
    open a line so; most descriptions were amended along with the body and are left alone. Read on 3,926 memories of
    11 public stores: 2 findings, 2 right.

What it proposes
    A description in the correction's own words, or superseding by the memory it names (qualifying, where it says that
    only a part is replaced). Where the correction has no sentence short enough, advice.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from gardener.model.edit import Edit, Qualify, SetField, Supersede
from gardener.model.finding import Finding, Quote
from gardener.model.memory import Memory
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings
from gardener.text.similarity.correcting import Correction, corrections, in_its_words, stands_against
from gardener.text.similarity.keeping import may_retire


class CorrectionSettings(PassSettings, frozen=True):
    """Nothing of its own."""


def find(snapshot: Snapshot, settings: CorrectionSettings, now: datetime) -> Iterator[Finding]:
    for memory in snapshot.active:
        found = next(filter(None, (_finding(snapshot, memory, one) for one in corrections(memory))), None)
        if found:
            yield found


def _finding(snapshot: Snapshot, memory: Memory, correction: Correction) -> Finding | None:
    successor = _successor(snapshot, memory, correction)
    if successor:
        edit: Edit = (Qualify if correction.partly else Supersede)(memory.path, successor.path)
        part = "says that a part of it is" if correction.partly else "says that it is"
        return _made(
            memory,
            correction,
            f'"{memory.name}" {part} replaced by "{successor.name}"',
            (edit,),
            (successor.path, memory.path),
        )
    if not (
        memory.parsed
        and memory.has_front_matter
        and memory.defines("description")
        and stands_against(memory, correction)
    ):
        return None
    words = in_its_words(correction)
    edits = (SetField(memory.path, "description", words),) if words else ()
    return _made(
        memory, correction, f'"{memory.name}" corrects itself, its description does not', edits, (memory.path,)
    )


def _made(
    memory: Memory, correction: Correction, summary: str, edits: tuple[Edit, ...], subjects: tuple[str, ...]
) -> Finding:
    line = memory.body_line + correction.line
    return Finding(
        pass_name="correction",
        summary=summary,
        subjects=subjects,
        edits=edits,
        score=0.9 if correction.whole else 0.7,
        why=(f"Line {line} of the file takes back what stands before it.",),
        quotes=tuple(_quotes(memory, correction, line)),
    )


def _quotes(memory: Memory, correction: Correction, line: int) -> Iterator[Quote]:
    if memory.description:
        yield Quote(memory.path, memory.description, memory.lines.get("description"), "the description")
    yield Quote(memory.path, correction.text, line, "the correction")


def _successor(snapshot: Snapshot, memory: Memory, correction: Correction) -> Memory | None:
    """The active memory that a correction of the whole names by a link in its own line."""
    if not correction.whole:
        return None
    line = memory.body_line + correction.line
    for link in memory.links:
        target = snapshot.resolve(link, memory.path, memory.project) if link.line == line else None
        if target is not None and target.active and target.path != memory.path and may_retire(memory, target):
            return target
    return None


PASS = Pass("correction", CorrectionSettings, find)
