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

from gardener.storage.beneath import read_open

_HAS_LEASES = hasattr(fcntl, "F_SETLEASE")


def quiet(folder: int, name: str, expected: bytes, wait: float = 0.2, *, strict: bool = False) -> bool:
    """Whether `name` holds `expected` once its writers have closed it, or after `wait` seconds if they do not.

    With `strict`, a writer who does not is a no as well.
    """
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW, dir_fd=folder)
    except FileNotFoundError:
        return False
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENXIO}:  # a link, a socket
            return False
        raise
    try:
        if not modes.S_ISREG(os.fstat(fd).st_mode):
            return False
        rests = at_rest(fd, wait)
        return holds(fd, expected) and not (strict and rests is False)
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
