"""Files taken out of the tree: kept until nobody can be writing to them, and what was written is never dropped.

A program that opened a memory just before it was exchanged may append to the old file much later. So the file itself
goes to `.gardener/displaced/`, its name saying what it held; a later deciding command looks again.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import re
import stat as modes
import time
from collections.abc import Collection

from gardener.storage import beneath
from gardener.storage.beneath import Root
from gardener.storage.commit.conflicts import Kept, short, to_conflicts, unshort
from gardener.storage.durable import flush
from gardener.storage.journal import PRIVATE
from gardener.storage.lease import at_rest, holds

FOLDER = f"{PRIVATE}/displaced"
KEEP_SECONDS = 24 * 3600.0
"""Longer than any program that is already opening the file can take, suspended ones apart."""
KEEP_UNSURE_SECONDS = 14 * 24 * 3600.0
"""The same where the kernel cannot say whether somebody still has the file open."""
_NAME = re.compile(r"(?P<nonce>[0-9a-f]{12})-(?P<index>\d+)-(?P<sum>[0-9a-f]{64})-(?P<size>\d+)-(?P<path>.+)")


def keep(root: Root, path: str, expected: bytes, source: tuple[int, str], stamp: str) -> None:
    """Move `source` (open folder, name) here, once it is known to have held `expected`, the bytes of `path`.

    Nothing is flushed: no program that could still write to it outlives a power cut.
    """
    beneath.make_folder(root, FOLDER)
    name = f"{stamp}-{hashlib.sha256(expected).hexdigest()}-{len(expected)}-{short(path)}"
    with beneath.folder(root, FOLDER) as fd:
        try:
            os.rename(source[1], name, src_dir_fd=source[0], dst_dir_fd=fd)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            os.unlink(source[1], dir_fd=source[0])  # another file system: there is no keeping the file itself


def bury(root: Root, path: str, expected: bytes, source: tuple[int, str], stamp: str) -> bool:
    """`keep`, for a file that held a secret: emptied first. False: it was written meanwhile, and is left as it is.

    OSError EBUSY while another program has it open. What such a one appends later is then all that the kept file
    holds. A file that has another name elsewhere only loses ours: that name is its owner's affair.
    """
    fd = os.open(source[1], os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=source[0])
    try:
        rests = at_rest(fd, 1.0, fcntl.F_WRLCK)
        if not holds(fd, expected) and os.fstat(fd).st_size:  # empty: a crash came after emptying it
            return False
        if rests is False:
            raise OSError(errno.EBUSY, "is open in another program; close it, so that its old bytes can go", path)
        if os.fstat(fd).st_nlink > 1:
            os.unlink(source[1], dir_fd=source[0])
            return True
        os.ftruncate(fd, 0)
        flush(fd)
    finally:
        os.close(fd)
    keep(root, path, b"", source, stamp)
    return True


def bury_earlier(root: Root, paths: Collection[str]) -> None:
    """Empty what was kept of `paths` by earlier operations: it may hold the same secret. OSError as `bury`."""
    if not beneath.exists(root, FOLDER):
        return
    wanted = {short(path): path for path in paths}
    with beneath.folder(root, FOLDER) as fd:
        for name, found in beneath.listing(root, FOLDER):
            said = _NAME.fullmatch(name)
            if said is None or said["path"] not in wanted or not found.st_size or not modes.S_ISREG(found.st_mode):
                continue
            data = beneath.read(root, f"{FOLDER}/{name}", found.st_size)
            if hashlib.sha256(data).hexdigest() == said["sum"]:  # else `settle` will find it
                bury(root, wanted[said["path"]], data, (fd, name), f"{said['nonce']}-{said['index']}")


def settle(root: Root, conflicts: str) -> tuple[Kept, ...]:
    """Look at every kept file again: written ones go to `conflicts`, those at rest long enough are dropped."""
    if not beneath.exists(root, FOLDER):
        return ()
    late: list[Kept] = []
    with beneath.folder(root, FOLDER) as fd:
        for name, stat in beneath.listing(root, FOLDER):
            found = _NAME.fullmatch(name)
            if found is None or not modes.S_ISREG(stat.st_mode) or _untouched(stat, int(found["size"])):
                continue
            if not _unwritten(fd, name, found["sum"]):
                stamp = f"{found['nonce']}-{found['index']}"
                late.append(to_conflicts(root, conflicts, unshort(found["path"]), (fd, name), stamp))
    return tuple(late)


def _untouched(stat: os.stat_result, size: int) -> bool:
    """Whether its times already say that it was not written since it came here, and it is to stay for now.

    A write sets both times alike; coming here set the change time only. A batch may leave thousands of files here.
    """
    young = time.time() - stat.st_ctime <= KEEP_SECONDS
    return young and stat.st_size == size and stat.st_mtime_ns < stat.st_ctime_ns


def _unwritten(folder: int, name: str, expected: str) -> bool:
    """Whether the file still holds what it held; when it has for long and nobody can write to it, unlink it."""
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    try:
        rests = at_rest(fd, 0)
        with os.fdopen(os.dup(fd), "rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != expected:
                return False
        age = time.time() - os.fstat(fd).st_ctime
        if age > (KEEP_SECONDS if rests else KEEP_UNSURE_SECONDS):
            os.unlink(name, dir_fd=folder)
        return True
    finally:
        os.close(fd)
