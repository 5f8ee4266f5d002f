"""A new file that is like an old one in all but its bytes: mode, owner, extended attributes."""

from __future__ import annotations

import errno
import os
import stat as modes
from contextlib import suppress

from gardener.storage.durable import flush, write_all


def write_like(folder: int, name: str, data: bytes, model: str) -> None:
    """Make the file `name` in the open `folder`, whole and durable, like `model` beside it where there is one."""
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
    fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666, dir_fd=folder)
    try:
        write_all(fd, data)
        _dress(fd, folder, model)
        flush(fd)
    finally:
        os.close(fd)


def _dress(fd: int, folder: int, name: str) -> None:
    """Give the new file what the old one has besides its bytes, as far as the system lets us."""
    try:
        old = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except FileNotFoundError:
        return
    try:
        found = os.fstat(old)
        mine = os.fstat(fd)
        if (found.st_uid, found.st_gid) != (mine.st_uid, mine.st_gid):
            with suppress(PermissionError):
                os.fchown(fd, found.st_uid, found.st_gid)
        os.fchmod(fd, modes.S_IMODE(found.st_mode) & 0o777)
        _copy_attributes(old, fd)
    finally:
        os.close(old)


def _copy_attributes(old: int, new: int) -> None:
    if not hasattr(os, "listxattr"):  # pragma: no cover
        return
    try:
        for attribute in os.listxattr(old):
            with suppress(PermissionError):  # security.* and trusted.* are the system's to give
                os.setxattr(new, attribute, os.getxattr(old, attribute))
    except OSError as error:
        if error.errno not in {errno.ENOTSUP, errno.ENODATA}:
            raise
