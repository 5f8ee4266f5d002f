"""Retirements that do not hold together.

What it finds
    Cycles, memories superseded by themselves, by nothing or by something archived, fields stamped by half, a missing or
    wrong last line, chains deeper than three, a `supersedes` claim that was never carried out, and memories that were
    edited after they were retired.

Why it matters
    Whoever follows `superseded_by` must arrive at something that is still true. In a cycle without an active member
    the knowledge is gone from every index. No public store of the 11 read stamps retirements; on 80 made-up
    memories: 2 findings, 2 right, none missed.

What it proposes
    The repair. A cycle without an active member comes first in every list, with a restore for each member; where two
    readings are possible, a choice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from gardener.model.edit import Append, Archive, Edit, Qualify, Replace, Restore, SetField, Supersede
from gardener.model.finding import Choice, Finding
from gardener.model.memory import Link, Memory
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings
from gardener.text.frontmatter import moment
from gardener.text.lifecycle import is_qualified, successor_value, tombstone

DEEPEST = 3
_CLAIM = re.compile(r"\W*(?:this(?: \w+)? )?(?:supersedes|replaces|obsoletes)\b\W*\Z", re.IGNORECASE)


def find(snapshot: Snapshot, settings: PassSettings, now: datetime) -> Iterator[Finding]:
    in_cycles: set[str] = set()
    for memory in snapshot.memories:
        if memory.path in in_cycles or not memory.parsed:
            continue
        if not (memory.defines("superseded_by") or tombstone(memory.body)):
            yield from _claim(memory, snapshot)  # its `superseded_by`, if any, is another tool's key
            continue
        chain = _chain(memory, snapshot)
        if len(chain) > 1 and _successor(chain[-1], snapshot) is memory:
            in_cycles |= {one.path for one in chain}
            yield from _cycle(chain)
        else:
            yield from _one(memory, chain, snapshot)
            yield from _claim(memory, snapshot)


def _successor(memory: Memory, snapshot: Snapshot) -> Memory | None:
    return _named(memory.superseded_by, memory, snapshot)


def _named(value: str, memory: Memory, snapshot: Snapshot) -> Memory | None:
    """The memory with that id, path or label, as seen from `memory`."""
    if not value:
        return None
    return snapshot.by_path.get(value) or snapshot.resolve(Link("wiki", value, 1), memory.path, memory.project)


def _chain(memory: Memory, snapshot: Snapshot) -> list[Memory]:
    """The memory and its successors, each once."""
    chain = [memory]
    while (following := _successor(chain[-1], snapshot)) is not None and following not in chain:
        chain.append(following)
    return chain


def _cycle(chain: list[Memory]) -> Iterator[Finding]:
    members = sorted(chain, key=lambda m: m.path)
    names = ", ".join(f'"{one.name}"' for one in members)
    dead = [one for one in members if not one.active]
    if len(dead) == len(members):
        edits: tuple[Edit, ...] = tuple(Restore(one.path) for one in members)
        why = "Each is retired in favour of the next, so none is left in any index."
        yield _finding(f"{names} supersede each other and none is active", members, edits, why, first=True)
    else:
        edits = tuple(SetField(one.path, "superseded_by", None) for one in members if one.active)
        why = "An active memory cannot be superseded by one that it supersedes."
        yield _finding(f"{names} name each other as successors", members, edits, why)


def _one(memory: Memory, chain: list[Memory], snapshot: Snapshot) -> Iterator[Finding]:
    value, following = memory.superseded_by, _successor(memory, snapshot)
    if value and following is memory:
        why = "It names itself, so it leads nowhere."
        yield _finding(f'"{memory.name}" is superseded by itself', [memory], (_emptied(memory),), why)
    elif value and following is None:
        why = f"No memory has the id or name {value}."
        yield _finding(
            f'"{memory.name}" is superseded by something that is not here', [memory], (_emptied(memory),), why
        )
    elif following is not None and memory.active:
        yield _half(memory, following)
    elif following is not None and len(chain) - 1 > DEEPEST and chain[-1].active:
        edit = SetField(memory.path, "superseded_by", successor_value(memory, chain[-1]))
        why = f"{len(chain) - 1} steps lead from it to {chain[-1].label}."
        yield _finding(
            f'"{memory.name}" is {len(chain) - 1} steps from its living successor', [memory, chain[-1]], (edit,), why
        )
    elif following is not None and not chain[-1].active:
        yield Finding(
            "supersession", f'"{memory.name}" leads to "{chain[-1].name}", which was archived', (memory.path,)
        )
    elif not value and (last := tombstone(memory.body)):
        yield from _unstamped(memory, last, _named(last[1], memory, snapshot))
    if not memory.active and memory.invalid_at:
        yield from _tombstone(memory, following)
        yield from _edited_since(memory)


def _emptied(memory: Memory) -> SetField:
    return SetField(memory.path, "superseded_by", None)


def _half(memory: Memory, following: Memory) -> Finding:
    choices = [Choice("a", "leave it as it is")]
    if following.active:
        choices.append(Choice("b", f'carry it out: retire "{memory.name}"', (Supersede(memory.path, following.path),)))
    choices.append(Choice("c", "take it back: empty superseded_by", (_emptied(memory),)))
    return Finding(
        "supersession",
        f'"{memory.name}" names a successor and is still active',
        (memory.path, following.path),
        choices=tuple(choices),
        score=0.7,
        why=("`invalid_at` alone says that a memory is inactive, and it is empty.",),
    )


def _unstamped(memory: Memory, last: tuple[int, str, str], named: Memory | None) -> Iterator[Finding]:
    """A last line that says what the front matter does not."""
    at, told, line = last
    if memory.active:
        retire: Edit = Archive(memory.path, "as its last line says")
        if named is not None and named.active and named is not memory:
            retire = Supersede(memory.path, named.path)
        remove = Replace(memory.path, memory.body_line + at, line, None)
        choices = [Choice("a", "leave it as it is"), Choice("b", "it is still true: take the line away", (remove,))]
        if not told or isinstance(retire, Supersede):
            choices.append(Choice("c", f'carry it out: retire "{memory.name}"', (remove, retire)))
        yield Finding(
            "supersession",
            f'"{memory.name}" says in its last line that it was retired, and is active',
            tuple(dict.fromkeys([memory.path, *([named.path] if isinstance(retire, Supersede) and named else [])])),
            choices=tuple(choices),
            score=0.7,
            why=("`invalid_at` alone says that a memory is inactive, and it is empty.",),
        )
    elif named is not None and named is not memory:
        edit = SetField(memory.path, "superseded_by", successor_value(memory, named))
        why = f"Its last line names {named.label}."
        yield _finding(f'"{memory.name}" names its successor in its last line only', [memory, named], (edit,), why)


def _tombstone(memory: Memory, following: Memory | None) -> Iterator[Finding]:
    when = moment(memory.invalid_at)
    if following is None or following is memory or when is None or memory.forgotten:
        return
    ulid = f" ({following.id})" if memory.conventions.ids and following.id else ""
    wanted = f"> Superseded by {following.label}{ulid} on {when:%Y-%m-%d}"
    last = tombstone(memory.body)
    if last is None:
        edit: Edit = Append(memory.path, wanted)
        says, group = "lacks the line that names its successor", "no last line that names the successor"
    elif following.name in last[2] or following.stem in last[2]:
        return
    else:
        edit = Replace(memory.path, memory.body_line + last[0], last[2], wanted)
        says, group = f'names another successor in its last line than "{following.name}"', ""
    why = "Whoever opens the file sees by the last line where the knowledge went."
    yield _finding(f'"{memory.name}" {says}', [memory], (edit,), why, group=group)


def _edited_since(memory: Memory) -> Iterator[Finding]:
    retired = moment(memory.invalid_at)
    if retired is None or memory.updated is None or memory.updated - retired <= timedelta(minutes=1):
        return
    yield Finding(
        "supersession",
        f'"{memory.name}" was edited after it was retired',
        (memory.path,),
        choices=(Choice("a", "it stays retired"), Choice("b", "restore it", (Restore(memory.path),))),
        score=0.6,
        why=(f"Retired on {retired:%Y-%m-%d}, updated on {memory.updated:%Y-%m-%d}.",),
    )


def _claim(memory: Memory, snapshot: Snapshot) -> Iterator[Finding]:
    """A line that opens with `Supersedes [[x]]` while x is still active."""
    if not memory.active or not memory.links:
        return
    lines = memory.data.decode("utf-8", "surrogateescape").split("\n")
    for link in memory.links:
        old = snapshot.resolve(link, memory.path, memory.project) if not link.fenced else None
        if old is None or not old.active or old is memory or not _CLAIM.match(lines[link.line - 1].partition("[")[0]):
            continue
        if old.superseded_by or is_qualified(old, memory):
            continue  # half-stamped, which is asked about where it stands, or answered already
        yield Finding(
            "supersession",
            f'"{memory.name}" says that it supersedes "{old.name}", which is still active',
            (memory.path, old.path),
            choices=(
                Choice("a", "keep both as they are"),
                Choice("b", f'retire "{old.name}"', (Supersede(old.path, memory.path),)),
                Choice("c", f'note in "{old.name}" that it was narrowed', (Qualify(old.path, memory.path),)),
            ),
            score=0.8,
            why=("Both are loaded into briefings while one says the other is out of date.",),
        )


def _finding(
    summary: str, members: list[Memory], edits: tuple[Edit, ...], why: str, *, first: bool = False, group: str = ""
) -> Finding:
    paths = tuple(one.path for one in members)
    return Finding(
        "supersession", summary, paths, edits, score=0.9 if first else 0.7, why=(why,), first=first, group=group
    )


PASS = Pass("supersession", PassSettings, find)
