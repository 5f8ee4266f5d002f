"""A real daemon over a folder with a very small tend, for tests that need a process of their own.

`python -m tests.daemon.tiny STORE` reads STORE/tiny.json, confines itself and serves until it is told to stop. Each run
appends one line to .gardener/runs.jsonl: kind of mode, how many memories it saw, and the sum of their sizes.
"""

import json
import sys
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from datetime import time as time_of_day
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gardener.daemon.sandbox import Walls, confine
from gardener.errors import BusyError, GardenerError, SettingsError

if TYPE_CHECKING:
    from gardener.daemon.loop import Setup
    from gardener.daemon.run import Mode, Outcome


def read_settings(store: Path) -> Mapping[str, Any]:
    path = store / "tiny.json"
    if not path.exists():
        return {}
    try:
        settings: Mapping[str, Any] = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise SettingsError(f"{path}: {error}") from None
    return settings


def walls(store: Path) -> Walls:
    own = tuple(store / name for name in ("proposals", "reports", ".gardener"))
    return Walls(own, (store / "memory", store / "notes"), store / ".gardener" / "tmp")


def setup(store: Path) -> "Setup":
    from gardener.daemon.due import Schedule
    from gardener.daemon.loop import Setup
    from gardener.daemon.survey import Folders
    from gardener.storage.beneath import open_root
    from gardener.storage.lock import hold_daemon

    settings = read_settings(store)
    every = settings.get("every", 3600)
    schedule = Schedule(
        nightly=time_of_day.fromisoformat(settings.get("nightly", "04:30")),
        every=None if every is None else timedelta(seconds=every),
        debounce=timedelta(seconds=settings.get("debounce", 0.2)),
        on_change=settings.get("on_change", "refresh"),
    )
    root = open_root(store)
    folders = Folders((store / "memory", store / "notes"), walls(store).writable)
    return Setup(
        schedule,
        walls(store),
        lambda: folders,
        store / ".gardener" / "status.json",
        lambda: hold_daemon(root),
        settings.get("confine", "prefer"),
    )


def tend(store: Path, now: datetime, mode: "Mode") -> "Outcome":
    from gardener.daemon.run import Outcome

    if (store / "busy").exists():
        raise BusyError("git is in the middle of something")
    if (store / "poison").exists():
        raise ValueError("the secret text of a memory")
    if (store / "hang").exists():
        time.sleep(3600)
    sizes = [path.stat().st_size for path in (store / "memory").rglob("*.md")]
    line = json.dumps({"mode": mode, "at": now.isoformat(), "memories": len(sizes), "bytes": sum(sizes)})
    with (store / ".gardener" / "runs.jsonl").open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    return Outcome({"count": "ok"}, {"memories": len(sizes)})


def main(store: Path) -> int:
    settings = read_settings(store)
    confinement = confine(walls(store), settings.get("confine", "prefer"))
    from gardener.daemon.dirty import Dirty
    from gardener.daemon.log import make_log
    from gardener.daemon.loop import Loop
    from gardener.daemon.serve import Server
    from gardener.daemon.wake import Wake

    wake = Wake()
    loop = Loop(setup(store), lambda now, mode: tend(store, now, mode), confinement, make_log(), Dirty(wake))
    return Server(loop, lambda: setup(store), wake, deadline=settings.get("deadline", 1800.0)).serve()


if __name__ == "__main__":
    try:
        code = main(Path(sys.argv[1]).resolve())
    except GardenerError as error:
        print(error, file=sys.stderr)
        code = error.exit_code
    sys.exit(code)
