"""A person at a real terminal: keys in, screens out, over a pty."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from contextlib import suppress
from types import TracebackType

from tests.garden import NOW, Garden

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def _take_terminal() -> None:
    """Make standard input the controlling terminal, so that Ctrl-C and a dropped line are signals."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Person:
    """Runs one command of gardener at a terminal of that size."""

    def __init__(self, garden: Garden, *arguments: str, columns: int = 80, rows: int = 24, **environment: str) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        env = os.environ | {"TERM": "xterm-256color", "GARDENER_NOW": NOW.isoformat(), "EDITOR": "true"} | environment
        env.pop("COLUMNS", None)
        env.pop("LINES", None)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gardener", *arguments],
            cwd=garden.path,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=env,
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        os.close(slave)
        self.seen = ""

    def __enter__(self) -> Person:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)

    def press(self, keys: str | bytes) -> None:
        """Type, having forgotten what the screen showed so far."""
        self.seen = ""
        os.write(self.master, keys if isinstance(keys, bytes) else keys.encode())

    def sees(self, text: str, seconds: float = 60) -> str:
        """Wait until the screen shows `text`; all it has shown since the last key, without control codes."""
        end = time.monotonic() + seconds
        while text not in self.plain:
            if time.monotonic() > end or not self._read(0.5):
                raise AssertionError(f"{text!r} was never shown; there was:\n{self.plain}")
        return self.plain

    def waits(self) -> str:
        """Until the screen has stood still for a moment: for what is expected to change nothing."""
        while self._read(0.4, patient=False):
            pass
        return self.plain

    def leaves(self, again: str = "") -> int:
        """Wait for the end; the exit code. `again` is typed where nothing happens, as a person would."""
        end = time.monotonic() + 60
        silent = ""
        while self._read(3.0):
            if time.monotonic() > end:
                raise AssertionError(f"it goes on; there was:\n{self.plain}")
            silent, heard = self.seen, self.seen != silent
            if again and not heard and self.process.poll() is None:
                with suppress(OSError):
                    os.write(self.master, again.encode())
        return self.process.wait(timeout=60)

    def hangs_up(self) -> None:
        """The line drops."""
        os.killpg(self.process.pid, signal.SIGHUP)
        self.process.wait(timeout=60)

    @property
    def plain(self) -> str:
        return _CONTROL.sub("", self.seen).replace("\r\n", "\n")

    def _read(self, seconds: float, *, patient: bool = True) -> bool:
        """Take what is there; whether there is, or may yet be, more."""
        if not select.select([self.master], [], [], seconds)[0]:
            return patient
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        self.seen += data.decode("utf-8", "replace")
        return bool(data)
