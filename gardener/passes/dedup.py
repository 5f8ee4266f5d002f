"""Memories that say the same thing.

What it finds
    Active memories of one project (or of a project and the global ones) of which one says nothing that the other does
    not say too: copies, drifted copies, and short notes that a longer one took in. Candidates are the nearest few by
    word TF-IDF, from both sides; then the two texts are laid side by side, sentence by sentence. A different number,
    date, name, order or negation in otherwise equal sentences is never the same, and texts that share a skeleton but
    not a subject are a family, not copies. What a judge called the same or contained counts too.

Why it matters
    Agents read both, edit one, and the two drift apart. Measured: 13 of 29 labelled duplicates in real stores and
    none of 12 templates, 9 superseded and 27 related pairs; 67 of 79 edited memories beside their first version.
    Read on 3,926 memories of 11 public stores: 13 findings, 13 right.

What it proposes
    One memory stays (pinned kind, favourite, global, fuller, more linked, newer), the others are superseded, each in
    its box, with every sentence that only they say. With `fold = true` those sentences are appended to the kept memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from gardener.model.edit import Append, Edit, Supersede
from gardener.model.finding import Finding, Loss
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings
from gardener.text.similarity.align import Text
from gardener.text.similarity.explained import why_kept
from gardener.text.similarity.keeping import Group, Order, groups, loss
from gardener.text.similarity.pair import Pair
from gardener.text.similarity.pairs import compare

NAMED = 3
"""Names in a title; the boxes below it hold them all."""
LEEWAY = 0.05
"""An open proposal stays until its score falls this far below the bar, so that it does not come and go."""


class DedupSettings(PassSettings, frozen=True):
    """`bar` is on our own score, not a cosine. `fold` appends what only the retired say to the kept memory."""

    bar: float = 0.9
    fold: bool = False


def find(snapshot: Snapshot, settings: DedupSettings, now: datetime) -> Iterator[Finding]:
    merged = {
        path
        for path, sha256 in snapshot.merged.items()
        if path in snapshot.by_path and snapshot.by_path[path].sha256 == sha256
    }
    same = [
        pair
        for pair in compare(snapshot).pairs
        if pair.is_same(settings.bar - LEEWAY * _is_open(pair, snapshot))
        and (pair.a, pair.b) not in snapshot.settled
        and merged.isdisjoint((pair.a, pair.b))
    ]
    for group in groups(snapshot, same):
        yield _finding(snapshot, group, settings)


def _is_open(pair: Pair, snapshot: Snapshot) -> bool:
    return not snapshot.open_pairs.isdisjoint({(pair.a, pair.b), (pair.b, pair.a)})


def _finding(snapshot: Snapshot, group: Group, settings: DedupSettings) -> Finding:
    retired = [memory for memory, _ in group.retired]
    texts = {memory.path: Text(memory.description, memory.body) for memory in (group.kept, *retired)}
    losses = tuple(loss(texts[group.kept.path], texts[memory.path], memory.path) for memory in retired)
    weakest = min((pair for _, pair in group.retired), key=lambda pair: pair.sure(settings.bar))
    return Finding(
        pass_name="dedup",
        summary=_summary(group),
        subjects=(group.kept.path, *(memory.path for memory in retired)),
        edits=tuple(edit for lost in losses for edit in _edits(group.kept.path, lost, settings.fold)),
        score=weakest.sure(settings.bar),
        why=tuple(why_kept(Order(snapshot, texts), group, losses)),
        losses=losses,
        parts=weakest.parts_with(settings.bar),
    )


def _edits(kept: str, lost: Loss, fold: bool) -> Iterator[Edit]:
    yield Supersede(lost.path, kept)
    if fold and lost.sentences:
        yield Append(kept, "\n".join(lost.sentences))


def _summary(group: Group) -> str:
    names = [f'"{memory.name}"' for memory, _ in group.retired]
    if len(names) == 1 and group.retired[0][1].verdict == "duplicate":
        return f'{names[0]} and "{group.kept.name}" say the same'
    if len(names) > NAMED:
        names = [*names[:NAMED], f"{len(names) - NAMED} more"]
    listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    return f'{listed} {"are" if len(names) > 1 else "is"} already in "{group.kept.name}"'


PASS = Pass("dedup", DedupSettings, find)
