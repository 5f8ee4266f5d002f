"""Who follows whom: the chains of successors, what is claimed of them, and the lines that tell it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from gardener.model.edit import Append, Edit, Replace
from gardener.model.memory import Link, Memory
from gardener.model.snapshot import Snapshot
from gardener.text.frontmatter import moment
from gardener.text.lifecycle import archived_line, successor_line, tombstone
from gardener.text.links import read_links

_LINK = r"(?:\[\[[^\[\]]+\]\]|\[[^\[\]]*\]\([^()]*\))"
_CLAIM = re.compile(
    r"(?:[^\w\[]*(?:this(?: \w+)? )?|.*?[.!?;] this(?: \w+)? )(?:supersedes|replaces|obsoletes)\b[^\w\[]*"
    rf"(?P<old>{_LINK}(?:(?:,? and |, ?){_LINK})*)(?!\s*(?:with|by)\b)",
    re.IGNORECASE,
)

_UNREAD = frozenset({"refused", "oversize", "conflict", "symlink"})


@dataclass(frozen=True)
class Succession:
    """The chains of one snapshot."""

    snapshot: Snapshot

    @cached_property
    def all_read(self) -> bool:
        """Whether every file was read with its id: only then a name that leads nowhere names nothing."""
        if self.snapshot.mute_links or any(problem.kind in _UNREAD for problem in self.snapshot.problems):
            return False
        return all(one.parsed or one.id or not one.conventions.ids for one in self.snapshot.memories)

    def named(self, value: str, memory: Memory) -> Memory | None:
        """The memory with that id, path or label, as seen from `memory`."""
        if not value:
            return None
        by_path = self.snapshot.by_path.get(value)
        return by_path or self.snapshot.resolve(Link("wiki", value, 1), memory.path, memory.project)

    def successor(self, memory: Memory) -> Memory | None:
        """The memory that `superseded_by` names."""
        return self.named(memory.superseded_by, memory)

    def chain(self, memory: Memory) -> list[Memory]:
        """The memory and its successors, each once."""
        chain, seen = [memory], {memory.path}
        while (following := self.successor(chain[-1])) is not None and following.path not in seen:
            chain.append(following)
            seen.add(following.path)
        return chain

    def ends(self, chain: list[Memory]) -> bool:
        """Whether nothing can follow on a chain: its last memory names no successor, or one that is surely not here."""
        return not chain[-1].superseded_by or self.all_read

    def living(self, memory: Memory) -> Memory | None:
        """The first active memory among the successors of a retired one."""
        return next((one for one in self.chain(memory) if one.active), None)


def claimed(memory: Memory, snapshot: Snapshot) -> Iterator[Memory]:
    """What a line that opens with `Supersedes [[x]]`, or a sentence with `This supersedes [[x]]`, names, each once;
    links further on in such a line are not claimed."""
    lines = memory.data.decode("utf-8", "surrogateescape").split("\n") if memory.links else []
    seen = {memory.path}
    for number in sorted({link.line for link in memory.links if not link.fenced}):
        claim = _CLAIM.match(lines[number - 1])
        for link in read_links(claim["old"]) if claim else ():
            old = snapshot.resolve(link, memory.path, memory.project)
            if old is not None and old.path not in seen:
                seen.add(old.path)
                yield old


def told(memory: Memory, following: Memory) -> tuple[Edit, ...]:
    """The line that names a retired memory's successor, where it is missing at the end or names another one."""
    when, last = moment(memory.invalid_at), tombstone(memory)
    if when is None or _names(last[2] if last else memory.body, following):
        return ()
    wanted = successor_line(memory, following, when)
    return (Replace(memory.path, memory.body_line + last[0], last[2], wanted) if last else Append(memory.path, wanted),)


def told_alone(memory: Memory, reason: str) -> tuple[Edit, ...]:
    """The line of a retired memory without a successor, where it has none or that names the memory itself."""
    when, last = moment(memory.invalid_at), tombstone(memory)
    if when is None or (last and not _names(last[2], memory)):
        return ()
    wanted = archived_line(reason, when)
    return (Replace(memory.path, memory.body_line + last[0], last[2], wanted) if last else Append(memory.path, wanted),)


def untold(memory: Memory) -> tuple[Edit, ...]:
    """Takes the line that says a memory was retired away."""
    last = tombstone(memory)
    return (Replace(memory.path, memory.body_line + last[0], last[2], None),) if last else ()


def _names(text: str, memory: Memory) -> bool:
    """Whether a line of retirement says a memory's name: the whole of it, not a part of a longer one."""
    name = "|".join(map(re.escape, {memory.name, memory.stem}))
    return re.search(rf"(?m)^> Superseded by (?:.*/)?(?:{name})(?: \(\w+\))? on ", text) is not None
