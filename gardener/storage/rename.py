"""Renames that lose nothing: swap two names, or give a file a name only if that name is free."""

from __future__ import annotations

import ctypes
import errno
import os
import stat as modes
import sys
from contextlib import ExitStack

from gardener.storage.durable import flush, write_all
from gardener.storage.lease import quiet

_libc = ctypes.CDLL(None, use_errno=True)
_LOOK = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK) | os.O_NOFOLLOW | os.O_CLOEXEC
_ONE_NAME = {errno.EXDEV, errno.EPERM, errno.ENOTSUP, errno.EMLINK}
_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM}
if sys.platform == "darwin":  # pragma: no cover
    _call, _SWAP, _FREE = getattr(_libc, "renameatx_np", None), 2, 4  # RENAME_SWAP, RENAME_EXCL (stdio.h)
else:
    _call, _SWAP, _FREE = getattr(_libc, "renameat2", None), 2, 1  # RENAME_EXCHANGE, RENAME_NOREPLACE (linux/fs.h)


def exchange(folder: int, spare: str, target: str) -> bool:
    """Swap two names of one folder: `target` gets the file of `spare` and `spare` the one that was there.

    Where the kernel or the file system cannot, the old file gets a second name and the new one is renamed over it:
    then a file that another program renames to `target` just in between is not seen. Where files have one name only,
    `spare` gets a copy of the old one, and the answer is False.
    """
    if _renameat2(folder, spare, folder, target, _SWAP):
        return True
    aside = _aside(spare)
    itself = second_name((folder, target), folder, aside)
    os.rename(spare, target, src_dir_fd=folder, dst_dir_fd=folder)
    os.rename(aside, spare, src_dir_fd=folder, dst_dir_fd=folder)
    return itself


def end_exchange(folder: int, spare: str) -> None:
    """After a crash: end an `exchange` that had set the old file aside, or take that back; else do nothing."""
    aside = _aside(spare)
    if not _there(folder, aside):
        return
    if _there(folder, spare):
        os.unlink(aside, dir_fd=folder)
    else:
        os.rename(aside, spare, src_dir_fd=folder, dst_dir_fd=folder)


def second_name(source: tuple[int, str], folder: int, name: str) -> bool:
    """Give the file `source` (open folder, name) the name `name` in `folder` as well; False: a copy has it.

    FileExistsError where anything has that name.
    """
    try:
        os.link(source[1], name, src_dir_fd=source[0], dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _ONE_NAME:
            raise
        _copy(source, folder, name)
        return False
    return True


def take_back(folder: int, spare: str, target: str, ours: bytes) -> bool:
    """Undo an `exchange` that put `ours` at `target`: afterwards the newest file is at `target` again.

    True when `spare` holds `ours` then. False when somebody had changed ours: their file stays, and `spare` still
    holds the one we took out, for the caller to keep.
    """
    with ExitStack() as held:  # open, so that no other file can get its number meanwhile
        put = _identity(folder, spare, held)
        exchange(folder, spare, target)
        while not quiet(folder, spare, ours):
            newer = _identity(folder, spare, held)
            exchange(folder, spare, target)
            if _identity(folder, spare, held) == put:
                return False
            put = newer  # replaced once more in between: what came out now is newer still
    return True


def name_free(source_folder: int, source: str, folder: int, name: str) -> None:
    """Rename to `name`, or FileExistsError where anything has that name."""
    if _renameat2(source_folder, source, folder, name, _FREE):
        return
    try:
        os.link(source, name, src_dir_fd=source_folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        if _there(folder, name):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name) from None
        os.rename(source, name, src_dir_fd=source_folder, dst_dir_fd=folder)
        return
    os.unlink(source, dir_fd=source_folder)


def _renameat2(source_folder: int, source: str, folder: int, name: str, flags: int) -> bool:
    """False where the system lacks it. EPERM counts as lacking (seccomp says so); the other way then tells."""
    if _call is None:  # pragma: no cover
        return False
    if _call(source_folder, os.fsencode(source), folder, os.fsencode(name), flags) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNSUPPORTED:
        return False
    raise OSError(code, os.strerror(code), source, None, name)


def _copy(source: tuple[int, str], folder: int, name: str) -> None:
    fd = os.open(source[1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=source[0])
    try:
        copy = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder)
        try:
            while chunk := os.read(fd, 1 << 20):
                write_all(copy, chunk)
            os.fchmod(copy, modes.S_IMODE(os.fstat(fd).st_mode))
            flush(copy)
        finally:
            os.close(copy)
    finally:
        os.close(fd)


def _aside(spare: str) -> str:
    return f"{spare}~"


def _identity(folder: int, name: str, held: ExitStack) -> tuple[int, int]:
    fd = os.open(name, _LOOK, dir_fd=folder)
    held.callback(os.close, fd)
    found = os.fstat(fd)
    return found.st_dev, found.st_ino


def _there(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
