"""Front matter, located and edited by exact source span. It never re-serialises what it was not asked to change."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

import yaml

from gardener.model.edit import JsonValue
from gardener.model.memory import Raw

MAX_CHARACTERS = 64 * 1024
MAX_NODES = 2_000
MAX_DEPTH = 8

ORDER = (
    "id kind name description project created updated valid_from invalid_at superseded_by source_session model favorite"
).split()
"""The order in which missing keys are inserted (DESIGN §3.1)."""

_OPEN = re.compile(r"---[ \t]*(\r?\n)")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_KEY_LINE = re.compile(r"([A-Za-z_][\w.-]*):(?:[ \t]+([^\r\n]*?))?[ \t]*\r?$", re.MULTILINE)
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s?(?:[Zz]|[+-]\d\d:?\d\d)?)?\Z")


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
    False where one begins and never ends.
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

    @property
    def fields(self) -> dict[str, Raw]:
        return {key: entry.value for key, entry in self.entries.items() if "." not in key}


@dataclass(frozen=True, slots=True)
class _Failure(Exception):  # noqa: N818 - a value that leaves the parser, not an error anyone meets
    reason: str
    line: int


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
    except _Failure as failure:
        return _with(shell, dict(_by_line(block, start)), failure)
    return _with(shell, entries, None)


_LONE = "lines end with a carriage return alone; save the file with line feeds"


def _with(shell: FrontMatter, entries: dict[str, Entry], failure: _Failure | None) -> FrontMatter:
    return FrontMatter(
        True,
        shell.start,
        shell.end,
        shell.body,
        shell.newline,
        entries,
        failure.reason if failure else "",
        failure.line if failure else None,
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
    """Entries of a YAML mapping, nested keys dotted. Raises `_Failure` with the file's line."""
    # Surrogates stand for bytes that are not UTF-8; the parser cannot take them and offsets must not move.
    clean = block.encode("utf-8", "replace").decode() if block.isascii() is False else block
    try:
        yield from _entries(yaml.parse(clean, Loader=yaml.CSafeLoader), block, base)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _Failure(error.problem or "YAML does not parse", (mark.line if mark else 0) + 2) from None
    except yaml.YAMLError as error:
        position = getattr(error, "position", 0)
        reason = str(getattr(error, "reason", "YAML does not parse"))
        raise _Failure(reason, block.count("\n", 0, position) + 2) from None


def _entries(events: Iterator[yaml.Event], block: str, base: int) -> Iterator[tuple[str, Entry]]:
    reader = _Reader(events, block)
    found = reader.top()
    for key, (value, key_at, start, end, style) in found.items():
        line = block.count("\n", 0, key_at) + 2
        yield key, Entry(value, base + key_at, base + start, base + end, style, line)


_Spanned = tuple[Raw, int, int, int, str | None]


class _Reader:
    """One pass over the parser's events: builds values, keeps spans, and holds the limits."""

    def __init__(self, events: Iterator[yaml.Event], block: str) -> None:
        self.events, self.block, self.nodes = events, block, 0
        self.found: dict[str, _Spanned] = {}

    def top(self) -> dict[str, _Spanned]:
        event = next(self.events)
        while isinstance(event, yaml.StreamStartEvent | yaml.DocumentStartEvent):
            event = next(self.events)
        if isinstance(event, yaml.StreamEndEvent):
            return {}
        if not isinstance(event, yaml.MappingStartEvent):
            if isinstance(event, yaml.ScalarEvent) and event.implicit[0] and event.value in _NULL:
                return {}
            raise _Failure("front matter is not a list of keys and values", event.start_mark.line + 2)
        self.mapping(event, "", 1)
        for rest in self.events:
            if not isinstance(rest, yaml.DocumentEndEvent | yaml.StreamEndEvent):
                raise _Failure("front matter holds a second document", rest.start_mark.line + 2)
        return self.found

    def mapping(self, opening: yaml.Event, prefix: str, depth: int) -> tuple[dict[str, Raw], int]:
        values: dict[str, Raw] = {}
        last = opening.end_mark.index
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                raise _Failure("a key is not plain text", event.start_mark.line + 2)
            key, key_at = event.value, event.start_mark.index
            self.count(event)
            if key in values:
                raise _Failure(f"key {key!r} stands twice", event.start_mark.line + 2)
            dotted = f"{prefix}{key}"
            # The slot is taken before the value so that a parent stands before its children.
            self.found[dotted] = (None, key_at, 0, 0, None)
            opener = next(self.events)
            value, end = self.value(opener, f"{dotted}.", depth)
            style = opener.style or None if isinstance(opener, yaml.ScalarEvent) else "collection"
            start = max(opener.start_mark.index, event.end_mark.index)
            self.found[dotted] = (value, key_at, start, max(end, start), style)
            values[key] = value
            last = end
        return values, max(last, event.end_mark.index) if opening.flow_style else last

    def sequence(self, opening: yaml.Event, depth: int) -> tuple[list[Raw], int]:
        values: list[Raw] = []
        last = opening.end_mark.index
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            value, last = self.value(event, "\0", depth)
            values.append(value)
        return values, event.end_mark.index if opening.flow_style else last

    def value(self, event: yaml.Event, prefix: str, depth: int) -> tuple[Raw, int]:
        self.count(event)
        if depth > MAX_DEPTH:
            raise _Failure(f"values are nested deeper than {MAX_DEPTH}", event.start_mark.line + 2)
        if isinstance(event, yaml.ScalarEvent):
            end = event.end_mark.index
            if event.style in {"|", ">"}:
                end = len(self.block[:end].rstrip())
            plain_null = event.implicit[0] and not event.style and event.value in _NULL
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

    def count(self, event: yaml.Event) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise _Failure(f"front matter has more than {MAX_NODES:,} values", event.start_mark.line + 2)
        if getattr(event, "anchor", None) is not None or isinstance(event, yaml.AliasEvent):
            raise _Failure(
                "anchors and aliases (& and *) are not read; put the value in quotes", event.start_mark.line + 2
            )
        if getattr(event, "tag", None) is not None:
            raise _Failure("tags (!) are not read; put the value in quotes", event.start_mark.line + 2)


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
        value: Raw = None if rest in _NULL else _unquoted(rest)
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
    if not isinstance(value, str) or not _DATE.match(value.strip()):
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


def scalar(value: JsonValue, style: str | None = None) -> str:
    """YAML for one value on one line, in the quoting style it had where that can hold it."""
    if value is None:
        return "null"
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if style == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    if style != '"' and _plain(value):
        return value
    return _quoted(value)


def _quoted(value: str) -> str:
    # JSON leaves DEL, C1 and the Unicode line separators raw; YAML would break or refuse lines there.
    return "".join(
        f"\\u{ord(c):04x}" if ord(c) in {0x7F, 0x2028, 0x2029, 0xFEFF} or 0x80 <= ord(c) < 0xA0 else c
        for c in json.dumps(value, ensure_ascii=False)
    )


_SAFE_PLAIN = re.compile(r"[A-Za-z0-9/(][^\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]*\Z")
_TYPED = re.compile(r"(?i:[-+.\d][\d_.,:xoe+-]*|true|false|yes|no|on|off|y|n|null|~)\Z")


def _plain(value: str) -> bool:
    """Whether the text may stand unquoted: every YAML reader takes it as the same string (or the same time)."""
    if _DATE.match(value):
        return True
    if not _SAFE_PLAIN.match(value) or _TYPED.match(value) or value != value.strip():
        return False
    return ": " not in value and " #" not in value and not value.endswith(":")


def set_key(text: str, key: str, value: JsonValue) -> str:
    """`text` with one key set, every other character as it was. Raises ValueError where that cannot be done safely.

    An existing value is replaced in place, a missing key inserted as a line of its own in the order
    of §3.1, and a file without front matter gets a block in front of its text.
    """
    block = read(text)
    if not block.exists:
        if not block.closed:
            raise ValueError(f"{block.error}; mend it first")
        changed = _first_block(text, key, value)
    elif key in block.entries:
        changed = _replace(text, block.entries[key], value)
    elif "." in key:
        raise ValueError(f"there is no key {key} to change")
    else:
        changed = _insert(text, block, key, value)
    _verify(block, read(changed), key, value)
    return changed


def _first_block(text: str, key: str, value: JsonValue) -> str:
    mark, rest = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
    newline = "\r\n" if "\r\n" in rest[:2000] else "\n"
    return f"{mark}---{newline}{key}: {scalar(value)}{newline}---{newline}{rest}"


def _replace(text: str, entry: Entry, value: JsonValue) -> str:
    end = entry.end
    cut = cut_by_comment(text, entry) if text.startswith("description", entry.key_at) else None
    if cut is not None:
        end = entry.start + len(cut)
    style = entry.style if entry.style in {"'", '"'} else None
    new = scalar(value, style)
    colon = text.index(":", entry.key_at) if entry.start == entry.end else -1
    if entry.start == entry.end:
        return text[: colon + 1] + " " + new + text[colon + 1 :]
    if entry.style == "collection" and "\n" in text[entry.key_at : entry.start]:
        head = text.rindex(":", entry.key_at, entry.start) + 1
        return text[:head] + " " + new + text[end:]
    return text[: entry.start] + new + text[end:]


def _insert(text: str, block: FrontMatter, key: str, value: JsonValue) -> str:
    at = block.end
    if key in ORDER:
        rank = ORDER.index(key)
        tops = {k: e for k, e in block.entries.items() if "." not in k}
        before = [e for k, e in tops.items() if k in ORDER and ORDER.index(k) < rank]
        after = [e for k, e in tops.items() if k in ORDER and ORDER.index(k) > rank]
        if before:
            newline = text.find("\n", max(e.end for e in before), block.end)
            at = newline + 1 if newline >= 0 else block.end
        elif after:
            at = min(e.key_at for e in after)
    return f"{text[:at]}{key}: {scalar(value)}{block.newline}{text[at:]}"


def _verify(before: FrontMatter, after: FrontMatter, key: str, value: JsonValue) -> None:
    """What was read back must differ in the one key alone: a change that does more is never made."""
    wanted = {k: e.value for k, e in before.entries.items() if k != key and not key.startswith(f"{k}.")}
    found = {k: e.value for k, e in after.entries.items()}
    got = found.get(key)
    fits = got == value if isinstance(value, str) else got == _as_raw(value)
    rest = all(found.get(k) == v for k, v in wanted.items() if not k.startswith(f"{key}."))
    if not (
        fits
        and rest
        and len(after.entries) >= len(wanted)
        and bool(after.error) == bool(before.error and before.exists)
    ):
        raise ValueError(f"the key {key} cannot be changed without touching others; edit it by hand")


def _as_raw(value: JsonValue) -> Raw:
    if isinstance(value, list):
        return [_as_raw(item) for item in value]
    if isinstance(value, dict):
        return {key: _as_raw(item) for key, item in value.items()}
    return value if value is None or isinstance(value, str) else json.dumps(value)
