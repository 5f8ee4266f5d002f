"""Finished stages that are still carried along.

What it finds
    A `stage` whose header says done, or whose status nobody can read, unchanged for 14 days. A live one
    (open, in_progress, blocked) is never touched, nor a favourite, nor one that an active memory or a note links to.

Why it matters
    A stage is pinned into every briefing. One that was finished weeks ago costs tokens each time and makes an agent
    believe that the work goes on. No public store of the 11 read keeps stages; on 80 made-up memories: 2 findings,
    2 right, none missed.

What it proposes
    Archive. Safe only where the header says done and nothing may be open: no unchecked box, nothing under or behind
    Next, Remaining, TODO and their like, no gate of a person's, no "not yet". What is open is quoted. `days = 0`
    switches it off.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from gardener.model.edit import Archive
from gardener.model.finding import Finding, Quote
from gardener.model.memory import Memory, Stage
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings
from gardener.text.open_items import open_items


class StaleStageSettings(PassSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`days` without an update before a finished stage is proposed; 0 switches the pass off."""

    days: int = 14


def find(snapshot: Snapshot, settings: StaleStageSettings, now: datetime) -> Iterator[Finding]:
    if not settings.days:
        return
    for memory in snapshot.active:
        stage = memory.stage
        if stage is None or stage.live or memory.favorite or not (memory.parsed and memory.defines("kind")):
            continue
        if memory.dated is None or now - memory.dated < timedelta(days=settings.days):
            continue
        if memory.path not in snapshot.linked_from:
            yield _finding(memory, stage, now - memory.dated, settings)


def _finding(memory: Memory, stage: Stage, age: timedelta, settings: StaleStageSettings) -> Finding:
    items = tuple(_open_items(memory))
    done = stage.status == "done"
    since = f"{memory.dated:%Y-%m-%d}"
    says = "is done" if done else "has no readable status"
    return Finding(
        "stale_stage",
        f'Stage "{memory.name}" {says} and has not changed since {since}',
        (memory.path,),
        (Archive(memory.path, "stage done" if done else "stage without a status"),),
        risk="safe" if done and not items else "judgement",
        score=1 - settings.days / (2 * max(age.days, 1)) if done else 0.4,
        why=(_header(stage), f"It was last updated on {since}; stages are kept for {settings.days} days after that."),
        quotes=items,
    )


def _header(stage: Stage) -> str:
    if stage.line is None:
        return "No Status line stands in its first 12 lines."
    return f"Line {stage.line} says Status: {stage.raw}."


def _open_items(memory: Memory) -> Iterator[Quote]:
    """What description and body say is still to be done."""
    for _, line in open_items(memory.description):
        yield Quote(memory.path, line, memory.lines.get("description"), "still open")
    for offset, line in open_items(memory.body):
        yield Quote(memory.path, line, memory.body_line + offset, "still open")


PASS = Pass("stale_stage", StaleStageSettings, find)
