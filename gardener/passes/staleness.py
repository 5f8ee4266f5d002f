"""Memories nobody has touched for a season.

What it finds
    A memory of known age without an update for 90 days that no active memory or note links to. Never a constraint,
    stage, convention or identity, never a favourite, never one whose age is unknown, never plain markdown.

Why it matters
    What was true in spring may mislead in summer, and nobody reads a memory again just to find out. Read on 3,926
    memories of 11 public stores: 9 findings, each a memory that nobody links to and that is worth the question.

What it proposes
    A question: archive it, or "still true", which is kept as an answer and holds for 180 days.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from gardener.model.edit import Archive
from gardener.model.finding import Finding
from gardener.model.memory import NEVER_STALE
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings


class StalenessSettings(PassSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`days` without an update before the question; `recheck_days` that "still true" holds. 0 days = off."""

    days: int = 90
    recheck_days: int = 180


def find(snapshot: Snapshot, settings: StalenessSettings, now: datetime) -> Iterator[Finding]:
    if not settings.days:
        return
    for memory in snapshot.active:
        if memory.kind in NEVER_STALE or memory.favorite or not (memory.parsed and memory.conventions.keys):
            continue
        if memory.dated is None or now - memory.dated < timedelta(days=settings.days):
            continue
        if memory.path in snapshot.linked_from:
            continue
        since = f"{memory.dated:%Y-%m-%d}"
        yield Finding(
            "staleness",
            f'"{memory.name}" has not been updated since {since}: is it still true?',
            (memory.path,),
            (Archive(memory.path, f"not updated since {since}"),),
            score=min(0.99, (now - memory.dated) / timedelta(days=settings.days * 10)),
            why=(f"Memories are asked about after {settings.days} days without an update.",),
            rejecting=f"still true, ask again in {settings.recheck_days} days",
            holds_days=settings.recheck_days,
        )


PASS = Pass("staleness", StalenessSettings, find)
