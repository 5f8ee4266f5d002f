"""What it takes to be on the disk after a power cut: flushing files and folders, once, and never again on failure."""

from __future__ import annotations

import errno
import os
import sys

if sys.platform == "darwin":  # pragma: no cover
    import fcntl

_UNSUPPORTED = {errno.EINVAL, errno.ENOTSUP, errno.ENOSYS}


def flush(fd: int) -> None:
    """Put the file behind `fd` on the disk. An error means that its bytes may be gone; asking again would hide that."""
    if sys.platform == "darwin":  # pragma: no cover
        # fsync on macOS leaves the bytes in the drive's own cache.
        fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
        return
    os.fsync(fd)


def flush_folder(fd: int) -> None:
    """Put the names in the folder behind `fd` on the disk; file systems that cannot are taken as they are."""
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise


def write_all(fd: int, data: bytes) -> None:
    """Write every byte; a short write is carried on."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]
