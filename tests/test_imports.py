"""Commands that only look start without the heavy libraries: checked by what is imported, not by a clock."""

import subprocess
import sys

import pytest

from tests.garden import Garden

HEAVY = {"sklearn", "scipy", "numpy", "apscheduler", "watchdog", "sparse_dot_topn"}


@pytest.mark.parametrize("command", [["list"], ["status"], ["log"], ["list", "--json"], ["--help"]])
def test_looking_is_light(garden: Garden, command: list[str]) -> None:
    garden.stage("p/s", "Status: done")
    garden.tend()
    code = (
        "import sys\nfrom gardener.__main__ import main\n"
        f"sys.argv = ['gardener', '--store', {str(garden.path)!r}, *{command!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(eval(done.stderr.strip().splitlines()[-1]))
    assert "gardener" in loaded
    assert not loaded & HEAVY
