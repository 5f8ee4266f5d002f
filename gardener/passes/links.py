"""Links that lead nowhere, or to what was retired.

What it finds
    Wiki links and relative markdown links to memories that are not there, and links to retired memories. Links in code
    are left alone, and so are links to places outside the memory and notes folders, which were not looked at.

Why it matters
    A link to what was superseded hands an agent the old fact. A dangling one is knowledge nobody can reach.

What it proposes
    For a retired target, its living successor. For a dangling link, the one memory whose name is the same but for case,
    `_` and `-`, `.md` and a leading number, which is safe; nearest names are not offered (of 42 on a real store 17 were
    wrong). Without such a one it is advice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from gardener.model.edit import Edit, Replace
from gardener.model.finding import Finding, Risk
from gardener.model.memory import Link, Memory
from gardener.model.snapshot import Snapshot, join
from gardener.passes.base import Pass, PassSettings


def find(snapshot: Snapshot, settings: PassSettings, now: datetime) -> Iterator[Finding]:
    folded: dict[tuple[str, str], list[Memory]] = {}
    for memory in snapshot.active:
        for name in {fold(memory.name), fold(memory.stem)}:
            folded.setdefault((memory.project, name), []).append(memory)
    notes = {fold(note.path.rsplit("/", 1)[-1]) for note in snapshot.notes}
    for memory in snapshot.active:
        if memory.links:
            yield from _of(memory, snapshot, folded, notes)


def fold(name: str) -> str:
    """A name without case, `_` and `-`, `.md` and a leading number."""
    stem = re.sub(r"\.mdc?\Z", "", name.casefold())
    return re.sub(r"\A\d+[-_. ]+", "", re.sub(r"[-_ ]+", "-", stem)).strip("-")


def _of(
    memory: Memory, snapshot: Snapshot, folded: dict[tuple[str, str], list[Memory]], notes: set[str]
) -> Iterator[Finding]:
    text = memory.data.decode("utf-8", "surrogateescape").split("\n")
    lines = {number: line.removesuffix("\r") for number, line in enumerate(text, 1)}
    changed: dict[int, str] = {}
    why: list[str] = []
    dangling: list[str] = []
    safe = True
    for link in memory.links:
        if link.fenced or link.line not in lines:
            continue
        target = snapshot.resolve(link, memory.path, memory.project)
        better = _living(target, snapshot) if target is not None and not target.active else None
        if target is None and _ours(link, memory, snapshot, notes):
            better = _same_name(link, memory, folded)
            if better is None:
                dangling.append(link.target)
        elif better is None:
            continue
        if better is not None and better is not memory:
            before = changed.get(link.line, lines[link.line])
            changed[link.line] = _relinked(before, link, better, memory)
            reason = "has the same name" if target is None else "is its living successor"
            why.append(f"{link.target} {'is not there' if target is None else 'was retired'}; {better.label} {reason}.")
            safe = safe and target is None
    edits: tuple[Edit, ...] = tuple(
        Replace(memory.path, n, lines[n], new) for n, new in changed.items() if new != lines[n]
    )
    if edits:
        yield _finding(memory, edits, tuple(why), safe=safe)
    if dangling:
        names = ", ".join(dict.fromkeys(dangling))
        yield Finding("links", f'"{memory.name}" links to nothing: {names}', (memory.path,), score=0.3)


def _finding(memory: Memory, edits: tuple[Edit, ...], why: tuple[str, ...], *, safe: bool) -> Finding:
    says = "spells a link differently than its target" if safe else "links to what was retired"
    group = "links are spelled differently than their targets" if safe else ""
    risk: Risk = "safe" if safe else "judgement"
    summary = f'"{memory.name}" {says}'
    return Finding("links", summary, (memory.path,), edits, risk=risk, score=0.7, why=why, group=group)


def _ours(link: Link, memory: Memory, snapshot: Snapshot, notes: set[str]) -> bool:
    """Whether the place a link names was looked at, so that nothing there means nothing."""
    if link.kind == "wiki":
        scopes = {project for project, _ in snapshot.by_name}
        return ("/" not in link.target or link.target.split("/")[0] in scopes) and fold(link.target) not in notes
    place = join(memory.path, link.target)
    inside = memory.root == "." or place.startswith(f"{memory.root}/")
    return bool(place) and inside and place not in snapshot.files


def _living(memory: Memory, snapshot: Snapshot) -> Memory | None:
    """The active memory at the end of the chain of successors."""
    seen: set[str] = set()
    one: Memory | None = memory
    while one is not None and not one.active and one.path not in seen:
        seen.add(one.path)
        value = one.superseded_by
        found = snapshot.by_id.get(value, ())
        project, _, name = value.rpartition("/")
        found = found or snapshot.by_name.get((project, name.casefold()), ())
        one = found[0] if value and found else None
    return one if one is not None and one.active else None


def _same_name(link: Link, memory: Memory, folded: dict[tuple[str, str], list[Memory]]) -> Memory | None:
    name = fold(link.target.rsplit("/", 1)[-1])
    found = folded.get((memory.project, name)) or folded.get(("", name)) or []
    return found[0] if len(found) == 1 else None


def _relinked(line: str, link: Link, better: Memory, memory: Memory) -> str:
    if link.kind == "wiki":
        told = better.name if re.fullmatch(r"[\w.-]+", better.name) else better.stem
        new = told if better.project in {memory.project, ""} else f"{better.project}/{told}"
        return re.sub(rf"\[\[\s*{re.escape(link.target)}(?:\.md)?(?=\s*[|#\]\\])", f"[[{new}", line)
    new = "../" * memory.path.count("/") + better.path
    here = memory.path.rsplit("/", 1)[0]
    if better.path.rsplit("/", 1)[0] == here:
        new = better.path.rsplit("/", 1)[-1]
    return re.sub(rf"\]\(<?{re.escape(link.target)}(?=[)#>])", f"]({new}", line)


PASS = Pass("links", PassSettings, find)
