"""Notice that the store changed. Events only mark paths dirty: what is true is found by looking, not from an event."""

import logging
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from gardener.daemon.dirty import Dirty
from gardener.daemon.survey import Folders, Survey, remote_kind, survey, visible_folders

# Opening and reading are not among them, or the daemon's own reading would wake it for ever. A file is looked at when
# it is closed after writing; where the system does not tell (macOS), when it is written.
_WRITTEN: type[FileSystemEvent] = FileClosedEvent if sys.platform == "linux" else FileModifiedEvent
_EVENTS: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    _WRITTEN,
    FileMovedEvent,
    FileDeletedEvent,
    DirCreatedEvent,
    DirMovedEvent,
    DirDeletedEvent,
]
# Events may be lost without a sign, so the whole tree is looked at this often (seconds) even when they arrive.
_LOOK_EVERY = 600.0
# When only looking helps: this often, or so that it takes at most a twentieth of the time.
_POLL_EVERY, _POLL_SHARE = 5.0, 20.0
# Each separately watched folder costs a thread.
_MOST_WATCHES = 64


class Watched(NamedTuple):
    """One folder given to watchdog, with its identity, so that a replaced one is noticed."""

    path: str
    recursive: bool
    device: int
    inode: int


class _Marker(FileSystemEventHandler):
    def __init__(self, folders: Folders, dirty: Dirty) -> None:
        self._folders, self._dirty = folders, dirty

    def on_any_event(self, event: FileSystemEvent) -> None:
        for path in (event.src_path, event.dest_path):
            if path and self._folders.concern(str(path), event.is_directory):
                self._dirty.mark(str(path), time.monotonic())


@dataclass(frozen=True, slots=True)
class Kind:
    """How changes are noticed: `inotify`, `fsevents`, … or `polling`, and why."""

    name: str
    says: str = ""


class _Distrust(logging.Handler):
    """watchdog says that events were lost, or that it failed, only in its log."""

    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._lost = lost

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002
        self._lost()


class Watcher:
    """Owns watchdog's threads. All methods but `well` are for one thread; events come in another and only mark."""

    def __init__(self, folders: Callable[[], Folders], dirty: Dirty) -> None:
        self._find_folders = folders
        self._dirty = dirty
        self._observer: BaseObserver | None = None
        self._threads: frozenset[threading.Thread] = frozenset()
        self._plan: tuple[Watched, ...] | None = None
        self._fingerprint: int | None = None
        self._look_at = 0.0
        self._distrust = _Distrust(self._lost_events)
        self.kind = Kind("none")

    def look(self, now: float) -> Kind:
        """Bring the watching up to date and, when it is time, look at the whole tree. `now` is monotonic."""
        folders = self._find_folders()
        plan = _plan(folders)
        stale = plan != self._plan or not self.well()
        if stale:
            if self._plan is not None:
                self._dirty.mark_all(now)
            self._start(folders, plan)
        if stale or now >= self._look_at:
            self._survey(folders, now)
        return self.kind

    def next_look(self) -> float:
        """The monotonic instant at which `look` wants to be called."""
        return self._look_at

    def well(self) -> bool:
        """Whether every thread that listens is alive (with polling there is none)."""
        return all(thread.is_alive() for thread in self._threads)

    def stop(self) -> None:
        """End watchdog's threads and wait for them."""
        logging.getLogger("watchdog").removeHandler(self._distrust)
        observer, self._observer, self._threads = self._observer, None, frozenset()
        if observer is None:
            return
        observer.stop()
        if observer.is_alive():
            observer.join()

    def _lost_events(self) -> None:
        self._dirty.mark_all(time.monotonic())
        self._look_at = 0.0

    def _start(self, folders: Folders, plan: tuple[Watched, ...]) -> None:
        self.stop()
        self._plan = plan
        remote = next((kind for kind in map(remote_kind, folders.roots) if kind is not None), None)
        if remote is not None:
            self.kind = Kind("polling", f"a network file system ({remote}) does not tell what others change")
        elif len(plan) > _MOST_WATCHES:
            self.kind = Kind("polling", f"{len(plan)} folders lie beside a hidden one and cannot be watched one by one")
        else:
            self.kind = self._listen(folders, plan)

    def _listen(self, folders: Folders, plan: tuple[Watched, ...]) -> Kind:
        before = frozenset(threading.enumerate())
        logging.getLogger("watchdog").addHandler(self._distrust)
        try:
            self._observer = Observer()
            marker = _Marker(folders, self._dirty)
            for watched in plan:
                self._observer.schedule(marker, watched.path, recursive=watched.recursive, event_filter=_EVENTS)
            self._observer.start()
        except OSError as error:
            self.stop()
            return Kind("polling", f"the system offers no more watches ({error.strerror})")
        self._threads = frozenset(threading.enumerate()) - before
        return Kind(type(self._observer).__name__.removesuffix("Observer").lower())

    def _survey(self, folders: Folders, now: float) -> None:
        seen = survey(folders)
        if self._fingerprint is not None and seen.fingerprint != self._fingerprint:
            self._dirty.mark_overdue()
        self._fingerprint = seen.fingerprint
        # Folders that appear while we count are watched a moment later: count again before believing it.
        if self._observer is not None and _watches_lack(seen) and _watches_lack(survey(folders)):
            self.stop()
            self.kind = Kind("polling", "some folders cannot be watched; fs.inotify.max_user_watches may be reached")
        took = time.monotonic() - now
        pause = max(_POLL_EVERY, _POLL_SHARE * took) if self._observer is None else _LOOK_EVERY
        self._look_at = now + took + min(pause, _LOOK_EVERY)


def _plan(folders: Folders) -> tuple[Watched, ...]:
    """What to give to watchdog: whole roots; where one holds `.git` or our own folders, it and each child alone."""
    plan: list[Watched] = []
    for root in folders.outermost():
        try:
            children, has_others = visible_folders(str(root), folders)
            plan.append(_watched(str(root), recursive=not has_others))
            if has_others:
                plan.extend(_watched(child, recursive=True) for child in children)
        except OSError:
            # Gone or closed to us: the run reports it, and the plan changes when it is back.
            continue
    return tuple(plan)


def _watched(path: str, recursive: bool) -> Watched:
    status = Path(path).stat()
    return Watched(path, recursive, status.st_dev, status.st_ino)


def _watches_lack(seen: Survey) -> bool:
    """Whether this process has fewer watches than there are folders. False where the kernel does not tell."""
    count, told = 0, False
    for descriptor in Path("/proc/self/fd").iterdir() if sys.platform == "linux" else ():
        try:
            if str(descriptor.readlink()) == "anon_inode:inotify":
                told = True
                count += Path(f"/proc/self/fdinfo/{descriptor.name}").read_text("ascii").count("inotify wd:")
        except OSError:
            continue
    return told and count < seen.folders - len(seen.refused)
