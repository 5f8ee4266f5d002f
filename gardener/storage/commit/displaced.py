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
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote, unquote

from gardener.storage import beneath
from gardener.storage.beneath import Root
from gardener.storage.durable import flush, flush_folder, write_all
from gardener.storage.journal import PRIVATE
from gardener.storage.lease import at_rest, holds

FOLDER = f"{PRIVATE}/displaced"
KEEP_SECONDS = 24 * 3600.0
"""Longer than any program that is already opening the file can take, suspended ones apart."""
KEEP_UNSURE_SECONDS = 14 * 24 * 3600.0
"""The same where the kernel cannot say whether somebody still has the file open."""
_NAME = re.compile(r"(?P<nonce>[0-9a-f]{12})-(?P<index>\d+)-(?P<sum>[0-9a-f]{64})-(?P<path>.+)")


@dataclass(frozen=True, slots=True)
class Kept:
    """Bytes that somebody else wrote to `path` and that are not there now: they are in the file `at`."""

    path: str
    at: str

    def __str__(self) -> str:
        return f"{self.path} was written by another program meanwhile; that version is kept as {self.at}"


def keep(root: Root, path: str, expected: bytes, source: tuple[int, str], stamp: str) -> None:
    """Move `source` (open folder, name) here, once it is known to have held `expected`, the bytes of `path`.

    Nothing is flushed: no program that could still write to it outlives a power cut.
    """
    beneath.make_folder(root, FOLDER)
    name = f"{stamp}-{hashlib.sha256(expected).hexdigest()}-{_short(path)}"
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
    wanted = {_short(path): path for path in paths}
    with beneath.folder(root, FOLDER) as fd:
        for name, found in beneath.listing(root, FOLDER):
            said = _NAME.fullmatch(name)
            if said is None or said["path"] not in wanted or not found.st_size:
                continue
            data = beneath.read(root, f"{FOLDER}/{name}", found.st_size)
            if hashlib.sha256(data).hexdigest() == said["sum"]:  # else `settle` will find it
                bury(root, wanted[said["path"]], data, (fd, name), f"{said['nonce']}-{said['index']}")


def to_conflicts(root: Root, conflicts: str, path: str, source: tuple[int, str], stamp: str) -> Kept:
    """Move `source`, a version of `path` that somebody else wrote, to the folder `conflicts` and name it.

    Never away before it is there for good: a rename between folders may reach the disk by halves.
    """
    beneath.make_folder(root, conflicts)
    stem, dot, ending = path.rpartition("/")[2].rpartition(".")
    base = f"{(stem or ending)[:80]}.{stamp}"
    with beneath.folder(root, conflicts) as fd:
        for count in range(1000):
            name = f"{base}{f'-{count}' if count else ''}{dot}{ending if stem else ''}"
            if _second_name(source, fd, name):
                break
        flush_folder(fd)
    os.unlink(source[1], dir_fd=source[0])
    return Kept(path, f"{conflicts}/{name}")


def settle(root: Root, conflicts: str) -> tuple[Kept, ...]:
    """Look at every kept file again: written ones go to `conflicts`, those at rest long enough are dropped."""
    if not beneath.exists(root, FOLDER):
        return ()
    late: list[Kept] = []
    with beneath.folder(root, FOLDER) as fd:
        for name, _ in beneath.listing(root, FOLDER):
            found = _NAME.fullmatch(name)
            if found is None:
                continue
            if not _unwritten(fd, name, found["sum"]):
                stamp = f"{found['nonce']}-{found['index']}"
                late.append(to_conflicts(root, conflicts, unquote(found["path"]), (fd, name), stamp))
    return tuple(late)


def _short(path: str) -> str:
    """The path as part of a file name, its end where it is long."""
    return quote(path, safe="")[-140:]


def _second_name(source: tuple[int, str], folder: int, name: str) -> bool:
    """Give the file the name `name` in `folder` as well, by a copy where it cannot have two; False if that is taken."""
    try:
        os.link(source[1], name, src_dir_fd=source[0], dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        mine = os.stat(source[1], dir_fd=source[0], follow_symlinks=False)
        return os.path.samestat(mine, os.stat(name, dir_fd=folder, follow_symlinks=False))  # a crash came in between
    except OSError as error:
        if error.errno not in {errno.EXDEV, errno.EPERM, errno.ENOTSUP, errno.EMLINK}:
            raise
        with suppress(FileExistsError):
            _copy(source, folder, name)
            return True
        return False
    return True


def _copy(source: tuple[int, str], folder: int, name: str) -> None:
    fd = os.open(source[1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=source[0])
    try:
        copy = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=folder)
        try:
            while chunk := os.read(fd, 1 << 20):
                write_all(copy, chunk)
            flush(copy)
        finally:
            os.close(copy)
    finally:
        os.close(fd)


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
