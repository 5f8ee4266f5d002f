"""Printing: data on standard output, the rest on standard error, and no memory text as control codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import click

from gardener.errors import PartialError
from gardener.text.quote import json_text
from gardener.text.quote import plain as plain
from gardener.text.quote import visible as visible
from gardener.text.secrets import mask

_CARRIED = "gardener.carried"


class OutputError(PartialError):
    """What a command had to say could not be written. The message says whether what was asked for was done."""


def carried(what: str) -> None:
    """From here on the command has done something: what to say of it where its output cannot be written."""
    click.get_current_context().meta[_CARRIED] = what


def say(text: str = "") -> None:
    """One line of data. OutputError where the output cannot be written; a reader that has gone is none."""
    with _writing():
        click.echo(text)


def note(text: str) -> None:
    """One line beside the data, or nothing where that cannot be written."""
    with suppress(OSError):
        click.echo(text, err=True)


def raw(data: bytes) -> None:
    """Data as it is."""
    with _writing():
        click.echo(data, nl=False)


def as_json(value: Any) -> None:
    """The result as JSON."""
    say(json_text(value, indent=2))


def safe_block(text: str) -> None:
    """Text of several lines with every control character shown as an escape."""
    say("\n".join(visible(line) for line in mask(text).replace("\r\n", "\n").split("\n")))


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        context = click.get_current_context(silent=True)
        standing = context.meta.get(_CARRIED) if context else None
        told = f"the output could not be written ({error.strerror}); {standing or 'nothing was changed'}"
        raise OutputError(told) from error


def width() -> int:
    """Columns to fill; 100 off a terminal."""
    if not sys.stdout.isatty():
        return 100
    return max(40, os.get_terminal_size().columns)


def table(rows: Iterable[Sequence[str]], head: Sequence[str] = ()) -> None:
    """Columns with two spaces between them; the last one is cut to the terminal."""
    body = [[plain(cell, 1000) for cell in row] for row in rows]
    if not body:
        return
    everything = [list(head), *body] if head else body
    widths = [max(len(row[i]) for row in everything) for i in range(len(everything[0]))]
    room = max(20, width() - sum(widths[:-1]) - 2 * (len(widths) - 1))
    for number, row in enumerate(everything):
        cells = [cell.ljust(size) for cell, size in zip(row[:-1], widths[:-1], strict=True)]
        line = "  ".join([*cells, plain(row[-1], room) if sys.stdout.isatty() else row[-1]])
        say(click.style(line, bold=True) if head and number == 0 else line.rstrip())


def count(number: int, one: str, many: str = "") -> str:
    """`1 memory`, `2 memories`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
