"""One daemon for one store: a lock on the proposals folder, held for life and freed by the kernel however life ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gardener.errors import BusyError


@contextmanager
def only_instance(proposals: Path) -> Iterator[None]:
    """Hold the lock while inside. Raises BusyError at once where another process holds it."""
    descriptor = os.open(proposals, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyError(f"another gardener daemon already tends the store of {proposals}") from None
        yield
    finally:
        os.close(descriptor)
