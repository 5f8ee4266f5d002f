"""Associations that do not hold (memory-graph files only).

What it finds
    A relation one typo away from a known one, `contradicts` between two active memories, and `supersedes` whose target
    is neither retired nor an event. As advice: other unknown relations, targets that are missing or the memory itself,
    more than six associations, and forgotten memories that active ones lean on.

Why it matters
    Recall follows associations. A wrong one leads to what is gone; an unresolved contradiction is answered by chance.

What it proposes
    The one-word repair; for contradictions and unfinished supersessions a choice, in which "was true then" keeps the
    old one as an event.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from rapidfuzz.distance import OSA

from gardener.model.edit import Edit, Qualify, Replace, SetField, Supersede
from gardener.model.finding import Choice, Finding
from gardener.model.memory import RELATIONS, Link, Memory
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings

MOST = 6


def find(snapshot: Snapshot, settings: PassSettings, now: datetime) -> Iterator[Finding]:
    asked: set[frozenset[str]] = set()
    for memory in snapshot.active:
        if not (memory.parsed and memory.defines("associations") and memory.associations):
            continue
        if len(memory.associations) > MOST:
            yield _advice(memory, f"has {len(memory.associations)} associations; more than {MOST} are not followed")
        for edge in memory.associations:
            if edge.relation not in RELATIONS:
                yield _relation(memory, edge.relation)
            target = (
                snapshot.resolve(Link("wiki", edge.target, 1), memory.path, memory.project) if edge.target else None
            )
            target = snapshot.by_id.get(edge.target, (target,))[0]
            if target is None or target is memory:
                yield _advice(memory, f"is associated with {'itself' if target else f'nothing: {edge.target}'}")
            elif target.forgotten:
                yield _advice(memory, f'leans on "{target.name}", which is forgotten')
            elif target.active and frozenset((memory.path, target.path)) not in asked:
                found = list(_unresolved(memory, edge.relation, target))
                asked |= {frozenset((memory.path, target.path))} if found else set()
                yield from found


def _target(name: str, memory: Memory, snapshot: Snapshot) -> Memory | None:
    """By id, else by name as a link would be."""
    if name in snapshot.by_id:
        return snapshot.by_id[name][0]
    return snapshot.resolve(Link("wiki", name, 1), memory.path, memory.project) if name else None


def _unresolved(memory: Memory, relation: str, target: Memory) -> Iterator[Finding]:
    if relation == "contradicts":
        newer, older = _by_age(memory, target)
        choices = (
            Choice("a", "keep both as they are"),
            Choice("b", f'supersede "{older.name}" by "{newer.name}"', (Supersede(older.path, newer.path),)),
            Choice("c", f'qualify "{older.name}" by "{newer.name}": both stay', (Qualify(older.path, newer.path),)),
        )
        says = f'"{memory.name}" contradicts "{target.name}", and both are active'
        yield _choice(newer, older, says, choices)
    elif relation == "supersedes" and target.kind != "event":
        choices = (
            Choice("a", "keep both as they are"),
            Choice("b", f'"{target.name}" was wrong: forget it', (SetField(target.path, "forgotten", True),)),
            Choice(
                "c", f'"{target.name}" was true then: keep it as an event', (SetField(target.path, "type", "event"),)
            ),
        )
        yield _choice(memory, target, f'"{memory.name}" supersedes "{target.name}", which is still active', choices)


def _by_age(one: Memory, other: Memory) -> tuple[Memory, Memory]:
    """(newer, older); without dates the one that names the other counts as newer."""
    if one.dated and other.dated and other.dated > one.dated:
        return other, one
    return one, other


def _choice(kept: Memory, asked: Memory, says: str, choices: tuple[Choice, ...]) -> Finding:
    why = ("Recall loads both, and cannot tell which one holds.",)
    return Finding("associations", says, (kept.path, asked.path), choices=choices, score=0.6, why=why)


def _relation(memory: Memory, relation: str) -> Finding:
    near = [word for word in sorted(RELATIONS) if OSA.distance(relation.casefold(), word) == 1]
    lines = memory.data.decode("utf-8", "surrogateescape").split("\n")[: memory.body_line - 1]
    places = [(i, line.removesuffix("\r")) for i, line in enumerate(lines, 1) if f"relation: {relation}" in line]
    if len(near) != 1 or not places or not relation:
        return _advice(memory, f"has the unknown relation {relation or '(none)'}")
    edits: tuple[Edit, ...] = tuple(
        Replace(memory.path, i, line, line.replace(f"relation: {relation}", f"relation: {near[0]}"))
        for i, line in places
    )
    says = f'"{memory.name}" has the relation {relation}, meant is {near[0]}'
    return Finding(
        "associations", says, (memory.path,), edits, score=0.5, why=("Recall follows known relations only.",)
    )


def _advice(memory: Memory, says: str) -> Finding:
    return Finding("associations", f'"{memory.name}" {says}', (memory.path,), score=0.3)


PASS = Pass("associations", PassSettings, find)
