"""Retirements that do not hold together.

What it finds
    Cycles, memories superseded by themselves, by nothing or by something archived, fields stamped by half, a line at
    the end that names the successor and is missing or wrong, chains deeper than three, a `supersedes` claim that was
    never carried out, and memories that were edited after they were retired. While a file could not be read, nothing
    is said to be missing: it may be the one that is named.

Why it matters
    Whoever follows `superseded_by` must arrive at something that is still true. In a cycle without an active member
    the knowledge is gone from every index. No public store of the 11 read stamps retirements; on 80 made-up
    memories: 2 findings, 2 right, none missed.

What it proposes
    The repair. A cycle without an active member comes first in every list, with a restore for each member; where two
    readings are possible, a choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from gardener.model.edit import Append, Archive, Edit, Qualify, Restore, SetField, Supersede
from gardener.model.finding import Choice, Finding
from gardener.model.memory import Memory
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings
from gardener.text.frontmatter import moment
from gardener.text.lifecycle import is_qualified, successor_value, tombstone
from gardener.text.succession import Succession, claimed, told, told_alone, untold

DEEPEST = 3
_STILL = "`invalid_at` alone says that a memory is inactive, and it is empty."


def find(snapshot: Snapshot, settings: PassSettings, now: datetime) -> Iterator[Finding]:
    known = Succession(snapshot)
    in_cycles: set[str] = set()
    for memory in snapshot.memories:
        if memory.path in in_cycles or not memory.parsed:
            continue
        if not (memory.defines("superseded_by") or tombstone(memory)):
            yield from _unfinished(memory, snapshot)  # its `superseded_by`, if any, is another tool's key
            continue
        chain = known.chain(memory)
        if len(chain) > 1 and known.successor(chain[-1]) is memory:
            in_cycles |= {one.path for one in chain}
            yield from _cycle(chain)
        else:
            yield from _one(memory, chain, known)
            yield from _unfinished(memory, snapshot)


def _cycle(chain: list[Memory]) -> Iterator[Finding]:
    members = sorted(chain, key=lambda m: m.path)
    names = ", ".join(f'"{one.name}"' for one in members)
    dead = [one for one in members if not one.active]
    if len(dead) == len(members):
        edits: tuple[Edit, ...] = tuple(Restore(one.path) for one in members)
        why = (
            "Each is retired in favour of the next, so none is left in any index. Where only one holds, tick that one."
        )
        yield _finding(f"{names} supersede each other and none is active", members, edits, why, first=True)
    else:
        edits = tuple(edit for one in members if one.active for edit in _emptied(one))
        why = "An active memory cannot be superseded by one that it supersedes."
        yield _finding(f"{names} name each other as successors", members, edits, why)


def _one(memory: Memory, chain: list[Memory], known: Succession) -> Iterator[Finding]:
    value, following, last = memory.superseded_by, known.successor(memory), chain[-1]
    steps = len(chain) - 1
    if value and (following is memory or (following is None and known.all_read)):
        yield _astray(memory, following, known)
    elif following is not None and memory.active:
        yield _half(memory, following)
    elif following is not None and steps > DEEPEST and last.active:
        edit = SetField(memory.path, "superseded_by", successor_value(memory, last))
        why = f"{steps} steps lead from it to {last.label}."
        edits = (edit, *told(memory, last))
        yield _finding(f'"{memory.name}" is {steps} steps from its living successor', [memory, last], edits, why)
        following = None  # whose line is in those edits
    elif following is not None and not last.active and known.ends(chain):
        yield Finding("supersession", f'"{memory.name}" leads to "{last.name}", which was archived', (memory.path,))
    elif not value:
        yield from _unstamped(memory, known)
    if not memory.active and memory.invalid_at:
        yield from _tombstone(memory, following)
        yield from _edited_since(memory)


def _astray(memory: Memory, following: Memory | None, known: Succession) -> Finding:
    """`superseded_by` leads nowhere; the line at the end may know better."""
    last = tombstone(memory)
    named = known.named(last[1], memory) if last and not memory.active else None
    if following is memory:
        says, why, reason = "by itself", "It names itself, so it leads nowhere.", "superseded by itself"
    else:
        says, why = "by something that is not here", f"No memory has the id or name {memory.superseded_by}."
        reason = f"superseded by {memory.superseded_by}, which is not here"
    if named is None or named is memory:
        edits = (*_emptied(memory), *(() if memory.active else told_alone(memory, reason)))
        return _finding(f'"{memory.name}" is superseded {says}', [memory], edits, why)
    edit = SetField(memory.path, "superseded_by", successor_value(memory, named))
    why += f" The line at its end names {named.label}."
    return _finding(f'"{memory.name}" is superseded {says}', [memory, named], (edit,), why)


def _emptied(memory: Memory) -> tuple[Edit, ...]:
    """No successor; an active memory does not go on saying that it has one either."""
    return (SetField(memory.path, "superseded_by", None), *(untold(memory) if memory.active else ()))


def _half(memory: Memory, following: Memory) -> Finding:
    choices = [Choice("a", "leave it as it is")]
    if following.active:
        retire = (*untold(memory), Supersede(memory.path, following.path))
        choices.append(Choice("b", f'carry it out: retire "{memory.name}"', retire))
    choices.append(Choice("c", "take it back: empty superseded_by", _emptied(memory)))
    says = f'"{memory.name}" names a successor and is still active'
    return _choice(says, (memory.path, following.path), choices, 0.7, _STILL)


def _unstamped(memory: Memory, known: Succession) -> Iterator[Finding]:
    """A line at the end that says what the front matter does not."""
    last = tombstone(memory)
    named = known.named(last[1], memory) if last else None
    if last is None or (last[1] and named is None and not known.all_read):
        return
    if not memory.active:
        if named is not None and named is not memory:
            edit = SetField(memory.path, "superseded_by", successor_value(memory, named))
            says, why = "names its successor in the line at its end only", f"That line names {named.label}."
            yield _finding(f'"{memory.name}" {says}', [memory, named], (edit,), why)
        return
    remove = untold(memory)
    choices = [Choice("a", "leave it as it is"), Choice("b", "it is still true: take the line away", remove)]
    subjects: tuple[str, ...] = (memory.path,)
    retire: Edit | None = None if last[1] else Archive(memory.path, "as its last line says")
    if named is not None and named.active and named is not memory:
        subjects, retire = (memory.path, named.path), Supersede(memory.path, named.path)
    if retire is not None:
        choices.append(Choice("c", f'carry it out: retire "{memory.name}"', (*remove, retire)))
    yield _choice(f'"{memory.name}" says at its end that it was retired, and is active', subjects, choices, 0.7, _STILL)


def _tombstone(memory: Memory, following: Memory | None) -> Iterator[Finding]:
    if following is None or following is memory or memory.forgotten:
        return
    edits = told(memory, following)
    if not edits:
        return
    if isinstance(edits[0], Append):
        says = group = "lacks the line at its end that names its successor"
    else:
        says, group = f'names another successor at its end than "{following.name}"', ""
    why = "Whoever opens the file sees by the line at its end where the knowledge went."
    yield _finding(f'"{memory.name}" {says}', [memory], edits, why, group=group)


def _edited_since(memory: Memory) -> Iterator[Finding]:
    retired = moment(memory.invalid_at)
    if retired is None or memory.updated is None or memory.updated - retired <= timedelta(minutes=1):
        return
    choices = [Choice("a", "it stays retired"), Choice("b", "restore it", (Restore(memory.path),))]
    why = f"Retired on {retired:%Y-%m-%d}, updated on {memory.updated:%Y-%m-%d}."
    yield _choice(f'"{memory.name}" was edited after it was retired', (memory.path,), choices, 0.6, why)


def _unfinished(memory: Memory, snapshot: Snapshot) -> Iterator[Finding]:
    for old in claimed(memory, snapshot) if memory.active else ():
        if not old.active or old.superseded_by or is_qualified(old, memory):
            continue  # half-stamped ones are asked about where they stand; qualified is answered already
        choices = [
            Choice("a", "keep both as they are"),
            Choice("b", f'retire "{old.name}"', (Supersede(old.path, memory.path),)),
            Choice("c", f'note in "{old.name}" that it was narrowed', (Qualify(old.path, memory.path),)),
        ]
        says = f'"{memory.name}" says that it supersedes "{old.name}", which is still active'
        why = "Both are loaded into briefings while one says the other is out of date."
        yield _choice(says, (memory.path, old.path), choices, 0.8, why)


def _choice(summary: str, subjects: tuple[str, ...], choices: list[Choice], score: float, why: str) -> Finding:
    return Finding("supersession", summary, subjects, choices=tuple(choices), score=score, why=(why,))


def _finding(
    summary: str, members: list[Memory], edits: tuple[Edit, ...], why: str, *, first: bool = False, group: str = ""
) -> Finding:
    paths = tuple(one.path for one in members)
    return Finding(
        "supersession", summary, paths, edits, score=0.9 if first else 0.7, why=(why,), first=first, group=group
    )


PASS = Pass("supersession", PassSettings, find)
