"""Front matter, located by exact source span. `text.keys` changes it; nothing re-serialises it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

import yaml

from gardener.model.memory import Raw
from gardener.text.yaml_spans import MAX_NODES, NULL, Failure, Reader

MAX_CHARACTERS = 64 * 1024

_OPEN = re.compile(r"---[ \t]*(\r?\n)")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_KEY_LINE = re.compile(r"([A-Za-z_][\w.-]*):(?:[ \t]+([^\r\n]*?))?[ \t]*\r?$", re.MULTILINE)
_SURROGATE = re.compile("[\ud800-\udfff]")
DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s?(?:[Zz]|[+-]\d\d:?\d\d)?)?\Z")


@dataclass(frozen=True, slots=True)
class Entry:
    """One key: `value` as written, and character offsets into the file text of its key and value."""

    value: Raw
    key_at: int
    start: int
    end: int
    style: str | None
    line: int


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The block at the start of a file. Offsets are characters of the whole text, a byte-order mark included.

    `start`..`end` is what stands between the fences, the body begins at `body`. Keys below another
    are in `entries` with a dot. `error` says why the YAML does not parse; the entries then come
    from a reading line by line. `exists` is False where there is no block at all, and `closed`
    False where one begins and never ends, and `refused` is YAML that is not read on purpose (anchors, tags, a key
    twice, too much of it): nothing is concluded from such a block and nothing written into it.
    """

    exists: bool
    start: int = 0
    end: int = 0
    body: int = 0
    newline: str = "\n"
    entries: dict[str, Entry] = field(default_factory=dict)
    error: str = ""
    error_line: int | None = None
    closed: bool = True
    refused: bool = False

    @property
    def fields(self) -> dict[str, Raw]:
        return {key: entry.value for key, entry in self.entries.items() if "." not in key}


def read(text: str) -> FrontMatter:
    """Locate and parse the front matter of a whole file."""
    mark = 1 if text.startswith("\ufeff") else 0
    opening = _OPEN.match(text, mark)
    if not opening:
        lone = text.startswith("---\r", mark) and "\n" not in text[mark : mark + 200]
        return FrontMatter(
            False, body=mark, closed=not lone, error=_LONE if lone else "", error_line=1 if lone else None
        )
    start = opening.end()
    closing = _CLOSE.search(text, start, start + MAX_CHARACTERS + 8)
    if not closing:
        return _unclosed(text, mark, start)
    shell = FrontMatter(True, start, closing.start(), closing.end(), opening.group(1))
    block = text[start : closing.start()]
    try:
        entries = dict(_parse(block, start))
    except Failure as failure:
        return _with(shell, dict(_by_line(block, start)), failure)
    return _with(shell, entries, None)


_LONE = "lines end with a carriage return alone; save the file with line feeds"


def _with(shell: FrontMatter, entries: dict[str, Entry], failure: Failure | None) -> FrontMatter:
    return FrontMatter(
        True,
        shell.start,
        shell.end,
        shell.body,
        shell.newline,
        entries,
        failure.reason if failure else "",
        failure.line if failure else None,
        refused=failure is not None and failure.refused,
    )


def _unclosed(text: str, mark: int, start: int) -> FrontMatter:
    """A leading rule in a plain document, or front matter somebody forgot to close."""
    first = text[start : start + 200].lstrip("\r\n \t")
    if not _KEY_LINE.match(first.split("\n", 1)[0] + "\n"):
        return FrontMatter(False, body=mark)
    oversize = _CLOSE.search(text, start)
    reason = "front matter is over 64 KiB" if oversize else "front matter is not closed with a line ---"
    return FrontMatter(False, body=mark, closed=False, error=reason, error_line=1)


def _parse(block: str, base: int) -> Iterator[tuple[str, Entry]]:
    """Entries of a YAML mapping, nested keys dotted. Raises `Failure` with the file's line."""
    # Surrogates stand for bytes that are not UTF-8; the parser cannot take them and offsets must not move.
    clean = block if block.isascii() else _SURROGATE.sub("\ufffd", block)
    try:
        yield from _entries(yaml.parse(clean, Loader=yaml.CSafeLoader), block, base)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise Failure(error.problem or "YAML does not parse", (mark.line if mark else 0) + 2, refused=False) from None
    except yaml.YAMLError as error:
        position = getattr(error, "position", 0)
        reason = str(getattr(error, "reason", "YAML does not parse"))
        raise Failure(reason, block.count("\n", 0, position) + 2, refused=False) from None


def _entries(events: Iterator[yaml.Event], block: str, base: int) -> Iterator[tuple[str, Entry]]:
    reader = Reader(events, block)
    found = reader.top()
    for key, (value, key_at, start, end, style) in found.items():
        line = block.count("\n", 0, key_at) + 2
        yield key, Entry(value, base + key_at, base + start, base + end, style, line)


def _by_line(block: str, base: int) -> Iterator[tuple[str, Entry]]:
    """What a reading line by line makes of YAML that does not parse: `key: rest of the line`."""
    seen: set[str] = set()
    for found in _KEY_LINE.finditer(block[:MAX_CHARACTERS]):
        if found.start() and block[found.start() - 1] != "\n":
            continue
        key, rest = found.group(1), found.group(2) or ""
        if key in seen or len(seen) >= MAX_NODES:
            continue
        seen.add(key)
        start = found.start(2) if found.group(2) is not None else found.end(1) + 1
        value: Raw = None if rest in NULL else _unquoted(rest)
        line = block.count("\n", 0, found.start()) + 2
        yield key, Entry(value, base + found.start(), base + start, base + start + len(rest), None, line)


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return text


def cut_by_comment(text: str, entry: Entry) -> str | None:
    """The whole rest of the line where an unquoted value was silently cut at ` #`, else None."""
    if entry.style is not None or not isinstance(entry.value, str) or "\n" in text[entry.start : entry.end]:
        return None
    line_end = text.find("\n", entry.end)
    rest = text[entry.end : line_end if line_end >= 0 else len(text)].rstrip()
    return text[entry.start : entry.end] + rest if rest.lstrip().startswith("#") else None


def moment(value: Raw) -> datetime | None:
    """An aware datetime from a date or time as people write it (no zone = UTC), None where it is neither."""
    if not isinstance(value, str) or not DATE.match(value.strip()):
        return None
    try:
        found = datetime.fromisoformat(value.strip().upper().replace(" ", "T", 1).replace(" ", ""))
    except ValueError:
        return None
    try:
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except OverflowError:
        return None


def stamp(now: datetime) -> str:
    """RFC 3339, UTC, seconds."""
    return now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
