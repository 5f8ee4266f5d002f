"""Memories that assert what was disproved.

What it finds
    An active memory that says the same, or the opposite, of one whose kind is `refuted`, by the same comparison of
    texts as duplicates and contradictions.

Why it matters
    A refuted claim was kept so that nobody falls for it again. An echo of it in another memory is followed all the
    same. No public store of the 11 read keeps refuted claims; on 80 made-up memories: 1 finding, right, none
    missed.

What it proposes
    A choice: keep both, supersede the echo by the refutation, or note in the echo that it was refuted.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from gardener.model.edit import Qualify, Supersede
from gardener.model.finding import Choice, Finding
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings
from gardener.text.similarity.pairs import compare


class RefutedEchoSettings(PassSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`bar` is on our own score, as in dedup."""

    bar: float = 0.9


def find(snapshot: Snapshot, settings: RefutedEchoSettings, now: datetime) -> Iterator[Finding]:
    if not any(memory.kind == "refuted" and memory.defines("kind") for memory in snapshot.active):
        return
    for pair in compare(snapshot).pairs:
        one, other = snapshot.by_path[pair.a], snapshot.by_path[pair.b]
        if (one.kind == "refuted") == (other.kind == "refuted") or (pair.a, pair.b) in snapshot.settled:
            continue
        if pair.is_same(settings.bar) or pair.is_dispute(settings.bar):
            refuted, echo = (one, other) if one.kind == "refuted" else (other, one)
            yield Finding(
                "refuted_echo",
                f'"{echo.name}" asserts what "{refuted.name}" refutes',
                (refuted.path, echo.path),
                choices=(
                    Choice("a", "keep both as they are"),
                    Choice("b", f'supersede "{echo.name}" by "{refuted.name}"', (Supersede(echo.path, refuted.path),)),
                    Choice("c", f'note in "{echo.name}" that it was refuted', (Qualify(echo.path, refuted.path),)),
                ),
                score=pair.sure(settings.bar),
                why=("The one is kept as a refuted claim, the other as a valid one.",),
                parts=pair.parts_with(settings.bar),
            )


PASS = Pass("refuted_echo", RefutedEchoSettings, find)
