"""Writing the record of an operation: prepared, then the rename that commits it, then its end."""

from __future__ import annotations

import errno
import os
from contextlib import suppress

from gardener.storage import beneath
from gardener.storage.atomic import make_private
from gardener.storage.beneath import Root
from gardener.storage.durable import flush, flush_folder, write_all
from gardener.storage.journal import ABORT, DONE, FOLDER, INTENT, PREPARED, Journal, encode

_FROM = {INTENT: (PREPARED,), DONE: (INTENT,), ABORT: (ABORT, INTENT, DONE)}
"""Where a record may come from. To `abort` also from a `done` that could not be made durable."""


def prepare(root: Root, journal: Journal) -> None:
    """Put the whole record on the disk under a name that means nothing yet."""
    make_private(root)
    beneath.make_folder(root, FOLDER)
    forget(root, PREPARED)
    try:
        fd = beneath.open_beneath(root, f"{FOLDER}/{PREPARED}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            write_all(fd, encode(journal, os.fstat(fd).st_ino))
            flush(fd)
        finally:
            os.close(fd)
    except OSError:
        with suppress(OSError):
            forget(root, PREPARED)
        raise


def enter(root: Root, state: str) -> None:
    """Give the record the name `state`, durably. From `prepared` to `intent` this is the commit point."""
    with beneath.folder(root, FOLDER) as fd:
        current = next((name for name in _FROM[state] if _has(fd, name)), None)
        if current is None:
            raise FileNotFoundError(errno.ENOENT, "the record is gone", f"{FOLDER}/{state}")
        if current != state:
            os.rename(current, state, src_dir_fd=fd, dst_dir_fd=fd)
        flush_folder(fd)


def committed(root: Root) -> bool:
    return beneath.exists(root, f"{FOLDER}/{INTENT}")


def forget(root: Root, state: str) -> None:
    """Unlink the record in `state`, if there is one, durably: the operation is over."""
    if not beneath.exists(root, f"{FOLDER}/{state}"):
        return
    with beneath.folder(root, FOLDER) as fd:
        os.unlink(state, dir_fd=fd)
        flush_folder(fd)


def _has(fd: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=fd, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
