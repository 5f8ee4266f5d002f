"""Importance that does not fit the type (memory-graph files only).

What it finds
    An importance that is not a number or outside 0 to 1, and one far outside the band of its type: identity 1.0;
    goal, decision and todo .8 to .9; preference and fact .6 to .7; event and observation .3 to .5. As advice: a store
    in which most memories sit above their band.

Why it matters
    Recall ranks by importance. Where everything is important, nothing is. No public store of the 11 read has the
    key; on 80 made-up memories: 2 findings, 2 right, none missed.

What it proposes
    The nearest value of the band. A missing importance is left to the reader's default.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from gardener.model.edit import SetField
from gardener.model.finding import Finding
from gardener.model.memory import Memory
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings

BANDS = {
    "identity": (1.0, 1.0),
    "goal": (0.8, 0.9),
    "decision": (0.8, 0.9),
    "todo": (0.8, 0.9),
    "preference": (0.6, 0.7),
    "fact": (0.6, 0.7),
    "event": (0.3, 0.5),
    "observation": (0.3, 0.5),
}
FAR = 0.2
ENOUGH = 10


def find(snapshot: Snapshot, settings: PassSettings, now: datetime) -> Iterator[Finding]:
    judged = [m for m in snapshot.active if m.parsed and m.defines("importance") and m.importance and m.kind in BANDS]
    above = 0
    for memory in judged:
        low, high = BANDS[memory.kind]
        value = _number(memory.importance)
        if value is None or not 0 <= value <= 1:
            yield _finding(memory, low, "is not a number from 0 to 1")
        elif value > round(high + FAR, 3) or value < round(low - FAR, 3):
            yield _finding(memory, high if value > high else low, f"is far from {_band(low, high)}")
        above += value is not None and value > high
    if len(judged) >= ENOUGH and above * 2 > len(judged):
        says = f"{above} of {len(judged)} memories are above the importance of their type"
        yield Finding("importance", says, (min(memory.path for memory in judged),), score=0.4)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _band(low: float, high: float) -> str:
    return f"{low}" if low == high else f"{low} to {high}"


def _finding(memory: Memory, value: float, says: str) -> Finding:
    return Finding(
        "importance",
        f'the importance of "{memory.name}", {memory.importance}, {says}',
        (memory.path,),
        (SetField(memory.path, "importance", value),),
        score=0.4,
        why=(f"For type {memory.kind} it is {_band(*BANDS[memory.kind])}.",),
    )


PASS = Pass("importance", PassSettings, find)
