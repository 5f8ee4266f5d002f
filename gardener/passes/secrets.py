"""Credentials that were written into a memory.

What it finds
    Keys, tokens, passwords, private keys and connection strings, in active and retired memories: by the shape their
    vendors give them, behind a telling word (English or German), in the option of a command that takes one, and in a
    table's column. Placeholders, examples, hashes, ULIDs, variables and plain words are left alone.

Why it matters
    A memory is loaded into every prompt and committed to git. A credential in it is a credential given away. Read
    on 3,926 memories of 11 public stores: 1 finding, right; on 80 made-up memories 2 findings, 2 right, none missed.

What it proposes
    To replace it by `[redacted KIND]`. The value is shown nowhere: not in the proposal, a report, a log or the cache.
    It cannot be undone, and the git history may still hold it, so the credential has to be changed where it is used.
    Until it is decided the file gets no other proposal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from gardener.model.edit import Redact
from gardener.model.finding import Finding
from gardener.model.memory import Memory
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings
from gardener.text.secrets import find_secrets

FEW = 8
"""Lines that are named one by one."""


def find(snapshot: Snapshot, settings: PassSettings, now: datetime) -> Iterator[Finding]:
    for memory in snapshot.memories:
        edits = tuple(_redactions(memory))
        if edits:
            yield _finding(memory, edits)


def _redactions(memory: Memory) -> Iterator[Redact]:
    text = memory.data.decode("utf-8", "surrogateescape")
    line, counted = 1, 0
    for secret in find_secrets(text):
        start_of_line = text.rfind("\n", 0, secret.start) + 1
        line, counted = line + text.count("\n", counted, secret.start), secret.start
        yield Redact(memory.path, line, secret.start - start_of_line + 1, secret.end - start_of_line, secret.kind)


def _finding(memory: Memory, edits: tuple[Redact, ...]) -> Finding:
    kinds = Counter(edit.kind for edit in edits)
    places = list(dict.fromkeys(str(edit.line) for edit in edits))
    lines = f"line {', '.join(places)}" if len(places) <= FEW else f"{len(places):,} lines, the first {places[0]}"
    what = ", ".join(sorted(kinds))
    return Finding(
        "secrets",
        f'"{memory.name}" holds a credential ({what}) in {lines}',
        (memory.path,),
        edits,
        risk="lossy",
        score=1.0,
        why=(
            "Change the credential where it is used: git history may still hold it.",
            "Accepting writes over it; no copy is kept, so it cannot be undone.",
        ),
    )


PASS = Pass("secrets", PassSettings, find)
