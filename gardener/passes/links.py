"""Links that lead nowhere, or to what was retired.

What it finds
    Wiki links and relative markdown links to memories that are not there, and links to retired memories. Links in code
    are left alone, and so are links into folders that were not looked at: nothing is known to be missing there.

Why it matters
    A link to what was superseded hands an agent the old fact. A dangling one is knowledge nobody can reach. Read on
    3,926 memories of 11 public stores: 63 proposals over 25 different links, all right; 57 times advice, 51 right, as
    their targets tell, and 6 open to doubt (a number or a phrase in brackets).

What it proposes
    For a retired target, its living successor. For a dangling link, the one memory whose name is the same but for case,
    `_` and `-`, `.md` and a leading number, which is safe; nearest names are not offered (of 42 on a real store 17 were
    wrong). Without such a one it is advice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from gardener.model.edit import Edit, Replace
from gardener.model.finding import Finding, Risk
from gardener.model.memory import Link, Memory
from gardener.model.snapshot import Snapshot, join
from gardener.passes.base import Pass, PassSettings
from gardener.text.links import relinked
from gardener.text.succession import Succession

_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")


def find(snapshot: Snapshot, settings: PassSettings, now: datetime) -> Iterator[Finding]:
    folded: dict[tuple[str, str], list[Memory]] = {}
    for memory in snapshot.active:
        for name in {fold(memory.name), fold(memory.stem)}:
            folded.setdefault((memory.project, name), []).append(memory)
    read = _Read(
        frozenset(path.rpartition("/")[0] for path in snapshot.files),
        frozenset(fold(path.rsplit("/", 1)[-1]) for path in _unnamed(snapshot)),
        Succession(snapshot),
    )
    for memory in snapshot.active:
        if memory.links:
            yield from _of(memory, snapshot, folded, read)


def _unnamed(snapshot: Snapshot) -> Iterator[str]:
    """Files that a link by name may mean although no memory was read from them."""
    yield from (note.path for note in snapshot.notes)
    yield from (index.path for index in snapshot.indexes)
    yield from snapshot.mute_links


@dataclass(frozen=True, slots=True)
class _Read:
    """What was looked at beside memories: the folders, and the folded names of notes, indexes and unread files."""

    folders: frozenset[str]
    names: frozenset[str]
    known: Succession


def fold(name: str) -> str:
    """A name without case, `_` and `-`, `.md` and a leading number."""
    stem = re.sub(r"\.mdc?\Z", "", name.casefold())
    return re.sub(r"\A\d+[-_. ]+", "", re.sub(r"[-_ ]+", "-", stem)).strip("-")


def _of(
    memory: Memory, snapshot: Snapshot, folded: dict[tuple[str, str], list[Memory]], read: _Read
) -> Iterator[Finding]:
    text = memory.data.decode("utf-8", "surrogateescape").split("\n")
    lines = {number: line.removesuffix("\r") for number, line in enumerate(text, 1)}
    changed: dict[int, str] = {}
    why: list[str] = []
    dangling: list[str] = []
    archived: list[str] = []
    safe = True
    for link in memory.links:
        if link.fenced or link.line not in lines:
            continue
        target = snapshot.resolve(link, memory.path, memory.project)
        better = read.known.living(target) if target is not None and not target.active else None
        if target is None and _ours(link, memory, snapshot, read):
            better = _same_name(link, memory, folded)
            if better is None:
                dangling.append(link.target)
        elif better is None:
            archived += [link.target] if target is not None and target is not memory and _ended(target, read) else []
            continue
        told = _told(link, better, memory, snapshot) if better is not None and better is not memory else ""
        if better is not None and told:
            changed[link.line] = relinked(changed.get(link.line, lines[link.line]), link, told)
            reason = "has the same name" if target is None else "is its living successor"
            why.append(f"{link.target} {'is not there' if target is None else 'was retired'}; {better.label} {reason}.")
            safe = safe and target is None
    edits: tuple[Edit, ...] = tuple(
        Replace(memory.path, n, lines[n], new) for n, new in changed.items() if new != lines[n]
    )
    if edits:
        yield _finding(memory, edits, tuple(why), safe=safe)
    for targets, says in (dangling, "nothing"), (archived, "what was retired without a successor"):
        if targets:
            names = ", ".join(dict.fromkeys(targets))
            yield Finding("links", f'"{memory.name}" links to {says}: {names}', (memory.path,), score=0.3)


def _finding(memory: Memory, edits: tuple[Edit, ...], why: tuple[str, ...], *, safe: bool) -> Finding:
    says = "spells a link differently than its target" if safe else "links to what was retired"
    group = "links are spelled differently than their targets" if safe else ""
    risk: Risk = "safe" if safe else "judgement"
    summary = f'"{memory.name}" {says}'
    return Finding("links", summary, (memory.path,), edits, risk=risk, score=0.7, why=why, group=group)


def _ours(link: Link, memory: Memory, snapshot: Snapshot, read: _Read) -> bool:
    """Whether the place a link names was looked at, so that nothing there means nothing."""
    if link.kind == "wiki":
        scopes = {project for project, _ in snapshot.by_name}
        if _ULID.fullmatch(link.target) and not read.known.all_read:
            return False  # an unread file may have that id
        return ("/" not in link.target or link.target.split("/")[0] in scopes) and fold(link.target) not in read.names
    if link.target.startswith("/"):
        return False  # seen from a root that only the reader's own tool knows
    place = join(memory.path, link.target)
    if not place or place in snapshot.files:
        return False
    return place.rpartition("/")[0] in read.folders or link.target in snapshot.files


def _same_name(link: Link, memory: Memory, folded: dict[tuple[str, str], list[Memory]]) -> Memory | None:
    """The one memory of that name, which has to lie in the folder a path names."""
    name = fold(link.target.rsplit("/", 1)[-1])
    found = folded.get((memory.project, name)) or folded.get(("", name)) or []
    if link.kind == "markdown" and "/" in link.target:
        folders = {join(memory.path, link.target).rpartition("/")[0], link.target.rpartition("/")[0]}
        found = [one for one in found if one.path.rpartition("/")[0] in folders]
    return found[0] if len(found) == 1 else None


def _told(link: Link, better: Memory, memory: Memory, snapshot: Snapshot) -> str:
    """A target that leads from `memory` to `better`, like the old one as far as can be; "" where none does."""
    if link.kind == "wiki":
        plain = [name for name in (better.name, better.stem) if re.fullmatch(r"[\w.-]+", name)] or [better.stem]
        plain.sort(key=lambda name: fold(name) != fold(link.target.rsplit("/", 1)[-1]))
        near = plain if better.project in {memory.project, ""} else []
        tried = [*near, *(f"{better.project or '_global'}/{name}" for name in plain)]
    elif better.path.rpartition("/")[0] == memory.path.rpartition("/")[0]:
        tried = [better.path.rsplit("/", 1)[-1]]
    else:
        tried = ["../" * memory.path.count("/") + better.path]
    leads = (one for one in tried if snapshot.resolve(Link(link.kind, one, 1), memory.path, memory.project) is better)
    return next(leads, "")


def _ended(target: Memory, read: _Read) -> bool:
    """Whether it was retired and surely no successor of it lives."""
    return not target.active and read.known.ends(read.known.chain(target))


PASS = Pass("links", PassSettings, find)
