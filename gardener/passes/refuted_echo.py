"""Memories that assert what was disproved.

What it finds
    An active memory that says the same, or the opposite, of one whose kind is `refuted`, by the same comparison of
    texts as duplicates and contradictions; or that holds, word for word, what a refuted one calls the `Claim:`.

Why it matters
    A refuted claim was kept so that nobody falls for it again. An echo of it in another memory is followed all the
    same. No public store of the 11 read keeps refuted claims; on 80 made-up memories: 1 finding, right, none
    missed.

What it proposes
    A choice: keep both, supersede the echo by the refutation, or note in the echo that it was refuted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from gardener.model.edit import Qualify, Supersede
from gardener.model.finding import Choice, Finding
from gardener.model.memory import Memory
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings
from gardener.text.similarity.align import Text
from gardener.text.similarity.pairs import compare
from gardener.text.similarity.score import Parts
from gardener.text.similarity.sentences import Sentence, sentences


class RefutedEchoSettings(PassSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`bar` is on our own score, as in dedup."""

    bar: float = 0.9


_CLAIM = re.compile(
    r"\W*(?:refuted(?: claim| idea)?|(?:claim(?:ed)?|hypothesis|theory|assumption|myth|idea)\b[^:\n]{0,20})\s*:\s*",
    re.IGNORECASE,
)
_AWARE = re.compile(r"\b(?:refuted|disproved|debunked|wrong|false|myth|did not|does not hold)\b", re.IGNORECASE)
_SHORTEST = 4.0
"""Weight from which on one sentence is a claim that nobody else makes by chance."""


def find(snapshot: Snapshot, settings: RefutedEchoSettings, now: datetime) -> Iterator[Finding]:
    refuted = [memory for memory in snapshot.active if memory.kind == "refuted" and memory.defines("kind")]
    if not refuted:
        return
    seen: set[tuple[str, str]] = set()
    for pair in compare(snapshot).pairs:
        one, other = snapshot.by_path[pair.a], snapshot.by_path[pair.b]
        if (one.kind == "refuted") == (other.kind == "refuted") or (pair.a, pair.b) in snapshot.settled:
            continue
        if pair.is_same(settings.bar) or pair.is_dispute(settings.bar):
            denial, echo = (one, other) if one.kind == "refuted" else (other, one)
            seen.add((denial.path, echo.path))
            yield _asked(denial, echo, pair.sure(settings.bar), pair.parts_with(settings.bar))
    for denial in refuted:
        for echo in _echoes(denial, snapshot):
            pair_of = (min(denial.path, echo.path), max(denial.path, echo.path))
            if pair_of not in snapshot.settled and (denial.path, echo.path) not in seen:
                yield _asked(denial, echo, settings.bar)


def _echoes(denial: Memory, snapshot: Snapshot) -> Iterator[Memory]:
    """Memories of the same scope with a sentence that the refuted one labels as the claim, and no word of doubt."""
    told = [one for one in _claims(denial) if one.weight >= _SHORTEST]
    claims = {one.tokens for one in told}
    words = {word[:4] for one in told for word in re.findall(r"[a-z]{4,}", one.folded)}
    starts = [word.encode() for word in words]
    for memory in snapshot.active if claims else ():
        near = denial.project in {"", memory.project} or not memory.project
        if memory.kind == "refuted" or not near or not _may_hold(memory.data.lower(), starts):
            continue
        said = Text(memory.description, memory.body).sentences
        if not _AWARE.search(memory.body) and any(one.tokens in claims for one in said):
            yield memory


def _may_hold(text: bytes, starts: list[bytes]) -> bool:
    """A quick look: half of the words begin as some word of the text does, whatever their endings."""
    return sum(start in text for start in starts) * 2 >= len(starts)


def _claims(memory: Memory) -> Iterator[Sentence]:
    for one in Text(memory.description, memory.body).sentences:
        if label := _CLAIM.match(one.text):
            yield from sentences(one.text[label.end() :])[:1]


def _asked(denial: Memory, echo: Memory, score: float, parts: Parts = ()) -> Finding:
    return Finding(
        "refuted_echo",
        f'"{echo.name}" asserts what "{denial.name}" refutes',
        (denial.path, echo.path),
        choices=(
            Choice("a", "keep both as they are"),
            Choice("b", f'supersede "{echo.name}" by "{denial.name}"', (Supersede(echo.path, denial.path),)),
            Choice("c", f'note in "{echo.name}" that it was refuted', (Qualify(echo.path, denial.path),)),
        ),
        score=score,
        why=("The one is kept as a refuted claim, the other as a valid one.",),
        parts=parts,
    )


PASS = Pass("refuted_echo", RefutedEchoSettings, find)
