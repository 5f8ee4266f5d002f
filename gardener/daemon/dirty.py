"""What was touched and not looked at since: marked by the watcher's thread, emptied by the loop."""

import threading
from collections.abc import Callable

from gardener.daemon.due import settles_in

# More paths than this are not told apart: the run looks at everything anyway, and a storm must cost next to nothing.
_MOST_PATHS = 500


class Dirty:
    """Paths with the instants (monotonic seconds) of their first and latest event. Begins with all due at once."""

    def __init__(self, wake: Callable[[], None] = lambda: None) -> None:
        self._lock = threading.Lock()
        self._wake = wake
        self._paths: dict[str, tuple[float, float]] = {}
        self._everything: tuple[float, float] | None = None
        self._overdue = True

    def mark(self, path: str, now: float) -> None:
        """`path` was touched."""
        with self._lock:
            was_clean = self._is_clean()
            if self._everything is not None:
                self._everything = (self._everything[0], now)
            elif path in self._paths or len(self._paths) < _MOST_PATHS:
                first, _ = self._paths.get(path, (now, now))
                self._paths[path] = (first, now)
            else:
                self._swallow(now)
        if was_clean:
            self._wake()

    def mark_all(self, now: float) -> None:
        """Anything may have been touched just now: events were lost, or a folder was replaced."""
        with self._lock:
            self._swallow(now)
        self._wake()

    def mark_overdue(self) -> None:
        """Something was touched some time ago and nobody said so: due at once."""
        with self._lock:
            self._overdue = True
        self._wake()

    def settles_in(self, now: float, debounce: float) -> float | None:
        """Seconds until the first path is due (see `due.settles_in`), 0.0 when one is, None when nothing is dirty."""
        with self._lock:
            if self._overdue:
                return 0.0
            marks = [*self._paths.values(), *([self._everything] if self._everything else [])]
        return min((settles_in(first, latest, now, debounce) for first, latest in marks), default=None)

    def take(self) -> int | None:
        """Forget all marks, just before a run that looks at everything; how many paths, None for uncounted."""
        with self._lock:
            count = None if self._overdue or self._everything else len(self._paths)
            self._paths, self._everything, self._overdue = {}, None, False
        return count

    def _swallow(self, now: float) -> None:
        firsts = [first for first, _ in self._paths.values()]
        if self._everything is not None:
            firsts.append(self._everything[0])
        self._everything = (min(firsts, default=now), now)
        self._paths = {}

    def _is_clean(self) -> bool:
        return not self._paths and self._everything is None and not self._overdue
