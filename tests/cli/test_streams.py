"""Standard streams that are closed, full or interrupted: no traceback, and a code that says what was done."""

import os
import shlex
import subprocess
import sys

import pytest

from tests.garden import NOW, Garden

GARDENER = f"{shlex.quote(sys.executable)} -m gardener"


@pytest.fixture
def finished(garden: Garden) -> Garden:
    garden.stage("p/s", "Status: done")
    garden.tend()
    return garden


def shell(garden: Garden, line: str) -> subprocess.CompletedProcess[str]:
    """A line of sh in the store's folder, with `$GARDENER` for the command."""
    env = os.environ | {"GARDENER_NOW": NOW.isoformat(), "GARDENER": GARDENER}
    return subprocess.run(["sh", "-c", line], cwd=garden.path, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "line",
    [
        "list >&-",
        "show ID --diff >&-",
        "list <&-",
        "list 2>&-",
        "review <&-",
        "tend 2>&-",
        "tend <&- >&- 2>&-",
        "check - <&-",
        "apply ID <&-",
        "apply ID >&-",
        "apply ID <&- >&- 2>&-",
    ],
)
def test_a_closed_stream_is_no_terminal_and_no_error(finished: Garden, line: str) -> None:
    before = finished.memories()
    ran = shell(finished, f"$GARDENER {line.replace('ID', finished.one().id)}")
    assert (ran.returncode, "Traceback" in ran.stderr, "bug" in ran.stderr) == (0, False, False), ran.stderr
    assert (finished.memories() != before) == line.startswith("apply")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has a device that is always full")  # noqa: PTH110
@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        ("list >/dev/full", 4, "nothing was changed"),
        ("show ID --diff >/dev/full", 4, "nothing was changed"),
        ("apply ID --dry-run >/dev/full", 4, "nothing was changed"),
        ("apply ID >/dev/full", 4, "what was asked for was done"),
        ("tend >/dev/full", 4, "the run itself was done"),
        ("list 2>/dev/full", 0, ""),
        ("apply ID 2>/dev/full", 0, ""),
        ("apply ZZZZZZ 2>/dev/full", 2, ""),
        ("nosuch 2>/dev/full", 2, ""),
    ],
)
def test_a_full_device_is_told_with_what_was_done(finished: Garden, line: str, code: int, says: str) -> None:
    before = finished.memories()
    ran = shell(finished, f"$GARDENER {line.replace('ID', finished.one().id)}")
    assert ran.returncode == code, ran.stderr
    assert says in ran.stderr
    assert "run it again" not in ran.stderr
    assert len(ran.stderr.splitlines()) == bool(says), ran.stderr
    done = line.startswith("apply ID") and "--dry-run" not in line
    assert (finished.memories() != before) == done


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has a device that is always full")  # noqa: PTH110
@pytest.mark.parametrize("line", ["--help", "--version", "list --help", "explain", "explain dedup"])
def test_help_that_cannot_be_written_is_one_line_and_a_code(garden: Garden, line: str) -> None:
    assert (shell(garden, f"$GARDENER {line} | cat").stderr, shell(garden, f"$GARDENER {line}").returncode) == ("", 0)
    ran = shell(garden, f"$GARDENER {line} >/dev/full")
    assert (ran.returncode, len(ran.stderr.splitlines())) == (4, 1)
    assert ran.stderr.startswith("gardener: ")
    assert "No space left on device" in ran.stderr


def test_control_c_while_it_is_still_loading_is_one_line(finished: Garden) -> None:
    early = finished.write("early/click.py", "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n").parent
    ran = finished.run("list", PYTHONPATH=os.pathsep.join([str(early), os.environ.get("PYTHONPATH", "")]))
    assert (ran.code, ran.err, ran.text) == (130, "gardener: stopped\n", "")
