"""What a deciding command is about to do to files: exact bytes before and after, as one unit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of an operation. None means that the file is absent before, or after."""

    path: str
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True, slots=True)
class Operation:
    """All or nothing across `changes`, in order: memories and indexes first, then the proposal files.

    `wipe` asks that no trace of the old bytes stays once it is done (a redaction).
    """

    name: str
    changes: tuple[FileChange, ...]
    wipe: bool = False
