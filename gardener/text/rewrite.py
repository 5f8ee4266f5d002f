"""From edits to the bytes after them. Pure: the caller read the bytes and writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import accumulate
from typing import assert_never

from gardener.errors import StaleError
from gardener.model.edit import Append, Archive, Edit, Move, Qualify, Redact, Replace, Restore, SetField, Supersede
from gardener.model.memory import IndexLine, Memory
from gardener.model.operation import FileChange
from gardener.text import lifecycle
from gardener.text.keys import set_key
from gardener.text.secrets import find_secrets


def rewrite(edits: Iterable[Edit], memories: Mapping[str, Memory], now: datetime) -> tuple[FileChange, ...]:
    """The changed memories, one `FileChange` each (two for a move), in the order they are first named.

    Raises StaleError where a line is not what the edit says or the lifecycle forbids the edit.
    """
    by_file: dict[str, list[Edit]] = {}
    for edit in edits:
        by_file.setdefault(edit.path, []).append(edit)
    changes: list[FileChange] = []
    for path, own in by_file.items():
        memory = memories.get(path)
        if memory is None:
            raise StaleError(f"{path}: no such memory; run gardener tend")
        try:
            text = _change(_decode(memory.data), own, memory, memories, now)
        except ValueError as error:
            raise StaleError(f"{path}: {error}") from None
        changes += _placed(path, memory.data, text, own)
    return tuple(changes)


def index_changes(indexes: Mapping[str, bytes], gone: Iterable[IndexLine]) -> tuple[FileChange, ...]:
    """Index files without the lines of retired memories; each line must still be there as it was read."""
    wanted: dict[str, list[IndexLine]] = {}
    for line in gone:
        wanted.setdefault(line.path, []).append(line)
    changes = []
    for path, lines in wanted.items():
        text = _decode(indexes[path]).split("\n")
        for line in sorted(lines, key=lambda one: -one.line):
            if line.line > len(text) or text[line.line - 1].removesuffix("\r") != line.text:
                raise StaleError(f"{path}:{line.line}: the index line changed; run gardener tend")
            del text[line.line - 1]
        changes.append(FileChange(path, indexes[path], _encode("\n".join(text))))
    return tuple(changes)


def _placed(path: str, before: bytes, text: str, own: list[Edit]) -> list[FileChange]:
    after = _encode(text)
    to = next((edit.to for edit in own if isinstance(edit, Move)), None)
    if to is not None:
        return [FileChange(to, None, after), FileChange(path, before, None)]
    return [FileChange(path, before, after)]


def _change(text: str, edits: list[Edit], memory: Memory, memories: Mapping[str, Memory], now: datetime) -> str:
    """Line edits first, from the last line up, since their numbers are those of the file as it was read."""
    by_line = [edit for edit in edits if isinstance(edit, Replace | Redact)]
    if by_line:
        text = _lines_changed(text, by_line)
    for edit in edits:
        if not isinstance(edit, Replace | Redact):
            text = _apply(text, edit, memory, memories, now)
    return text


def _lines_changed(text: str, edits: list[Replace | Redact]) -> str:
    lines = text.split("\n")
    # What is a credential is judged in the whole text as it was: one place may tell it of another.
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    secrets = find_secrets(text) if any(isinstance(edit, Redact) for edit in edits) else ()
    spans = {(secret.start, secret.end) for secret in secrets}
    for edit in sorted(edits, key=lambda e: (e.line, e.start if isinstance(e, Redact) else 0), reverse=True):
        if not 1 <= edit.line <= len(lines):
            raise ValueError(f"line {edit.line} is not what the proposal says")
        line = lines[edit.line - 1]
        if isinstance(edit, Replace):
            lines[edit.line - 1 : edit.line] = _replaced(line, edit)
        elif (starts[edit.line - 1] + edit.start - 1, starts[edit.line - 1] + edit.end) in spans:
            lines[edit.line - 1] = f"{line[: edit.start - 1]}[redacted {edit.kind}]{line[edit.end :]}"
        else:
            raise ValueError(f"line {edit.line} holds no credential there any more")
    return "\n".join(lines)


def _replaced(line: str, edit: Replace) -> list[str]:
    if line.removesuffix("\r") != edit.old:
        raise ValueError(f"line {edit.line} is not what the proposal says")
    ending = "\r" if line.endswith("\r") else ""
    return [] if edit.new is None else [one + ending for one in edit.new.split("\n")]


def _apply(
    text: str,
    edit: Supersede | Qualify | Archive | Restore | SetField | Append | Move,
    memory: Memory,
    memories: Mapping[str, Memory],
    now: datetime,
) -> str:
    match edit:
        case Supersede():
            return lifecycle.supersede(text, memory, _other(memories, edit.by), now)
        case Qualify():
            return lifecycle.qualify(text, memory, _other(memories, edit.by), now)
        case Archive():
            return lifecycle.archive(text, memory, edit.reason, now)
        case Restore():
            return lifecycle.restore(text, memory, now)
        case SetField():
            return set_key(text, edit.key, edit.value)
        case Append():
            return lifecycle.append(text, edit.text)
        case Move():
            return text
        case _:
            assert_never(edit)


def _other(memories: Mapping[str, Memory], path: str) -> Memory:
    if path not in memories:
        raise ValueError(f"{path} is not there; run gardener tend")
    return memories[path]


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
