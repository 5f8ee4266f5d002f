"""Whether a file that was taken out of the tree has come to rest: nobody can write to it any more.

A program that opened the file before we took it away still holds it, and may append after we looked. A lease
(fcntl(2), F_SETLEASE) is granted only while no descriptor is open for writing, so it is the kernel that says so.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat as modes
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gardener.storage.beneath import read_open

_HAS_LEASES = hasattr(fcntl, "F_SETLEASE")


def quiet(folder: int, name: str, expected: bytes, wait: float = 0.2, *, strict: bool = False) -> bool:
    """Whether `name` holds `expected` once its writers have closed it, or after `wait` seconds if they do not.

    With `strict`, a writer who does not is a no as well.
    """
    try:
        with watched(folder, name, wait) as watch:
            return watch.holds(expected) and not (strict and watch.rests is False)
    except FileNotFoundError:
        return False
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENXIO}:  # a link, a socket
            return False
        raise


@dataclass(frozen=True, slots=True)
class Watch:
    """An open file and whether a lease on it was granted (None: the kernel has none to give)."""

    fd: int
    rests: bool | None

    def holds(self, expected: bytes) -> bool:
        return modes.S_ISREG(os.fstat(self.fd).st_mode) and holds(self.fd, expected)

    def is_at(self, folder: int, name: str) -> bool:
        """Whether `name` in the open `folder` is this very file."""
        return os.path.samestat(os.fstat(self.fd), os.stat(name, dir_fd=folder, follow_symlinks=False))

    def wanted(self) -> bool:
        """Whether somebody is opening it for writing: the kernel lets them wait for us to let go."""
        return self.rests is True and fcntl.fcntl(self.fd, fcntl.F_GETLEASE) != fcntl.F_RDLCK


@contextmanager
def watched(folder: int, name: str, wait: float = 0.2) -> Iterator[Watch]:
    """Watch the file `name` for writers, for as long as the block takes: it has to be short."""
    fd = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW, dir_fd=folder)
    try:
        yield Watch(fd, at_rest(fd, wait))
    finally:
        os.close(fd)  # ends the lease


def at_rest(fd: int, wait: float, kind: int = fcntl.F_RDLCK) -> bool | None:
    """Take a lease on `fd` (opened for reading, for F_RDLCK); False when a writer keeps it open past `wait` seconds.

    None where the kernel cannot say: not Linux, some network file systems, files of other users.
    """
    if not _HAS_LEASES:  # pragma: no cover
        return None
    until = time.monotonic() + wait
    while True:
        try:
            # Whoever opens the file next makes the kernel signal us: by SIGIO, which kills, unless told otherwise.
            fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(fd, fcntl.F_SETLEASE, kind)
            return True
        except OSError as error:
            if error.errno != errno.EAGAIN:
                return None
        if time.monotonic() >= until:
            return False
        time.sleep(0.005)


def holds(fd: int, expected: bytes) -> bool:
    """Whether the file behind `fd` holds exactly `expected`."""
    try:
        return read_open(fd, "", len(expected)) == expected
    except OSError as error:
        if error.errno != errno.EFBIG:
            raise
        return False
