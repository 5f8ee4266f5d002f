"""What an agent's briefing would carry from a store right now, in order. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from gardener.model.memory import Memory

CHARACTERS_PER_TOKEN = 4
"""The usual estimate for English text; good to about a fifth."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory of the briefing. `until` is the day on which a stage without a readable status drops out."""

    memory: Memory
    section: str
    tokens: int
    until: date | None = None


def brief(memories: Iterable[Memory], now: datetime, unknown_days: int = 7, project: str | None = None) -> list[Entry]:
    """Constraints, live stages, stages of unknown status for `unknown_days` after their update, then the rest.

    With `project`, that project's memories and the global ones. Done stages are in no briefing.
    """
    entries = []
    for memory in memories:
        if not memory.active or (project is not None and memory.project not in {project, ""}):
            continue
        placed = _place(memory, now, unknown_days)
        if placed is not None:
            entries.append(placed)
    order = ("constraint", "live stage", "unknown stage")
    newest = datetime.min.replace(tzinfo=UTC)
    entries.sort(key=lambda entry: entry.memory.path)
    entries.sort(key=lambda entry: entry.memory.dated or newest, reverse=True)
    return sorted(entries, key=lambda entry: order.index(entry.section) if entry.section in order else len(order))


def tokens(text: str) -> int:
    """An estimate of the tokens a text costs."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def tokens_by_section(entries: Iterable[Entry]) -> dict[str, int]:
    """Section → tokens, in the order of the briefing."""
    found: dict[str, int] = {}
    for entry in entries:
        found[entry.section] = found.get(entry.section, 0) + entry.tokens
    return found


def _place(memory: Memory, now: datetime, unknown_days: int) -> Entry | None:
    cost = tokens(f"{memory.name}: {memory.description}")
    stage = memory.stage
    if memory.kind == "constraint":
        return Entry(memory, "constraint", tokens(memory.body) + cost)
    if stage is None:
        return Entry(memory, memory.kind or "memory", cost)
    if stage.live:
        return Entry(memory, "live stage", tokens(memory.body) + cost)
    if stage.status == "done" or memory.dated is None:
        return None
    drops = memory.dated + timedelta(days=unknown_days)
    return Entry(memory, "unknown stage", tokens(memory.body) + cost, drops.date()) if now < drops else None
