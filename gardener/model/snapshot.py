"""A store as it was read at one moment, with the look-ups that passes need. Values only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from gardener.model.memory import IndexLine, Link, Memory, Note, Problem


@dataclass(frozen=True, slots=True)
class Answer:
    """A judge's word on two memories, pinned to both contents (sha256 of the files)."""

    a: str
    b: str
    a_sha256: str
    b_sha256: str
    word: str
    by: str = ""
    why: str = ""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """All that was read; two snapshots are the same only if they are one object.

    `settled` holds pairs of paths (sorted) a person declined to merge and that still hold;
    `merged` maps the path of a kept memory to its sha256 right after the merge that made it.
    """

    memories: tuple[Memory, ...] = ()
    notes: tuple[Note, ...] = ()
    index_lines: tuple[IndexLine, ...] = ()
    problems: tuple[Problem, ...] = ()
    indexes: tuple[Memory, ...] = ()
    """Index files, read as plain text: what a repair of an index changes."""
    files: frozenset[str] = frozenset()
    """Every file that was listed below a memory or notes folder."""
    notes_folder: str = "notes"
    """Where what is no memory belongs; "" where the store has no such folder."""
    settled: frozenset[tuple[str, str]] = frozenset()
    answers: tuple[Answer, ...] = ()
    merged: Mapping[str, str] = field(default_factory=dict)
    open_pairs: frozenset[tuple[str, str]] = frozenset()
    """(kept, retired) of the proposals that are open now: they keep their keeper while their verdict holds."""
    mute_links: Mapping[str, tuple[str, tuple[Link, ...]]] = field(default_factory=dict)
    """Path → (project, links) of files that are over the size limit or in conflict: their links still protect."""

    @cached_property
    def active(self) -> tuple[Memory, ...]:
        return tuple(memory for memory in self.memories if memory.active)

    @cached_property
    def by_path(self) -> dict[str, Memory]:
        """Memories and index files."""
        return {memory.path: memory for memory in (*self.memories, *self.indexes)}

    @cached_property
    def hashes(self) -> dict[str, str]:
        """Path → sha256 of every memory and note."""
        return {memory.path: memory.sha256 for memory in self.memories} | {n.path: n.sha256 for n in self.notes}

    @cached_property
    def by_id(self) -> dict[str, tuple[Memory, ...]]:
        found: dict[str, list[Memory]] = defaultdict(list)
        for memory in self.memories:
            if memory.id:
                found[memory.id].append(memory)
        return {key: tuple(value) for key, value in found.items()}

    @cached_property
    def unheard(self) -> tuple[Problem, ...]:
        """What the system refused to show: archives are withheld while there is any."""
        return tuple(problem for problem in self.problems if problem.kind == "refused")

    @cached_property
    def scopes(self) -> dict[str, tuple[Memory, ...]]:
        """Active memories by project ("" = global), each in path order."""
        found: dict[str, list[Memory]] = defaultdict(list)
        for memory in sorted(self.active, key=lambda m: m.path):
            found[memory.project].append(memory)
        return {key: tuple(value) for key, value in sorted(found.items())}

    @cached_property
    def by_name(self) -> dict[tuple[str, str], tuple[Memory, ...]]:
        """Memories by (project, folded name or stem), active ones first."""
        found: dict[tuple[str, str], dict[str, Memory]] = defaultdict(dict)
        for memory in sorted(self.memories, key=lambda m: (not m.active, m.path)):
            for name in {memory.name, memory.stem}:
                found[memory.project, name.casefold()][memory.path] = memory
        return {key: tuple(value.values()) for key, value in found.items()}

    def resolve(self, link: Link, source: str, project: str) -> Memory | None:
        """The memory a link in `source` leads to: by path for markdown links, else project first, then global."""
        if link.kind == "markdown":
            return self.by_path.get(join(source, link.target))
        if link.target in self.by_id:
            return self.by_id[link.target][0]
        prefix, _, name = link.target.rpartition("/")
        wanted = [prefix] if prefix else [project, ""]
        for scope in wanted:
            found = self.by_name.get(("" if scope == "_global" else scope, name.casefold()))
            if found:
                return found[0]
        return None

    @cached_property
    def linked_from(self) -> dict[str, tuple[str, ...]]:
        """For each memory path, the active memories, notes and unparsed files that link to it (never itself)."""
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for source, project, links in self._speakers():
            for link in links:
                target = self.resolve(link, source, project)
                if target is not None and target.path != source:
                    found[target.path][source] = None
        return {key: tuple(value) for key, value in found.items()}

    def _speakers(self) -> Iterable[tuple[str, str, tuple[Link, ...]]]:
        for memory in self.active:
            yield memory.path, memory.project, memory.links
        for note in self.notes:
            yield note.path, note.project, note.links
        for path, (project, links) in self.mute_links.items():
            yield path, project, links


def join(source: str, target: str) -> str:
    """`target`, a relative posix path, as seen from the file `source`; "" when it leaves the store."""
    parts = source.split("/")[:-1]
    for part in target.split("/"):
        if part == "..":
            if not parts:
                return ""
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)
