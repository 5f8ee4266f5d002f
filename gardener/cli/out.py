"""Printing: data on standard output, the rest on standard error, and no memory text as control codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click

from gardener.text.quote import json_text
from gardener.text.quote import plain as plain
from gardener.text.quote import visible as visible
from gardener.text.secrets import mask


def say(text: str = "") -> None:
    """One line of data."""
    click.echo(text)


def note(text: str) -> None:
    """One line beside the data."""
    click.echo(text, err=True)


def as_json(value: Any) -> None:
    """The result as JSON."""
    click.echo(json_text(value, indent=2))


def safe_block(text: str) -> None:
    """Text of several lines with every control character shown as an escape."""
    click.echo("\n".join(visible(line) for line in mask(text).replace("\r\n", "\n").split("\n")))


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
        click.echo(click.style(line, bold=True) if head and number == 0 else line.rstrip())


def count(number: int, one: str, many: str = "") -> str:
    """`1 memory`, `2 memories`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
