"""One writer at a time: `flock` on the store folder itself, and one daemon per store on its proposals folder.

The kernel frees a lock with its holder. Nothing in `.gardener/` takes part, so deleting that admits nobody.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager

from gardener.errors import BusyError
from gardener.storage import beneath
from gardener.storage.beneath import Root

WAIT_SECONDS = 10.0


@contextmanager
def hold(root: Root, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the store; BusyError when another has it for longer than `wait` seconds. Not to be taken twice."""
    with _held(root, "", wait, "another gardener is writing in this store; try again when it is done"):
        yield


@contextmanager
def hold_daemon(root: Root, proposals: str = "proposals") -> Iterator[None]:
    """Be the one daemon of this store; BusyError when there is one."""
    # For a moment: whoever asks whether one runs holds the lock while he asks.
    with _held(root, proposals, 0.2, "a daemon is already running for this store"):
        yield


def daemon_runs(root: Root, proposals: str = "proposals") -> bool:
    """Whether a daemon of this store is running. True where that cannot be told."""
    try:
        with beneath.folder(root, proposals) as fd:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


@contextmanager
def _held(root: Root, path: str, wait: float, says: str) -> Iterator[None]:
    until = time.monotonic() + wait
    with beneath.folder(root, path) as fd:  # a description of its own: flock belongs to it, not to the process
        while not _take(fd):
            if time.monotonic() >= until:
                raise BusyError(says)
            time.sleep(0.005)
        yield


def _take(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
