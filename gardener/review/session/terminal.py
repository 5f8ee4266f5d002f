"""The terminal of a review: single keys in, whole screens out, and an editor in between."""

from __future__ import annotations

import os
import select
import shlex
import subprocess
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

ESCAPE_SECONDS = 0.05
"""How long the rest of an arrow key's sequence, or of a character, may take."""

_SEQUENCES = {b"[A": "up", b"[B": "down", b"[5~": "page up", b"[6~": "page down", b"OA": "up", b"OB": "down"}
_NAMED = {b"\r": "enter", b"\n": "enter", b"\x7f": "backspace", b"\b": "backspace"}


@dataclass
class Terminal:
    """A person's terminal. `dumb` ones get no cursor movement."""

    dumb: bool = os.environ.get("TERM") in {None, "", "dumb"}
    ahead: bytes = b""
    """A byte that was read and belongs to the next key."""

    def __post_init__(self) -> None:
        self.console = Console(highlight=False, markup=False, soft_wrap=False, emoji=False)

    @property
    def size(self) -> tuple[int, int]:
        """(columns, rows)."""
        found = os.get_terminal_size(sys.stdout.fileno())
        return max(20, found.columns), max(8, found.lines)

    def show(self, lines: list[Text], footer: str, top: int) -> int:
        """One screen: as much of `lines` from `top` as fits, and the footer. The last `top` that shows anything new."""
        width, height = self.size
        wrapped = [piece for line in lines for piece in (line.wrap(self.console, width) if line.plain else [line])]
        foot = Text(footer, style="reverse").wrap(self.console, width)
        room = max(1, height - len(foot) - 2)
        last = max(0, len(wrapped) - room)
        top = min(top, last)
        if not self.dumb:
            sys.stdout.write("\x1b[H\x1b[2J")
        for line in wrapped if self.dumb else wrapped[top : top + room]:
            self.console.print(line)
        if not self.dumb and top < last:
            self.console.print(Text(f"… {last - top} more lines: space", style="dim"))
        for line in foot:
            self.console.print(line)
        sys.stdout.flush()
        return last

    def say(self, text: str = "") -> None:
        """One plain line, left for the terminal to wrap: a command can be copied from it."""
        self.console.print(Text(text), soft_wrap=True)

    @contextmanager
    def keys(self) -> Iterator[None]:
        """Single keys, unechoed, until the end. Ctrl-C is one of them: as a signal it could come between two steps."""
        before = termios.tcgetattr(sys.stdin.fileno())
        try:
            tty.setcbreak(sys.stdin.fileno())
            single = termios.tcgetattr(sys.stdin.fileno())
            single[6][termios.VINTR] = b"\0"
            termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, single)
            yield
        finally:
            termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, before)

    def key(self) -> str:
        """The next key: a character, or the name of a special one; "" for what means nothing. EOFError at the end."""
        first = self._byte()
        if not first:
            raise EOFError
        if first == b"\x03":
            raise KeyboardInterrupt
        if first != b"\x1b":
            return _NAMED.get(first) or self._character(first)
        rest = b""
        while len(rest) < 16 and (byte := self._soon()):
            rest += byte
            if (rest[-1:].isalpha() and rest != b"O") or rest.endswith(b"~"):
                break
        return _SEQUENCES.get(rest, "") if rest else "escape"

    def pick(self) -> str:
        """The key that answers a menu; "" where Ctrl-C takes the menu back."""
        try:
            return self.key()
        except KeyboardInterrupt:
            return ""

    def line(self, prompt: str) -> str:
        """A typed line, which Enter ends; "" where Escape or Ctrl-C takes the question back."""
        self.say(f"{prompt} (Enter ends it, Escape goes back)")
        self._echo("> ")
        typed, room = "", self.size[0] - 4
        try:
            while (key := self.key()) not in {"enter", "escape"}:
                if key == "backspace":
                    self._echo("\b \b" * cell_len(typed[-1:]))
                    typed = typed[:-1]
                elif len(key) == 1 and cell_len(typed + key) <= room:
                    self._echo(key)
                    typed += key
        except KeyboardInterrupt:
            key = "escape"
        self._echo("\n")
        return typed.strip() if key == "enter" else ""

    def edit(self, path: str) -> str:
        """Open a file in the person's editor; what went wrong, or ""."""
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
        with self._cooked():
            try:
                done = subprocess.run([*shlex.split(editor), path], check=False)
            except (OSError, ValueError) as error:
                return f"{editor}: {error}; set EDITOR to your editor"
        return "" if done.returncode == 0 else f"{editor} ended with {done.returncode}"

    @contextmanager
    def _cooked(self) -> Iterator[None]:
        now = termios.tcgetattr(sys.stdin.fileno())
        cooked = termios.tcgetattr(sys.stdin.fileno())
        cooked[3] |= termios.ICANON | termios.ECHO
        cooked[6][termios.VINTR] = b"\x03"
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, cooked)
        try:
            yield
        finally:
            termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, now)

    def _character(self, first: bytes) -> str:
        """The character that begins with `first`; "" for bytes that are none, which take no later key with them."""
        more = 3 if first[0] >= 0xF0 else 2 if first[0] >= 0xE0 else 1 if first[0] >= 0xC0 else 0
        data = first
        while len(data) <= more and (byte := self._soon()):
            if not 0x80 <= byte[0] < 0xC0:
                self.ahead = byte
                break
            data += byte
        text = data.decode("utf-8", "ignore")
        return text if text.isprintable() else ""

    def _byte(self) -> bytes:
        ahead, self.ahead = self.ahead, b""
        return ahead or os.read(sys.stdin.fileno(), 1)

    def _soon(self) -> bytes:
        """The next byte where it comes at once, as the rest of one key does."""
        there = self.ahead or select.select([sys.stdin.fileno()], [], [], ESCAPE_SECONDS)[0]
        return self._byte() if there else b""

    def _echo(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
