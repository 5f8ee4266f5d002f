"""The record of an operation under way: its file's name is its state, and reading it is all this module does.

`.gardener/journal/intent` is the commit point: while it is there, the next deciding command ends the operation.
`abort` means that it is being put back, `done` that only clearing up is left. Nobody but `commit` writes them. A record
names the inode it was written to, so one that came with a checkout or an archive changes nothing by itself.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable

import msgspec

from gardener.errors import PartialError, UsageError
from gardener.model.operation import FileChange
from gardener.storage.beneath import Root, exists, parts_of, read, stat

PRIVATE = ".gardener"
FOLDER = f"{PRIVATE}/journal"
PREPARED, INTENT, ABORT, DONE = "prepared", "intent", "abort", "done"
STATES = (DONE, ABORT, INTENT)
_LIMIT = 1 << 30
_COPIED = (
    "{path} was not written here but came with a copy of this folder; nothing was changed. If you do not know of an "
    "interrupted apply, delete .gardener/; if it is yours, run `gardener doctor --recover --copied`"
)
_NONCE = re.compile(r"[0-9a-f]{12}")


class Journal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One operation with every byte before and after. `nonce` names its temporary files; `conflicts` is a folder."""

    nonce: str
    name: str
    wipe: bool
    conflicts: str
    changes: tuple[FileChange, ...]


def unfinished(root: Root) -> bool:
    """Whether an operation was interrupted: nothing may be written before a deciding command has ended it."""
    return any(exists(root, f"{FOLDER}/{state}") for state in (INTENT, ABORT))


def states(root: Root) -> tuple[str, ...]:
    """Which records there are, in the order they are to be ended."""
    return tuple(state for state in STATES if exists(root, f"{FOLDER}/{state}"))


def encode(journal: Journal, inode: int) -> bytes:
    """The record as written to `inode`: the sha256 of the rest on the first line, the inode on the second."""
    body = msgspec.json.encode(_with_paths(journal, lambda path: os.fsencode(path).decode("latin-1")))
    rest = b"%d\n%b" % (inode, body)
    return hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest


def load(root: Root, state: str, *, copied: bool = False) -> Journal:
    """The record in `state`; PartialError when it is not one of ours, whole, and about files that could be ours.

    One that was not written in this place is refused too, unless `copied` says that the person knows of it.
    """
    path = f"{FOLDER}/{state}"
    digest, _, rest = read(root, path, _LIMIT).partition(b"\n")
    if hashlib.sha256(rest).hexdigest().encode() != digest:
        raise PartialError(f"{path} is damaged: its checksum does not fit; nothing was changed")
    inode, _, body = rest.partition(b"\n")
    if inode != b"%d" % stat(root, path).st_ino and not copied:
        raise PartialError(_COPIED.format(path=path))
    try:
        journal = msgspec.json.decode(body, type=Journal)
        journal = _with_paths(journal, lambda path: os.fsdecode(path.encode("latin-1")))
        check(journal)
    except (msgspec.DecodeError, UnicodeError, UsageError) as error:
        raise PartialError(f"{path} is not a record of ours: {error}; nothing was changed") from error
    return journal


def check(journal: Journal) -> None:
    """UsageError for a file no operation may touch: outside the store, git's or our own, or a hidden one.

    A memory folder may itself be hidden (`.claude/memory`), so only these two are refused on the way.
    """
    if not _NONCE.fullmatch(journal.nonce):
        raise UsageError(f"{journal.nonce!r} is not a nonce")
    for path in (journal.conflicts, *(change.path for change in journal.changes)):
        parts = parts_of(path)
        own = any(part.casefold() in {".git", PRIVATE} for part in parts)
        if not parts or own or parts[-1].startswith("."):
            raise UsageError(f"{path!r} is not a file an operation may touch")
    if len({change.path for change in journal.changes}) < len(journal.changes):
        raise UsageError("one file is named twice")


def _with_paths(journal: Journal, change: Callable[[str], str]) -> Journal:
    """File names are bytes and need not be text: in the record each byte is one character."""
    changes = tuple(FileChange(change(each.path), each.before, each.after) for each in journal.changes)
    name = journal.name.encode(errors="replace").decode()
    return Journal(journal.nonce, name, journal.wipe, change(journal.conflicts), changes)
