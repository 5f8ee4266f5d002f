"""One line per event: JSON for machines, readable on a terminal. Never the text of a memory, not even in an error."""

import logging
import os
import sys
import traceback
from typing import TextIO, cast

import structlog
from structlog.typing import FilteringBoundLogger, Processor

from gardener.errors import GardenerError

Log = FilteringBoundLogger
# Both libraries speak up once per skipped tick or lost event; the loop says the same, once, in its own words.
_CHATTY = ("apscheduler", "watchdog")


def make_log(stream: TextIO | None = None, verbose: bool = False) -> Log:
    """A logger that writes to `stream` (stderr when None): JSON unless it is a terminal. Times are UTC."""
    out = sys.stderr if stream is None else stream
    for name in _CHATTY:
        logging.getLogger(name).addHandler(logging.NullHandler())
        logging.getLogger(name).propagate = False
    if out.isatty():
        renderer: Processor = structlog.dev.ConsoleRenderer(colors="NO_COLOR" not in os.environ)
    else:
        renderer = structlog.processors.JSONRenderer()
    return cast(
        Log,
        structlog.wrap_logger(
            structlog.WriteLogger(out),
            wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG if verbose else logging.INFO),
            processors=[
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                renderer,
            ],
        ),
    )


def describe(error: BaseException) -> str:
    """What went wrong without quoting what was being read: our own words, or the type, the system's reason, the place.

    Messages of other exceptions may hold file contents (a decoder shows the bytes, YAML the line): they are left out.
    """
    if isinstance(error, GardenerError):
        return str(error)
    name = type(error).__name__
    reason = f" ({error.strerror}: {error.filename})" if isinstance(error, OSError) and error.strerror else ""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {frames[-1].filename}:{frames[-1].lineno} in {frames[-1].name}" if frames else ""
    return f"{name}{reason}{place}"
