"""What a long run is doing, on standard error and only for a person at a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from gardener.tend.passes import Listener, silence


@contextmanager
def progress(*, quiet: bool) -> Iterator[Listener]:
    """A listener for `tend` that keeps one line up to date, gone at the end; one that is silent off a terminal."""
    if quiet or not sys.stderr.isatty() or os.environ.get("TERM") in {None, "", "dumb"}:
        yield silence
        return
    from rich.console import Console

    with Console(stderr=True, highlight=False, markup=False).status("Reading the store") as status:
        yield lambda name, place, of: status.update(f"Pass {place + 1} of {of}: {name}")
