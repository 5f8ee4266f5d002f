"""The entry point: run the command line, and turn every error a user can meet into one line and its exit code."""

from __future__ import annotations

import os
import sys
from traceback import extract_tb, print_exception
from types import TracebackType

from gardener.errors import GardenerError, PartialError


def main() -> None:
    """`gardener` on the command line."""
    import click

    from gardener.cli import commands

    sys.excepthook = _bug
    try:
        code = commands(standalone_mode=False)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.Abort:
        code = _say("stopped; nothing more was changed", 130)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except GardenerError as error:
        code = _say(str(error), error.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whoever read our output has gone; nothing is wrong
        code = 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        code = _say(f"{where}{error.strerror or error}; put that right and run it again", PartialError.exit_code)
    except SystemExit as stop:
        # click ends with 1 when whoever read our output has gone; nothing is wrong
        gone = type(sys.stdout).__name__.endswith("PacifyFlushWrapper")
        code = 0 if gone else stop.code if isinstance(stop.code, int) else 1
    sys.exit(code if isinstance(code, int) else 0)


def _bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """An error nobody foresaw: where it happened, but not its message, which may quote a memory."""
    places = [f"{frame.filename.rsplit('gardener/', 1)[-1]}:{frame.lineno}" for frame in extract_tb(trace)]
    if os.environ.get("GARDENER_DEBUG"):
        print_exception(kind, error, trace)
    where = " < ".join(reversed(places[-4:]))
    _say(f"a bug in gardener: {kind.__name__} at {where}; GARDENER_DEBUG=1 shows all of it", 70)
    sys.stdout.flush()
    os._exit(GardenerError.exit_code)


def _say(message: str, code: int) -> int:
    from gardener.text.quote import visible

    print(f"gardener: {visible(message)}", file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
