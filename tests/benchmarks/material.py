"""Reads the measuring material (see its README): stores, labelled pairs, edited memories. Nothing is kept here."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import yaml

from gardener.model.memory import Conventions, Link, Memory

PLAIN = Conventions(name="plain", title="Plain markdown", keys=frozenset({"name", "description"}))
JOINED = {"jason-os": "sonash"}
"""Stores that count as one project with another: copies of one memory folder."""
INDEX = {"MEMORY.md", "README.md"}


@dataclass(frozen=True)
class Labelled:
    """Two memories of one store (paths below stores/) and what a reader said of them."""

    label: str
    a: str
    b: str

    @property
    def store(self) -> str:
        return store_of(self.a)

    @property
    def key(self) -> tuple[str, str]:
        return (self.a, self.b) if self.a < self.b else (self.b, self.a)


@dataclass(frozen=True)
class Edited:
    """First and last version of one memory file."""

    path: str
    first: Memory
    last: Memory


def store_of(path: str) -> str:
    top = path.split("/")[0]
    return JOINED.get(top, top)


def stores(data: Path) -> dict[str, tuple[Memory, ...]]:
    """Every memory of every store, by store; index files and the packed backlog are left out."""
    found: dict[str, list[Memory]] = {}
    base = data / "stores"
    for path in sorted(base.rglob("*")):
        if path.suffix in {".md", ".mdc"} and path.is_file() and path.name not in INDEX:
            name = path.relative_to(base).as_posix()
            found.setdefault(store_of(name), []).append(memory(name, path.read_bytes(), store_of(name)))
    return {key: tuple(value) for key, value in found.items()}


def labelled(data: Path) -> list[Labelled]:
    rows = (data / "pairs/memory_pairs.tsv").read_text("utf-8").splitlines()[1:]
    return [Labelled(*row.split("\t")[:3]) for row in rows]


def text_pairs(data: Path, name: str) -> Iterator[tuple[str, str, str]]:
    for row in (data / f"pairs/{name}.tsv").read_text("utf-8").splitlines()[1:]:
        label, a, b = row.split("\t")[:3]
        yield label, a, b


def edited(data: Path, by_store: dict[str, tuple[Memory, ...]]) -> list[Edited]:
    found = []
    for row in map(json.loads, (data / "pairs/evolution.jsonl").read_text("utf-8").splitlines()):
        store = store_of(row["store"])
        path = next(
            (m.path for m in by_store[store] if m.path.endswith("/" + row["path"])), f"{row['store']}/{row['path']}"
        )
        first, last = (_written(path, row[which], store) for which in ("first", "last"))
        copy = path.rsplit("/", 1)[0] + "/first-version/" + path.rsplit("/", 1)[1]
        found.append(Edited(path, replace(first, path=copy, root="first"), last))
    return found


def _written(path: str, version: dict[str, str], store: str) -> Memory:
    front = f"---\nname: {Path(path).stem}\ndescription: {json.dumps(version['description'])}\n---\n"
    return memory(path, (front + version["body"]).encode(), store)


_FRONT = re.compile(rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n(.*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_LINE = re.compile(r"^(\w[\w-]*):[ \t]*(.*)$", re.MULTILINE)
_WIKI = re.compile(r"\[\[([^\]|#\n]+)")
_MARKDOWN = re.compile(r"\]\(([^)\s#:]+\.mdc?)\)")


def memory(path: str, data: bytes, project: str = "") -> Memory:
    """A memory as the plain format would give it; front matter that does not parse is read line by line."""
    found = _FRONT.match(data)
    front = found.group(1).decode("utf-8", "replace") if found else ""
    fields = _fields(front)
    text = data[found.end() if found else 0 :].decode("utf-8", "replace")
    stem = Path(path).stem
    meta = fields.get("metadata")
    nested = meta if isinstance(meta, dict) else {}
    return Memory(
        path=path,
        root=path.split("/")[0],
        project=project,
        name=str(fields.get("name") or stem),
        conventions=PLAIN,
        data=data,
        sha256=hashlib.sha256(data).hexdigest(),
        body_at=found.end() if found else 0,
        body_line=data[: found.end()].count(b"\n") + 1 if found else 1,
        kind=str(fields.get("kind") or fields.get("type") or nested.get("type") or ""),
        description=" ".join(str(fields.get("description") or "").split()),
        created=_date(fields.get("created") or fields.get("date")),
        updated=_date(fields.get("updated") or fields.get("modified") or nested.get("modified")),
        links=tuple(_links(text, data[: found.end()].count(b"\n") + 1 if found else 1)),
        has_front_matter=bool(found),
    )


def _links(text: str, first: int) -> Iterator[Link]:
    for number, line in enumerate(text.split("\n"), first):
        for found in _WIKI.finditer(line):
            yield Link("wiki", found.group(1).removesuffix(".md").strip(), number)
        for found in _MARKDOWN.finditer(line):
            yield Link("markdown", found.group(1), number)


def _fields(front: str) -> dict[str, object]:
    try:
        loaded = yaml.load(front, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError):
        loaded = None
    if isinstance(loaded, dict):
        return loaded
    return {key: value.strip().strip("\"'") for key, value in _LINE.findall(front)}


def _date(value: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def copies(a: str, b: str) -> bool:
    """The same file of a folder that was copied between the two joined stores."""
    return a.split("/")[0] != b.split("/")[0] and Path(a).name == Path(b).name
