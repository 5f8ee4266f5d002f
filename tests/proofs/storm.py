"""Many files at once under a real daemon: `python -m tests.proofs.storm [FILES]`.

Four processes create FILES (20,000) memories as fast as they can while the daemon watches and tends. Printed: how long
the storm took, and how long after it the daemon had begun a run that saw them all, and had ended it.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ENTRY = Path(__file__).resolve().parents[1] / "daemon" / "entry.py"
BLOW = """
import sys
from pathlib import Path
from typing import Any
folder, first, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
folder.mkdir(parents=True)
for n in range(first, first + count):
    (folder / f"m{n}.md").write_text(f"---\\nkind: reference\\nname: m{n}\\n---\\nfact {n} of many\\n")
"""


def main(arguments: list[str]) -> int:
    files = int(arguments[0]) if arguments else 20_000
    with tempfile.TemporaryDirectory(prefix="gardener-storm-") as folder:
        return storm(Path(folder).resolve(), files)


def storm(store: Path, files: int) -> int:
    (store / "memory" / "_global").mkdir(parents=True)
    log = store / "log"
    with log.open("wb") as out:
        daemon = subprocess.Popen([sys.executable, str(ENTRY), "--store", str(store), "daemon"], stderr=out)
    try:
        wait(lambda: done(log) >= 0 and heartbeat(store)["state"] == "idle")
        first = heartbeat(store)["last_run"]
        began = time.monotonic()
        parts = [(store / "memory" / f"p{n}", n * files // 4, files // 4) for n in range(4)]
        blowers = [subprocess.Popen([sys.executable, "-c", BLOW, *map(str, part)]) for part in parts]
        for blower in blowers:
            blower.wait()
        ended = time.monotonic()
        wait(lambda: done(log) == files // 4 * 4)
        known = time.monotonic()
        # The heartbeat comes a moment after the line in the log.
        wait(lambda: heartbeat(store)["last_run"] != first)
        status = heartbeat(store)
        took = status["seconds"]
        figures = {"files": files, "storm": ended - began, "run": took, "begun_after": known - ended - took}
        print(json.dumps({name: round(value, 2) for name, value in figures.items()} | {"by": status["watcher"]}))
        return 0 if figures["begun_after"] < 10 else 1
    finally:
        daemon.terminate()
        daemon.wait()


def done(log: Path) -> int:
    """How many memories the last run saw; -1 before the first."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return next((line["memories"] for line in reversed(lines) if line["event"] == "run done"), -1)


def heartbeat(store: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((store / ".gardener" / "status.json").read_text())
    return found


def wait(holds: object) -> None:
    assert callable(holds)
    end = time.monotonic() + float(os.environ.get("PATIENCE", "300"))
    while not holds():
        assert time.monotonic() < end, "the daemon does not know all files"
        time.sleep(0.02)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
