"""Why a group is one and who stays, in sentences that rest on the members' own text and front matter."""

from __future__ import annotations

from collections.abc import Iterator

from gardener.model.finding import Loss
from gardener.model.memory import NEVER_STALE, Memory
from gardener.text.similarity.keeping import Group, Order
from gardener.text.similarity.pair import Pair


def why_kept(order: Order, group: Group, losses: tuple[Loss, ...]) -> Iterator[str]:
    """What each retired member has in the kept one, why that one stays, and what the front matter says together."""
    for letter, (memory, pair), lost in zip("BCDEFGHIJKLMNOPQRSTUVWXYZ" * 9, group.retired, losses, strict=False):
        held = lost.total - len(lost.sentences)
        yield f"{held} of {lost.total} sentences of {letter} stand in A word for word.{_judged(pair)}"
        yield f"A is kept rather than {letter}: {kept_because(order, group.kept, memory)}."
    members = (group.kept, *(memory for memory, _ in group.retired))
    yield from _together(members)


def _judged(pair: Pair) -> str:
    return f" {pair.answer.by or 'A reader'} called the two {pair.word}." if pair.answer else ""


def _together(members: tuple[Memory, ...]) -> Iterator[str]:
    """What the front matter of all says together, where they differ."""
    tags = sorted({tag for memory in members for tag in memory.tags})
    if any(set(tags) != set(memory.tags) for memory in members):
        yield f"Tags of all together: {', '.join(tags)}."
    created = [memory.created for memory in members if memory.created]
    if created and min(created) != members[0].created:
        yield f"Earliest created: {min(created):%Y-%m-%d}."
    sources = sorted({str(source) for memory in members if (source := memory.fields.get("source_session"))})
    if len(sources) > 1:
        yield f"Sources of all together: {', '.join(sources)}."


def kept_because(order: Order, kept: Memory, other: Memory) -> str:
    """Why the kept one stays, as far as the two themselves show it."""
    if (kept.kind in NEVER_STALE) != (other.kind in NEVER_STALE) or (kept.kind == "constraint") != (
        other.kind == "constraint"
    ):
        return f"it is a {kept.kind}"
    if kept.favorite != other.favorite:
        return "it is a favourite"
    if order.words(kept) != order.words(other):
        more, fewer = order.words(kept), order.words(other)
        return f"it says more ({more} words against {fewer})" if more > fewer else "it holds what the other says"
    if bool(kept.project) != bool(other.project):
        return "every project reads it"
    if kept.dated and other.dated and kept.dated > other.dated:
        return f"as full as the other and newer ({kept.dated:%Y-%m-%d})"
    return "the two are equally full, and one has to stay"
