"""How the main thread sleeps: until a signal, another thread or a moment wakes it, with no lock to be stuck on."""

import os
import select


class Wake:
    """A pipe that signals and other threads write to, so that the main thread can sleep until something happens."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._reader, False)
        os.set_blocking(self._writer, False)

    @property
    def writer(self) -> int:
        """The end that `signal.set_wakeup_fd` takes."""
        return self._writer

    def __call__(self) -> None:
        """Wake the sleeper. A full pipe means that it is awake already."""
        try:
            os.write(self._writer, b"\0")
        except BlockingIOError:
            return

    def sleep(self, seconds: float) -> None:
        """Until somebody wakes, at most `seconds`."""
        if select.select([self._reader], [], [], max(0.0, seconds))[0]:
            os.read(self._reader, 4096)

    def close(self) -> None:
        """Close both ends."""
        os.close(self._reader)
        os.close(self._writer)
