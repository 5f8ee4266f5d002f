"""One pass over a YAML parser's events: values as written, the span of each, and the limits of DESIGN §3."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import yaml

from gardener.model.memory import Raw

MAX_NODES = 2_000
MAX_DEPTH = 8
NULL = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(frozen=True, slots=True)
class Failure(Exception):  # noqa: N818 - a value that leaves the parser, not an error anyone meets
    """Why the block does not parse, and the file line (the block begins on line 2)."""

    reason: str
    line: int
    refused: bool = True
    """Whether it is YAML that is not read on purpose, rather than text that is none."""


Spanned: TypeAlias = tuple[Raw, int, int, int, str | None]
"""value, key offset, value start, value end (offsets into the block), and the scalar's style."""


class Reader:
    """One pass over the parser's events: builds values, keeps spans, and holds the limits."""

    def __init__(self, events: Iterator[Any], block: str, max_nodes: int = MAX_NODES) -> None:
        self.events, self.block, self.nodes, self.max_nodes = events, block, 0, max_nodes
        self.found: dict[str, Spanned] = {}

    def top(self) -> dict[str, Spanned]:
        event = next(self.events)
        while isinstance(event, yaml.StreamStartEvent | yaml.DocumentStartEvent):
            event = next(self.events)
        if isinstance(event, yaml.StreamEndEvent):
            return {}
        if not isinstance(event, yaml.MappingStartEvent):
            if isinstance(event, yaml.ScalarEvent) and event.implicit[0] and event.value in NULL:
                return {}
            raise Failure("front matter is not a list of keys and values", line_of(event))
        self.mapping(event, "", 1)
        for rest in self.events:
            if not isinstance(rest, yaml.DocumentEndEvent | yaml.StreamEndEvent):
                raise Failure("front matter holds a second document", line_of(rest))
        return self.found

    def mapping(self, opening: Any, prefix: str, depth: int) -> tuple[dict[str, Raw], int]:
        values: dict[str, Raw] = {}
        last = end_of(opening)
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                raise Failure("a key is not plain text", line_of(event))
            key, key_at = event.value, start_of(event)
            self.count(event)
            if key in values:
                raise Failure(f"key {key!r} stands twice", line_of(event))
            dotted = f"{prefix}{key}"
            # The slot is taken before the value so that a parent stands before its children.
            self.found[dotted] = (None, key_at, 0, 0, None)
            opener = next(self.events)
            value, end = self.value(opener, f"{dotted}.", depth)
            style = opener.style or None if isinstance(opener, yaml.ScalarEvent) else "collection"
            start = max(start_of(opener), end_of(event))
            self.found[dotted] = (value, key_at, start, max(end, start), style)
            values[key] = value
            last = end
        return values, end_of(event) if opening.flow_style else last

    def sequence(self, opening: Any, depth: int) -> tuple[list[Raw], int]:
        values: list[Raw] = []
        last = end_of(opening)
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            value, last = self.value(event, "\0", depth)
            values.append(value)
        return values, end_of(event) if opening.flow_style else last

    def value(self, event: Any, prefix: str, depth: int) -> tuple[Raw, int]:
        self.count(event)
        if depth > MAX_DEPTH:
            raise Failure(f"values are nested deeper than {MAX_DEPTH}", line_of(event))
        if isinstance(event, yaml.ScalarEvent):
            end = end_of(event)
            if event.style in {"|", ">"}:
                end = len(self.block[:end].rstrip())
            plain_null = event.implicit[0] and not event.style and event.value in NULL
            return (None if plain_null else event.value), end
        if isinstance(event, yaml.MappingStartEvent):
            # Keys inside a list have no place a setting could name, so only mappings of mappings are dotted.
            if prefix.startswith("\0"):
                inner, self.found = self.found, {}
                result = self.mapping(event, prefix, depth + 1)
                self.found = inner
                return result[0], result[1]
            return self.mapping(event, prefix, depth + 1)
        return self.sequence(event, depth + 1)

    def count(self, event: Any) -> None:
        self.nodes += 1
        if self.nodes > self.max_nodes:
            raise Failure(f"front matter has more than {self.max_nodes:,} values", line_of(event))
        if getattr(event, "anchor", None) is not None or isinstance(event, yaml.AliasEvent):
            raise Failure("anchors and aliases (& and *) are not read; put the value in quotes", line_of(event))
        if getattr(event, "tag", None) is not None:
            raise Failure("tags (!) are not read; put the value in quotes", line_of(event))


def line_of(event: Any) -> int:
    """The file line an event begins on; the block itself begins on line 2."""
    return int(event.start_mark.line) + 2


def start_of(event: Any) -> int:
    """Offset into the block of an event's first character."""
    return int(event.start_mark.index)


def end_of(event: Any) -> int:
    """Offset into the block just past an event."""
    return int(event.end_mark.index)
