"""Associations that do not hold (memory-graph files only).

What it finds
    A relation one typo away from a known one, a memory associated with itself, `contradicts` between two active
    memories, and `supersedes` whose target is neither retired nor an event. As advice: other unknown relations, targets
    that are missing, more than six associations, and forgotten memories that active ones lean on.

Why it matters
    Recall follows associations. A wrong one leads to what is gone; an unresolved contradiction is answered by
    chance. No public store of the 11 read has the key; on 80 made-up memories: 5 findings, 5 right, none missed.

What it proposes
    The repair; for contradictions and unfinished supersessions a choice, in which "was true then" keeps the
    old one as an event.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from rapidfuzz.distance import OSA

from gardener.model.edit import Edit, Qualify, Replace, SetField, Supersede
from gardener.model.finding import Choice, Finding
from gardener.model.memory import GRAPH_TYPES, RELATIONS, Association, Memory
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings
from gardener.text.lifecycle import is_qualified
from gardener.text.succession import Succession

MOST = 6
LEANING = frozenset({"related", "supports", "refines"})
"""What recall follows to more of the same; the other relations say that their target does not hold."""


def find(snapshot: Snapshot, settings: PassSettings, now: datetime) -> Iterator[Finding]:
    asked: set[frozenset[str]] = set()
    known = Succession(snapshot)
    for memory in snapshot.active:
        if not (memory.parsed and memory.defines("associations") and memory.associations):
            continue
        yield from _repaired(memory, known)
        if len(memory.associations) > MOST:
            yield _advice(memory, f"has {len(memory.associations)} associations; more than {MOST} are not followed")
        for edge in memory.associations:
            target = known.named(edge.target, memory)
            if target is None or target is memory:
                continue
            if target.forgotten and edge.relation in LEANING:
                yield _advice(memory, f'leans on "{target.name}", which is forgotten')
            elif target.active and frozenset((memory.path, target.path)) not in asked:
                found = list(_unresolved(memory, edge.relation, target))
                asked |= {frozenset((memory.path, target.path))} if found else set()
                yield from found


def _repaired(memory: Memory, known: Succession) -> Iterator[Finding]:
    """What is wrong with single edges: one proposal with what can be mended, advice for the rest."""
    lines = memory.data.decode("utf-8", "surrogateescape").split("\n")[: memory.body_line - 1]
    edits: dict[int, Edit] = {}
    mended: list[str] = []
    for edge in dict.fromkeys(memory.associations):
        target = known.named(edge.target, memory)
        near = [word for word in sorted(RELATIONS) if OSA.distance(edge.relation.casefold(), word) == 1]
        if target is memory:
            says, found = "is associated with itself", _without(memory, lines, edge)
        elif target is None and edge.target and not known.all_read:
            continue
        elif target is None:
            says, found = f"is associated with nothing: {edge.target or '(no target)'}", {}
        elif edge.relation not in RELATIONS:
            says = f"has the unknown relation {edge.relation or '(none)'}"
            found = _respelled(memory, lines, edge.relation, near[0]) if len(near) == 1 and edge.relation else {}
            says += f", meant is {near[0]}" if found else ""
        else:
            continue
        edits |= found
        mended += [says] if found else []
        if not found:
            yield _advice(memory, says)
    if edits:
        summary = f'"{memory.name}" {"; ".join(dict.fromkeys(mended))}'
        why = ("Recall follows known relations to other memories only.",)
        yield Finding("associations", summary, (memory.path,), tuple(edits.values()), score=0.5, why=why)


def _respelled(memory: Memory, lines: list[str], relation: str, meant: str) -> dict[int, Edit]:
    wrong = re.compile(rf"(\brelation:\s*[\"']?){re.escape(relation)}\b")
    return {
        number: Replace(memory.path, number, bare, wrong.sub(rf"\g<1>{meant}", bare))
        for number, line in enumerate(lines, 1)
        if wrong.search(bare := line.removesuffix("\r"))
    }


def _without(memory: Memory, lines: list[str], edge: Association) -> dict[int, Edit]:
    """The edge's two lines taken out, where it is written as a list item of exactly those; else nothing."""
    wanted = {f"relation: {edge.relation}", f"target: {edge.target}"}
    edits: dict[int, Edit] = {}
    for number, (first, second, third) in enumerate(zip(lines, lines[1:], [*lines[2:], ""], strict=False), 1):
        indent = len(second) - len(second.lstrip())
        ends = third.lstrip().startswith(("- ", "---")) or len(third) - len(third.lstrip()) < indent
        if first.lstrip().startswith("- ") and {first.lstrip(" -").strip(), second.strip()} == wanted and ends:
            for at, line in ((number, first), (number + 1, second)):
                edits[at] = Replace(memory.path, at, line.removesuffix("\r"), None)
    return edits


def _unresolved(memory: Memory, relation: str, target: Memory) -> Iterator[Finding]:
    if is_qualified(memory, target) or is_qualified(target, memory):
        return
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
        choices = (Choice("a", "keep both as they are"), *_carried_out(memory, target))
        yield _choice(memory, target, f'"{memory.name}" supersedes "{target.name}", which is still active', choices)


def _carried_out(memory: Memory, target: Memory) -> tuple[Choice, Choice]:
    """Retiring the target as its own family of files does."""
    name = f'"{target.name}"'
    if target.kind in GRAPH_TYPES and target.defines("forgotten") and "type" in target.fields:
        return (
            Choice("b", f"{name} was wrong: forget it", (SetField(target.path, "forgotten", True),)),
            Choice("c", f"{name} was true then: keep it as an event", (SetField(target.path, "type", "event"),)),
        )
    return (
        Choice("b", f"retire {name}", (Supersede(target.path, memory.path),)),
        Choice("c", f"note in {name} that it was narrowed", (Qualify(target.path, memory.path),)),
    )


def _by_age(one: Memory, other: Memory) -> tuple[Memory, Memory]:
    """(newer, older); without dates the one that names the other counts as newer."""
    if one.dated and other.dated and other.dated > one.dated:
        return other, one
    return one, other


def _choice(kept: Memory, asked: Memory, says: str, choices: tuple[Choice, ...]) -> Finding:
    why = ("Recall loads both, and cannot tell which one holds.",)
    return Finding("associations", says, (kept.path, asked.path), choices=choices, score=0.6, why=why)


def _advice(memory: Memory, says: str) -> Finding:
    return Finding("associations", f'"{memory.name}" {says}', (memory.path,), score=0.3)


PASS = Pass("associations", PassSettings, find)
