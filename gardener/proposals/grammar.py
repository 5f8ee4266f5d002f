"""Edits and base entries as one line of text each, and back. Anything else is refused, never guessed."""

from __future__ import annotations

import json
import re
from typing import assert_never

from gardener.model.edit import (
    Append,
    Archive,
    Edit,
    JsonValue,
    Move,
    Qualify,
    Redact,
    Replace,
    Restore,
    SetField,
    Supersede,
)
from gardener.model.proposal import Base
from gardener.text.quote import visible

_ODD = re.compile(r"[\s#\"'\\]")
_PATH = r'("(?:[^"\\]|\\.)*"|[^\s"]+)'
_JSON = r'("(?:[^"\\]|\\.)*"|null)'

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("supersede", re.compile(rf"supersede {_PATH} by {_PATH}")),
    ("qualify", re.compile(rf"qualify {_PATH} by {_PATH}")),
    ("archive", re.compile(rf"archive {_PATH}: (.+)")),
    ("restore", re.compile(rf"restore {_PATH}")),
    ("set", re.compile(rf"set {_PATH} ([A-Za-z_][\w.-]*) = (.+)")),
    ("replace", re.compile(rf"replace {_PATH} (\d+): {_JSON} -> {_JSON}")),
    ("append", re.compile(rf"append {_PATH}: {_JSON}")),
    ("move", re.compile(rf"move {_PATH} to {_PATH}")),
    ("redact", re.compile(rf"redact {_PATH} (\d+):(\d+)-(\d+) ([a-z][a-z0-9-]*)")),
)


def write_edit(edit: Edit) -> str:
    """The one line that stands for an edit."""
    path = write_path(edit.path)
    match edit:
        case Supersede():
            return f"supersede {path} by {write_path(edit.by)}"
        case Qualify():
            return f"qualify {path} by {write_path(edit.by)}"
        case Archive():
            return f"archive {path}: {_one_line(edit.reason)}"
        case Restore():
            return f"restore {path}"
        case SetField():
            return f"set {path} {edit.key} = {to_json(edit.value)}"
        case Replace():
            return f"replace {path} {edit.line}: {to_json(edit.old)} -> {to_json(edit.new)}"
        case Append():
            return f"append {path}: {to_json(edit.text)}"
        case Move():
            return f"move {path} to {write_path(edit.to)}"
        case Redact():
            return f"redact {path} {edit.line}:{edit.start}-{edit.end} {edit.kind}"
        case _:
            assert_never(edit)


def read_edit(line: str) -> Edit:
    """The edit one line stands for. Raises ValueError naming the line."""
    for word, pattern in _PATTERNS:
        found = pattern.fullmatch(line)
        if found:
            return _build(word, found.groups())
    raise ValueError(f"not an edit: {visible(line)[:80]}")


def _build(word: str, parts: tuple[str, ...]) -> Edit:
    path, rest = read_path(parts[0]), parts[1:]
    match word:
        case "supersede":
            return Supersede(path, read_path(rest[0]))
        case "qualify":
            return Qualify(path, read_path(rest[0]))
        case "archive":
            return Archive(path, _one_line(rest[0]))
        case "restore":
            return Restore(path)
        case "set":
            return SetField(path, rest[0], _json(rest[1]))
        case "replace":
            old, new = _json(rest[1]), _json(rest[2])
            if not isinstance(old, str) or not (new is None or isinstance(new, str)):
                raise ValueError("replace takes text before and text or null after")
            return Replace(path, int(rest[0]), old, new)
        case "append":
            text = _json(rest[0])
            if not isinstance(text, str):
                raise ValueError("append takes text")
            return Append(path, text)
        case "move":
            return Move(path, read_path(rest[0]))
        case _:
            return Redact(path, int(rest[0]), int(rest[1]), int(rest[2]), rest[3])


def _one_line(reason: str) -> str:
    return " ".join(visible(reason).split())


def write_base(base: Base) -> str:
    """`SHA256  PATH`, with `#line` behind the path of an index."""
    return f"{base.sha256}  {write_path(base.path)}{'#line' if base.index else ''}"


def read_base(line: str) -> Base:
    """One base line. Raises ValueError."""
    found = re.fullmatch(rf"([0-9a-f]{{64}})  (?:{_PATH}?)(#line)?", line)
    if found is None or not found.group(2):
        raise ValueError(f"not a base line: {visible(line)[:80]}")
    raw = found.group(2)
    index = bool(found.group(3))
    if not index and not raw.startswith('"') and raw.endswith("#line"):
        raw, index = raw.removesuffix("#line"), True
    return Base(found.group(1), read_path(raw), index)


def write_path(path: str) -> str:
    """A path as it stands in a line: bare, or a JSON string where it could be misread."""
    return path if path.isprintable() and path and not _ODD.search(path) else to_json(path)


def read_path(raw: str) -> str:
    """A path out of a line. Raises ValueError for one that leaves the store."""
    path = json.loads(raw) if raw.startswith('"') else raw
    parts = path.split("/")
    if not path or path.startswith("/") or "\0" in path or any(part in {"", ".", ".."} for part in parts):
        raise ValueError(f"not a path inside the store: {visible(path)[:80]}")
    return str(path)


def to_json(value: JsonValue) -> str:
    """JSON on one line in which every character that does not print is an escape."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    return json.dumps(character)[1:-1]


def _json(raw: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(raw)
    except ValueError:
        raise ValueError(f"not JSON: {visible(raw)[:80]}") from None
    return value
