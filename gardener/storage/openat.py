"""Opening below an open folder without following a link: by openat2 where the kernel has it, else step by step."""

from __future__ import annotations

import ctypes
import errno
import os
import stat as modes

_libc = ctypes.CDLL(None, use_errno=True)
_OPENAT2 = 437  # the same number on every architecture that got it after Linux 5.6 unified them
_BENEATH_NO_SYMLINKS = 0x08 | 0x04  # RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS, linux/openat2.h
_NO_OPENAT2 = {errno.ENOSYS, errno.EPERM, errno.EINVAL, errno.E2BIG, errno.EAGAIN, errno.EINTR}
_WALK = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def without_links(fd: int, parts: tuple[str, ...], flags: int, mode: int) -> int:
    """A descriptor for what `parts` lead to below the open folder `fd`, or for itself. OSError ELOOP for a link."""
    flags |= os.O_CLOEXEC
    try:
        return _openat2(fd, "/".join(parts) or ".", flags, mode)
    except OSError as error:
        if error.errno not in _NO_OPENAT2:
            raise
    return _walk(fd, parts, flags | os.O_NOFOLLOW, mode)


class _How(ctypes.Structure):
    _fields_ = [("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64)]


def _openat2(fd: int, path: str, flags: int, mode: int) -> int:
    how = _How(flags, mode & 0o7777 if flags & os.O_CREAT else 0, _BENEATH_NO_SYMLINKS)
    opened: int = _libc.syscall(_OPENAT2, fd, os.fsencode(path), ctypes.byref(how), ctypes.sizeof(how))
    if opened < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), path)
    return opened


def _walk(fd: int, parts: tuple[str, ...], flags: int, mode: int) -> int:
    """Component by component, each relative to the open folder before it."""
    here = os.open(".", _WALK, dir_fd=fd)
    try:
        for part in parts[:-1]:
            below = _step(part, _WALK, 0, here)
            os.close(here)
            here = below
        return _step(parts[-1] if parts else ".", flags, mode, here)
    finally:
        os.close(here)


def _step(part: str, flags: int, mode: int, here: int) -> int:
    try:
        return os.open(part, flags, mode, dir_fd=here)
    except NotADirectoryError:
        # With O_DIRECTORY the kernel calls a link "not a directory"; the reader deserves the truer word.
        if modes.S_ISLNK(os.stat(part, dir_fd=here, follow_symlinks=False).st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), part) from None
        raise
