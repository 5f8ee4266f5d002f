"""The loop over look-alikes: two memories on the screen, one key an answer, each on disk before the next is shown."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from rich.text import Text

from gardener.errors import GardenerError
from gardener.model.memory import Memory
from gardener.review.session.card import SIDE_BY_SIDE, beside
from gardener.review.session.terminal import Terminal
from gardener.text.quote import visible
from gardener.text.secrets import Masker, masker

Record: TypeAlias = Callable[[Memory, Memory, str], None]
"""Writes one answer down: the memory it is said of, the other one, and the word."""

ANSWERS = {
    "1": ("same", False, "the same"),
    "2": ("contained", False, "A is in B"),
    "3": ("contained", True, "B is in A"),
    "4": ("supersedes", False, "A replaces B"),
    "5": ("supersedes", True, "B replaces A"),
    "6": ("conflict", False, "at odds"),
    "7": ("related", False, "related"),
    "8": ("different", False, "different"),
}
"""Key → the word, whether it is said of B, and how it reads."""

FOOTER = "  ".join(
    [*(f"{key} {says}" for key, (_, _, says) in ANSWERS.items()), "s skip", "k back", "? help", "q quit"]
)
HELP = """1  the same: one of them is enough
2  all that A says is in B as well      3  all that B says is in A as well
4  A is newer and replaces B            5  B is newer and replaces A
6  they are at odds: both cannot be true
7  related, and both are needed         8  different things
s j  next        k  back, to answer again
o  open one (then 1 for A, 2 for B)     space, arrows  scroll
?  this help     q  quit; Enter and Escape do nothing"""


@dataclass
class LookAlikes:
    """One sitting over pairs, as they were read when it began: an answer is pinned to the texts that were shown."""

    store: Path
    pairs: Sequence[tuple[Memory, Memory]]
    record: Record
    terminal: Terminal
    answers: dict[int, str] = field(default_factory=dict)
    at: int = 0
    top: int = 0
    notice: str = ""

    def run(self) -> None:
        """Until the last pair is passed, or `q`, or the line drops."""
        with self.terminal.keys():
            try:
                while self.at < len(self.pairs) and self._step():
                    pass
            except (KeyboardInterrupt, EOFError):
                pass
        self.terminal.say()
        if self.answers:
            self.terminal.say(f"Recorded {len(self.answers)}. gardener tend makes proposals of them.")
        left = len(self.pairs) - len(self.answers)
        self.terminal.say(f"{left} left." if left else "None is left.")

    def _step(self) -> bool:
        width, height = self.terminal.size
        last = self.terminal.show(list(self._lines(width)), FOOTER, self.top)
        self.notice = ""
        key = self.terminal.key()
        if key in {" ", "down", "page down", "up", "page up"}:
            step = height - 5 if key in {" ", "page down", "page up"} else 1
            self.top = max(0, min(last, self.top + (step if key in {" ", "down", "page down"} else -step)))
        elif key in ANSWERS:
            self._answer(key)
        elif key in {"s", "j"}:
            self._go(1)
        elif key == "k":
            self._go(-1)
        elif key == "o":
            self._open()
        elif key == "?":
            self.terminal.show([Text(line) for line in HELP.split("\n")], "any key goes back", 0)
            self.terminal.pick()
        return key != "q"

    def _answer(self, key: str) -> None:
        word, turned, says = ANSWERS[key]
        a, b = self.pairs[self.at]
        try:
            self.record(b, a, word) if turned else self.record(a, b, word)
        except (GardenerError, OSError) as error:
            self.notice = str(error)
            return
        self.answers[self.at] = says
        self._go(1)

    def _go(self, step: int) -> None:
        self.at, self.top = max(0, self.at + step), 0

    def _open(self) -> None:
        self.terminal.say("1 A  2 B  (any other key: back)")
        which = {"1": 0, "2": 1}.get(self.terminal.pick())
        if which is not None:
            self.notice = self.terminal.edit(str(self.store / self.pairs[self.at][which].path))
            self.notice = self.notice or "An answer stands for the texts as they are shown here."

    def _lines(self, width: int) -> Iterator[Text]:
        yield Text(f"[{self.at + 1}/{len(self.pairs)}] look-alikes", style="cyan")
        if self.at in self.answers:
            yield Text(f"Answered: {self.answers[self.at]}. Another answer takes its place.", style="yellow")
        if self.notice:
            yield Text(visible(self.notice), style="yellow")
        yield Text("How do these two stand to each other?", style="bold")
        yield Text()
        a, b = self.pairs[self.at]
        masked = masker(a.data, b.data)
        left, right = list(_told("A", a, masked)), list(_told("B", b, masked))
        if width < SIDE_BY_SIDE:
            yield from (*left, Text(), *right)
            return
        for i in range(max(len(left), len(right))):
            here, there = (side[i] if i < len(side) else Text() for side in (left, right))
            yield from beside(here, there, width)


def _told(letter: str, memory: Memory, masked: Masker) -> Iterator[Text]:
    """A memory's name, day, description and text, its credentials masked and what it hides made visible."""
    written = f", {memory.dated:%Y-%m-%d}" if memory.dated else ""
    yield Text(f"{letter}  {visible(memory.label)} ({visible(memory.kind or 'memory')}{written})", style="bold")
    if memory.description:
        yield Text(visible(" ".join(masked(memory.description).split())), style="italic")
    for line in masked(memory.body).strip().replace("\r\n", "\n").split("\n"):
        yield Text(visible(line))


def label_commands(pairs: Sequence[tuple[Memory, Memory]]) -> Iterator[str]:
    """Off a terminal: the exact commands that would answer each pair."""
    for a, b in pairs:
        masked = masker(a.data, b.data)
        for letter, memory in zip("AB", (a, b), strict=True):
            yield f"# {letter} {memory.label}: {' '.join(masked(memory.description or memory.body).split())[:200]}"
        for word, turned, says in ANSWERS.values():
            one, other = (b, a) if turned else (a, b)
            yield f"gardener label {shlex.quote(one.path)} {shlex.quote(other.path)} {word}  # {says}"
