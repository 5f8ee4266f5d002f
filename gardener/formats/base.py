"""What a format is, and how any file becomes a `Memory`; each format's own module says only where it differs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from gardener.model.memory import Association, Conventions, Link, Memory, Problem, Raw
from gardener.text.frontmatter import FrontMatter, cut_by_comment, moment, read
from gardener.text.links import read_links
from gardener.text.stage import read_stage

GLOBAL = "_global"

LIFECYCLE_KEYS = frozenset(
    "name description project created updated valid_from invalid_at superseded_by".split()
    + "source_session model favorite tags".split()
)


@dataclass(frozen=True, slots=True)
class Format:
    """One way of writing memories. `recognises` votes for one file; `kind` reads the kind from its fields."""

    conventions: Conventions
    recognises: Callable[[FrontMatter], bool]
    kind: Callable[[Mapping[str, Raw]], str]

    @property
    def name(self) -> str:
        return self.conventions.name


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it was read: store-relative posix path, its memory root, and its bytes."""

    path: str
    root: str
    data: bytes

    @property
    def project(self) -> str:
        """The first folder below the root; files directly in the root, and `_global`, have none."""
        inner = self.path if self.root in {"", "."} else self.path[len(self.root) + 1 :]
        first, slash, _ = inner.partition("/")
        return first if slash and first != GLOBAL else ""


def build(source: Source, form: Format, text: str, front: FrontMatter) -> Memory:
    """The memory a file says. Tolerant: a missing or strange key is empty, never an error."""
    fields = front.fields
    stem = re.sub(r"\.mdc?\Z", "", source.path.rsplit("/", 1)[-1])
    kind = form.kind(fields)
    body_line = text.count("\n", 0, front.body) + 1
    body = text[front.body :]
    dates = {key: moment(lookup(fields, key)) for key in ("created", "valid_from")}
    updated = next((found for key in ("updated", "modified") if (found := moment(lookup(fields, key)))), None)
    associations = tuple(_associations(fields.get("associations")))
    return Memory(
        path=source.path,
        root=source.root,
        project=source.project,
        name=word(fields.get("name")) or stem,
        conventions=form.conventions,
        data=source.data,
        sha256=hashlib.sha256(source.data).hexdigest(),
        body_at=len(text[: front.body].encode("utf-8", "surrogateescape")),
        body_line=body_line,
        kind=kind,
        id=word(fields.get("id")) if form.conventions.ids else "",
        description=_description(text, front),
        created=dates["created"],
        updated=updated,
        valid_from=dates["valid_from"],
        invalid_at=word(fields.get("invalid_at")),
        superseded_by=word(fields.get("superseded_by")),
        forgotten=word(fields.get("forgotten")).casefold() not in {"", "false"},
        favorite=word(fields.get("favorite")).casefold() == "true",
        tags=tuple(word(tag) for tag in _listed(fields.get("tags"))),
        importance=word(fields.get("importance")),
        associations=associations,
        fields=fields,
        lines={key: entry.line for key, entry in front.entries.items()},
        links=(*read_links(text), *(Link("wiki", edge.target, 1, fenced=True) for edge in associations if edge.target)),
        stage=read_stage(body, body_line) if kind == "stage" else None,
        has_front_matter=front.exists,
        parsed=not front.error,
        refused=front.refused,
    )


def problems(path: str, text: str, front: FrontMatter) -> Iterable[Problem]:
    """What is odd about a file that was read, each with its line."""
    if front.error:
        yield Problem(path, "unparsed", front.error, front.error_line)
    if text.startswith("\ufeff"):
        yield Problem(path, "encoding", "begins with a byte-order mark; it is read and kept", 1)
    bad = re.search("[\udc80-\udcff]", text)
    if bad:
        yield Problem(
            path, "encoding", "holds bytes that are not UTF-8; they are kept", text.count("\n", 0, bad.start()) + 1
        )
    if "\0" in text:
        yield Problem(path, "encoding", "holds a NUL character", _line(text, text.index("\0")))
    if front.exists and not front.error and text.startswith("---", front.body) and read(text[front.body :]).exists:
        yield Problem(
            path, "front_matter", "a second front matter block follows the first", text.count("\n", 0, front.body) + 1
        )


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def lookup(fields: Mapping[str, Raw], key: str) -> Raw:
    """A key on the top level, else under `metadata:`."""
    if key in fields:
        return fields[key]
    nested = fields.get("metadata")
    return nested.get(key) if isinstance(nested, dict) else None


def word(value: Raw) -> str:
    """A scalar as text, "" for anything else."""
    return value.strip() if isinstance(value, str) else ""


def _listed(value: Raw) -> list[Raw]:
    if isinstance(value, list):
        return value
    return [part.strip() for part in value.split(",")] if isinstance(value, str) and value.strip() else []


def _description(text: str, front: FrontMatter) -> str:
    entry = front.entries.get("description")
    if entry is None:
        return ""
    whole = cut_by_comment(text, entry)
    return whole if whole is not None else word(entry.value)


def _associations(value: Raw) -> Iterable[Association]:
    for edge in value if isinstance(value, list) else []:
        if isinstance(edge, dict):
            yield Association(word(edge.get("relation")), word(edge.get("target")))
