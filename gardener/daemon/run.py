"""One run of the work: what it is asked for, what came of it, and how long to wait after it went wrong."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from gardener.daemon.due import Kind
from gardener.daemon.log import Log, describe
from gardener.errors import BusyError

Mode = Literal["full", "propose", "refresh"]
# Somebody else holds the store, or git is at work: look again soon, but not in a loop.
_BUSY_PAUSE = 20.0
_FIRST_PAUSE, _LONGEST_PAUSE = 60.0, 3600.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one tend did: pass name → ok, partial or failed; figures for the log; problems as `path: reason` lines."""

    passes: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


Work = Callable[[datetime, Mode], Outcome]


@dataclass(slots=True)
class Runs:
    """Makes runs one at a time and remembers how they went. `error` and `waiting` are None after a good one."""

    work: Work
    log: Log
    failures: int = 0
    error: str | None = None
    waiting: str | None = None
    not_before: float = float("-inf")
    _named: frozenset[str] = frozenset()
    _run_log: Log = field(init=False)

    def __post_init__(self) -> None:
        self._run_log = self.log

    def make(self, kind: Kind, mode: Mode, now: datetime) -> Outcome:
        """Run once, and say how it went if it went well. Raises whatever the work raises."""
        self._run_log = self.log.bind(run=secrets.token_hex(4), kind=kind.value, mode=mode)
        self._run_log.debug("run begins")
        outcome = self.work(now, mode)
        self._succeed(self._run_log, outcome)
        return outcome

    def try_again_now(self) -> None:
        """Forget the pause: the settings were changed, so the cause may be gone."""
        self.not_before = float("-inf")

    def waits(self, busy: BusyError, clock: float) -> None:
        """The store is somebody else's for the moment; `clock` is monotonic."""
        self.not_before = clock + _BUSY_PAUSE
        if str(busy) != self.waiting:
            self._run_log.info("waiting", reason=str(busy))
        self.waiting = str(busy)

    def failed(self, cause: Exception, clock: float) -> None:
        """Looking at the store or the run itself went wrong; each failure in a row doubles the pause."""
        error = describe(cause)
        self.failures += 1
        pause = self._pause(clock)
        # Named once: a lasting fault is a count afterwards, not the same line every hour.
        named = {} if error == self.error else {"error": error}
        self._run_log.error("run failed", failures=self.failures, again_in_seconds=int(pause), **named)
        self.error, self.waiting = error, None

    def hung(self, seconds: float) -> None:
        """The run under way did not end in `seconds`; a new process takes over from here with `after_hang`."""
        self.failures += 1
        self.error, self.waiting = f"a run did not end within {seconds:.0f} seconds", None
        self._run_log.error("run hung", seconds=int(seconds), failures=self.failures)

    def after_hang(self, failures: int, clock: float) -> None:
        """Wait as after a failure: what hung once may hang again."""
        self.failures = failures
        self._pause(clock)

    def _pause(self, clock: float) -> float:
        doubled = min(max(self.failures - 1, 0), 10)
        pause = min(_FIRST_PAUSE * float(1 << doubled), _LONGEST_PAUSE)
        self.not_before = clock + pause
        return pause

    def _succeed(self, log: Log, outcome: Outcome) -> None:
        self.failures, self.error, self.waiting = 0, None, None
        self.not_before = float("-inf")
        for problem in sorted(set(outcome.problems) - self._named):
            log.warning("problem", problem=problem)
        self._named = frozenset(outcome.problems)
        failed = sorted(name for name, state in outcome.passes.items() if state == "failed")
        if failed:
            log.error("passes failed", passes=failed)
        log.info("run done", **outcome.counts)
