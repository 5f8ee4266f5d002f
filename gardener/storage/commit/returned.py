"""Versions of other programs that were out of the tree for a moment and are back.

A program that read our bytes in that moment may still write over the version that came back, and what was new in it
would be nowhere. So it keeps a second name in `.gardener/returned/` for a day, and goes to the conflicts when a line
of it is found to be missing.
"""

from __future__ import annotations

import os
import re
import stat as modes
import time
from contextlib import suppress

from gardener.errors import UsageError
from gardener.storage import beneath
from gardener.storage.beneath import Root
from gardener.storage.commit.conflicts import Kept, short, to_conflicts, unshort
from gardener.storage.journal import PRIVATE
from gardener.storage.rename import second_name

FOLDER = f"{PRIVATE}/returned"
KEEP_SECONDS = 24 * 3600.0
_NAME = re.compile(r"(?P<stamp>[0-9a-f]{12}-\d+)-(?P<path>.+)")
_LIMIT = 1 << 30


def remember(root: Root, path: str, source: tuple[int, str], stamp: str) -> None:
    """Give `source`, which is about to go back to `path`, a second name here; no reader outlives a power cut."""
    beneath.make_folder(root, FOLDER)
    with beneath.folder(root, FOLDER) as fd, suppress(FileExistsError):  # a crash came in between
        second_name(source, fd, f"{stamp}-{short(path)}")


def compare(root: Root, conflicts: str, known: dict[str, bytes] | None = None) -> tuple[Kept, ...]:
    """Look for lines that got lost, in the files as they are, or as `known` says they were a moment ago.

    What `known` has whole is forgotten: the next to change that file is us.
    """
    if not beneath.exists(root, FOLDER):
        return ()
    kept: list[Kept] = []
    with beneath.folder(root, FOLDER) as fd:
        for name, found in beneath.listing(root, FOLDER):
            said = _NAME.fullmatch(name)
            if said is None or not modes.S_ISREG(found.st_mode):
                continue
            path = unshort(said["path"])
            if known is not None and path not in known:
                continue
            now = _read(root, path) if known is None else known[path]
            if not _lines(_read(root, f"{FOLDER}/{name}")) <= _lines(now):
                kept.append(to_conflicts(root, conflicts, path, (fd, name), said["stamp"]))
            elif known is not None or time.time() - found.st_ctime > KEEP_SECONDS:
                os.unlink(name, dir_fd=fd)
    return tuple(kept)


def _lines(data: bytes) -> set[bytes]:
    return set(data.splitlines())


def _read(root: Root, path: str) -> bytes:
    try:
        return beneath.read(root, path, _LIMIT)
    except (OSError, UsageError):
        return b""
