"""What one markdown file says, as values; reading is `formats`' work and changing is `text.rewrite`'s."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

Raw: TypeAlias = "str | list[Raw] | dict[str, Raw] | None"
"""A front matter value as written: scalars stay strings, an empty or `null` one is None."""

LIFECYCLE_KINDS = frozenset(
    ["constraint", "runbook", "protocol", "gotcha", "decision", "refuted", "reference", "stage", "convention"]
)
GRAPH_TYPES = frozenset(["identity", "preference", "decision", "goal", "todo", "fact", "event", "observation"])
RELATIONS = frozenset(["related", "supports", "contradicts", "refines", "supersedes"])
NEVER_STALE = frozenset({"constraint", "stage", "convention", "identity"})


@dataclass(frozen=True, slots=True)
class Conventions:
    """How files of one format are written: all that changing a file has to know of its format.

    `keys` are the front matter keys the format defines: passes judge no others.
    """

    name: str
    title: str
    keys: frozenset[str]
    ids: bool = False
    marks_description: bool = False
    index_files: frozenset[str] = frozenset()
    updated_key: str = "updated"


@dataclass(frozen=True, slots=True)
class Link:
    """A link as written. `target` has alias, anchor and `.md` removed; `line` is the file's, 1-based."""

    kind: Literal["wiki", "markdown"]
    target: str
    line: int
    fenced: bool = False


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage header. `status` is open, in_progress, blocked, done or unknown; lines are the file's or None."""

    status: str
    raw: str = ""
    line: int | None = None
    gate: str = ""

    @property
    def live(self) -> bool:
        return self.status in {"open", "in_progress", "blocked"}


@dataclass(frozen=True, slots=True)
class Association:
    """One typed edge of a memory-graph file, as written."""

    relation: str
    target: str


@dataclass(frozen=True, slots=True, eq=False)
class Memory:
    """One memory. `path` is store-relative and posix; `data` is the whole file, `body_at` a byte offset.

    Dates are aware and None where missing or unreadable; `fields` is the front matter as written
    and `lines` the file line (1-based) of each top-level key. `parsed` is False where the YAML
    does not parse and the fields were read line by line.
    """

    path: str
    root: str
    project: str
    name: str
    conventions: Conventions
    data: bytes
    sha256: str
    body_at: int
    body_line: int
    kind: str = ""
    id: str = ""
    description: str = ""
    created: datetime | None = None
    updated: datetime | None = None
    valid_from: datetime | None = None
    invalid_at: str = ""
    superseded_by: str = ""
    forgotten: bool = False
    favorite: bool = False
    tags: tuple[str, ...] = ()
    importance: str = ""
    associations: tuple[Association, ...] = ()
    fields: Mapping[str, Raw] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    stage: Stage | None = None
    has_front_matter: bool = True
    parsed: bool = True
    refused: bool = False

    @property
    def active(self) -> bool:
        """`invalid_at` or `forgotten` is the only sign that a memory is inactive."""
        return not (self.invalid_at or self.forgotten)

    @property
    def stem(self) -> str:
        return self.path.rsplit("/", 1)[-1].removesuffix(".md").removesuffix(".mdc")

    @property
    def subject(self) -> str:
        """What identifies the memory across renames: its id, else its path."""
        return self.id or self.path

    @property
    def label(self) -> str:
        """`PROJECT/NAME`, or NAME alone when global."""
        return f"{self.project}/{self.name}" if self.project else self.name

    @property
    def dated(self) -> datetime | None:
        """`updated`, else `created`, else None: unknown age is never stale."""
        return self.updated or self.created

    @property
    def body(self) -> str:
        return self.data[self.body_at :].decode("utf-8", "surrogateescape")

    def defines(self, key: str) -> bool:
        """Whether the format defines the key, so that a pass may judge it."""
        return key in self.conventions.keys


@dataclass(frozen=True, slots=True)
class Note:
    """A work artifact: it has no lifecycle, but its links protect."""

    path: str
    project: str
    data: bytes
    sha256: str
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexLine:
    """A line of an index file that names a memory: `target` is the memory's path, or "" when it names none."""

    path: str
    line: int
    text: str
    sha256: str
    target: str


ProblemKind: TypeAlias = Literal[
    "refused", "unparsed", "oversize", "encoding", "conflict", "symlink", "special", "front_matter"
]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be read as meant. `line` is 1-based, None for the whole file.

    `refused` means the system would not let us look: absence proves nothing in that run.
    """

    path: str
    kind: ProblemKind
    reason: str
    line: int | None = None

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}" if self.line else self.path
        return f"{where}: {self.reason}"
