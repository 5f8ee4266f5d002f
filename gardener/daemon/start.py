"""From a store folder to a running daemon: confinement first, everything heavy after it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gardener.config import clock, duration
from gardener.config.store import Store, open_store
from gardener.daemon.sandbox import Walls, confine
from gardener.errors import BusyError, GardenerError
from gardener.storage.beneath import open_root
from gardener.storage.discover import memory_roots
from gardener.storage.journal import PRIVATE
from gardener.storage.layout import Layout
from gardener.storage.lock import hold_daemon

if TYPE_CHECKING:
    from gardener.daemon.loop import Setup
    from gardener.daemon.run import Mode, Outcome
    from gardener.daemon.survey import Folders
    from gardener.tend.result import Result

_TAIL = 64 * 1024


def start(path: Path, verbose: bool = False) -> int:
    """Tend the store at `path` until told to stop; 0 then. Must be called before any thread exists.

    Raises UsageError for settings that cannot be used, BusyError where a daemon is running, NoStoreError,
    RestartError (start it again) and ConfinementError (`confine = "require"` cannot be met).
    """
    with open_store(path) as store:
        confinement = confine(walls_of(store), store.settings.daemon.confine)
    # Imported only now: some of these start threads, which the confinement would not reach.
    from gardener.daemon.dirty import Dirty
    from gardener.daemon.log import make_log
    from gardener.daemon.loop import Loop
    from gardener.daemon.serve import Server
    from gardener.daemon.wake import Wake

    tending, wake = Tending(path), Wake()
    loop = Loop(tending.load(), tending, confinement, make_log(verbose=verbose), Dirty(wake))
    return Server(loop, tending.load, wake).serve()


def once(path: Path, verbose: bool = False) -> int:
    """One night run and its heartbeat, for a timer; 0 when it went well. Raises as `start`, GardenerError for a bug."""
    with open_store(path) as store:
        confinement = confine(walls_of(store), store.settings.daemon.confine)
    from gardener.daemon.dirty import Dirty
    from gardener.daemon.due import Kind
    from gardener.daemon.here import local_now
    from gardener.daemon.log import make_log
    from gardener.daemon.loop import Loop

    tending = Tending(path)
    loop = Loop(tending.load(), tending, confinement, make_log(verbose=verbose), Dirty(), by="timer")
    with loop.setup.only_instance():
        loop.tick(local_now(), time.monotonic(), only=Kind.NIGHTLY)
    if loop.runs.waiting is not None:
        raise BusyError(loop.runs.waiting)
    if loop.runs.error is not None:
        raise GardenerError(loop.runs.error)
    return 0


class Tending:
    """The real work on one store, with the settings as they were last loaded."""

    def __init__(self, path: Path) -> None:
        from gardener.tend.run import tend

        self._path = path
        self._tend: Callable[..., Result] = tend

    def load(self) -> Setup:
        """Read the settings (anew). Raises SettingsError, and then the old ones stay in force."""
        with open_store(self._path) as store:
            self._store = store
            return setup_of(store)

    def __call__(self, now: datetime, mode: Mode) -> Outcome:
        from gardener.daemon.status import read_status

        # The loop writes its heartbeat before each run, and with it how far the kernel confines this process.
        beat = read_status(status_path(self._path))
        level = beat.confinement if beat else ""
        # Opened for each run: the store folder itself may have been replaced.
        with open_root(self._path) as root:
            return outcome_of(self._tend(replace(self._store, root=root), now, mode=mode, confinement=level))


def walls_of(store: Store) -> Walls:
    """What may be written in this store, and what must not be: its memory and note roots as they are now."""
    top, layout = Path(store.path), store.layout
    writable = tuple(top / name for name in (layout.proposals, layout.reports, PRIVATE))
    roots = (top / root for root in (*memory_roots(store.root, layout), *layout.notes))
    return Walls(writable, tuple(root for root in roots if root.is_dir()), top / PRIVATE / "tmp")


def setup_of(store: Store) -> Setup:
    """What the loop needs of the settings."""
    from gardener.daemon.due import Schedule
    from gardener.daemon.loop import Setup

    settings, path, layout = store.settings.schedule, Path(store.path), store.layout
    nightly, debounce = clock(settings.nightly), duration(settings.debounce)
    if nightly is None or debounce is None:
        raise AssertionError("settings are checked when they are read")
    return Setup(
        schedule=Schedule(nightly, duration(settings.every), debounce, settings.on_change),
        walls=walls_of(store),
        folders=lambda: _folders(path, layout),
        status=status_path(path),
        only_instance=lambda: _only_instance(path, layout.proposals),
        confine=store.settings.daemon.confine,
        last_nightly=lambda: last_reported(path / layout.reports / "history.jsonl"),
    )


def status_path(store: Path) -> Path:
    """Where the heartbeat of a store is."""
    return store / PRIVATE / "status.json"


def outcome_of(result: Result) -> Outcome:
    """What the log and the heartbeat say about a tend."""
    from gardener.daemon.run import Outcome

    passes = {row.name: row.status for row in result.passes if row.status in {"ok", "failed"}}
    counts = {
        "memories": len(result.snapshot.memories),
        "notes": len(result.snapshot.notes),
        **{name: sum(getattr(row, name) for row in result.passes) for name in ("new", "withdrawn", "held_back")},
    }
    return Outcome(passes, counts, (*result.alarms, *map(str, result.problems)))


def last_reported(history: Path) -> date | None:
    """The newest date in the history of reports, which says when the last night run was if `.gardener/` is lost."""
    try:
        with history.open("rb") as file:
            file.seek(max(0, history.stat().st_size - _TAIL))
            lines = file.read().splitlines()
    except OSError:
        return None
    # Merged histories need not be in order, and the first line of the tail may be cut.
    return max((found for found in map(_date, lines) if found is not None), default=None)


def _date(line: bytes) -> date | None:
    try:
        return date.fromisoformat(json.loads(line)["date"])
    except (ValueError, TypeError, KeyError):
        return None


def _folders(path: Path, layout: Layout) -> Folders:
    from gardener.daemon.survey import Folders

    with open_root(path) as root:
        roots = tuple(dict.fromkeys((*memory_roots(root, layout), *layout.notes)))
    return Folders(
        tuple(path if root == "." else path / root for root in roots),
        tuple(path / own for own in sorted(layout.own)),
        layout.include,
    )


@contextmanager
def _only_instance(path: Path, proposals: str) -> Iterator[None]:
    with open_root(path) as root, hold_daemon(root, proposals):
        yield
