"""The entry point: run the command line, and turn every error a user can meet into one line and its exit code.

Nothing is imported above `main` that Python has not loaded anyway, so that Ctrl-C ends every import below in one line.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from click import ClickException

INTERRUPTED = 130


def main() -> None:
    """`gardener` on the command line."""
    try:
        _open_streams()
        code = _run()
    except KeyboardInterrupt:
        code = _say("stopped", INTERRUPTED)
    try:
        sys.stderr.flush()
    except OSError:
        _into_nothing(2)
    sys.exit(code)


def _open_streams() -> None:
    """Where a standard stream was closed, nothing in its place: no end of file to trip over, and no file of the
    store that gets its number.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - lives as long as we do


def _run() -> int:
    import click

    from gardener.cli import commands
    from gardener.cli.out import OutputError
    from gardener.errors import GardenerError, PartialError

    sys.excepthook = _bug
    try:
        code = commands(standalone_mode=False)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.Abort:
        code = _say("stopped; nothing more was changed", INTERRUPTED)
    except click.ClickException as error:
        code = _show(error)
    except GardenerError as error:
        if isinstance(error, OutputError):
            _into_nothing(1)
        code = _say(str(error), error.exit_code)
    except BrokenPipeError:
        _into_nothing(1)  # whoever read our output has gone; nothing is wrong
        code = 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        code = _say(f"{where}{error.strerror or error}; put that right and run it again", PartialError.exit_code)
    except SystemExit as stop:
        # click ends with 1 when whoever read our output has gone; nothing is wrong
        gone = type(sys.stdout).__name__.endswith("PacifyFlushWrapper")
        code = 0 if gone else stop.code if isinstance(stop.code, int) else 1
    return code if isinstance(code, int) else 0


def _bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """An error nobody foresaw: where it happened, but not its message, which may quote a memory."""
    from traceback import extract_tb, print_exception

    from gardener.errors import GardenerError

    places = [f"{frame.filename.rsplit('gardener/', 1)[-1]}:{frame.lineno}" for frame in extract_tb(trace)]
    if os.environ.get("GARDENER_DEBUG"):
        print_exception(kind, error, trace)
    where = " < ".join(reversed(places[-4:]))
    _say(f"a bug in gardener: {kind.__name__} at {where}; GARDENER_DEBUG=1 shows all of it", 70)
    sys.stdout.flush()
    os._exit(GardenerError.exit_code)


def _show(error: ClickException) -> int:
    try:
        error.show()
    except OSError:
        _into_nothing(2)
    return error.exit_code


def _say(message: str, code: int) -> int:
    """One line on standard error, or nothing where that cannot be written."""
    from gardener.text.quote import visible

    try:
        print(f"gardener: {visible(message)}", file=sys.stderr, flush=True)
    except OSError:
        _into_nothing(2)
    return code


def _into_nothing(number: int) -> None:
    """Send a standard stream nowhere, so that what it still holds is no second error at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)


if __name__ == "__main__":
    main()
