"""The daemon's one decision, taken every minute and after every change: look, ask what is due, run it, say how it went.

It holds no thread, signal or clock of its own: `serve` gives it those, and a simulated month gives it others.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from os import getpid
from pathlib import Path
from time import monotonic

from gardener.daemon.dirty import Dirty
from gardener.daemon.due import Kind, Last, Schedule, due, next_nightly
from gardener.daemon.log import Log, describe
from gardener.daemon.memory import give_back
from gardener.daemon.run import Mode, Outcome, Runs, Work
from gardener.daemon.sandbox import Confinement, Level, Walls, still_holds
from gardener.daemon.status import PassBeat, Status, changed, read_status, write_status
from gardener.daemon.survey import Folders
from gardener.daemon.watch import Watcher
from gardener.errors import BusyError, ConfinementError, RestartError


@dataclass(frozen=True, slots=True)
class Setup:
    """All that the daemon takes from the settings. `folders` finds the watched roots anew, as a glob may match more."""

    schedule: Schedule
    walls: Walls
    folders: Callable[[], Folders]
    status: Path
    only_instance: Callable[[], AbstractContextManager[None]]
    confine: str = "prefer"
    last_nightly: Callable[[], date | None] = lambda: None


@dataclass(slots=True)
class Loop:
    """One tending of one store. `tick` is called by one thread; the attributes may be read by others."""

    setup: Setup
    work: Work
    confinement: Confinement
    log: Log
    dirty: Dirty
    by: str = "daemon"
    began: float | None = None
    ticked: float = field(default_factory=monotonic)
    runs: Runs = field(init=False)
    watcher: Watcher = field(init=False)
    status: Status = field(init=False)
    last: Last = field(init=False)

    def __post_init__(self) -> None:
        self.runs = Runs(self.work, self.log)
        self.watcher = Watcher(lambda: self.setup.folders(), self.dirty)
        before = read_status(self.setup.status)
        self.last = Last(self.setup.last_nightly() if before is None else before.nightly)
        now = datetime.now(UTC)
        fresh = Status(by=self.by, pid=getpid(), state="starting", beat=now, started=now)
        if before is not None:
            # What went wrong just before the end stays in sight until a run goes well.
            kept = {"last_run": before.last_run, "last_good": before.last_good, "passes": before.passes}
            held = {"held_back": before.held_back, "held_at_night": before.held_at_night}
            fresh = changed(fresh, **kept, **held, error=before.error)
            self.runs.error = before.error
            if before.state == "hung":
                self.runs.after_hang(before.failures, monotonic())
        self.status = fresh

    def tick(self, now: datetime, clock: float, only: Kind | None = None) -> Kind | None:
        """Do what is due at `now` (aware, local), `clock` being monotonic seconds; which kind of run went to its end.

        With `only`, that kind is run whatever is due, and nothing is watched: a timer decided.

        Raises RestartError and ConfinementError: both end the process.
        """
        self.ticked = clock
        made = None
        try:
            self.confinement.check()
            if only is None:
                self._watch(clock)
            kind = only or self._due(now, clock)
            if kind is not None:
                self._run(kind, now, clock)
                made = kind
        except (RestartError, ConfinementError):
            raise
        except BusyError as error:
            self.runs.waits(error, clock)
        except Exception as error:  # noqa: BLE001 - one bad run must not end the daemon
            self.runs.failed(error, clock)
        self.beat(now, "idle")
        return made

    def wants_tick_at(self, clock: float) -> float:
        """The monotonic instant before which nothing can be due, so far as is known; the minute's tick aside."""
        settles = self.dirty.settles_in(clock, self.setup.schedule.debounce.total_seconds())
        change = float("inf") if settles is None else max(clock + settles, self.runs.not_before)
        return min(change, self.watcher.next_look())

    def beat(self, now: datetime, state: str) -> None:
        """Write the heartbeat. Where that is impossible the loop goes on: a late beat is what tells the reader."""
        self.status = changed(
            self.status,
            state=state,
            beat=now.astimezone(UTC),
            confinement=self.confinement.level.value,
            confinement_says=self.confinement.says,
            watcher=self.watcher.kind.name,
            watcher_says=self.watcher.kind.says,
            nightly=self.last.nightly,
            next_nightly=next_nightly(now, self.last, self.setup.schedule).replace(microsecond=0),
            failures=self.runs.failures,
            error=self.runs.error,
            waiting=self.runs.waiting,
        )
        try:
            write_status(self.setup.status, self.status)
        except OSError as error:
            self.log.error("heartbeat not written", error=describe(error))

    def _watch(self, clock: float) -> None:
        before = self.watcher.kind
        kind = self.watcher.look(clock)
        if kind != before:
            say = self.log.warning if kind.name == "polling" else self.log.info
            say("watching", by=kind.name, why=kind.says)

    def _due(self, now: datetime, clock: float) -> Kind | None:
        if clock < self.runs.not_before:
            return None
        settles = self.dirty.settles_in(clock, self.setup.schedule.debounce.total_seconds())
        return due(now, self.last, self.setup.schedule, changed=settles == 0.0)

    def _run(self, kind: Kind, now: datetime, clock: float) -> None:
        self._probe()
        self.beat(now, "running")
        often: Mode = "propose" if self.setup.schedule.on_change == "propose" else "refresh"
        self.began = clock
        started = monotonic()
        # Before the work, so that what is touched while it reads is looked at again.
        self.dirty.take()
        try:
            outcome = self.runs.make(kind, "full" if kind is Kind.NIGHTLY else often, now)
        except BaseException:
            self.dirty.mark_overdue()
            raise
        finally:
            self.began = None
            give_back()
        self.last = Last(now.date() if kind is Kind.NIGHTLY else self.last.nightly, now)
        self._remember(kind, now, monotonic() - started, outcome)
        self._count(outcome, free_to_ask=kind is Kind.NIGHTLY or often == "propose")

    def _probe(self) -> None:
        if still_holds(self.setup.walls, self.confinement):
            return
        says = "a memory folder can be written to although the kernel confined this process"
        if self.setup.confine == "require":
            raise ConfinementError(f'confinement is required by [daemon] confine = "require", but {says}')
        self.log.error("confinement lost", why=says)
        self.confinement = replace(self.confinement, level=Level.NONE, says=says)

    def _remember(self, kind: Kind, now: datetime, seconds: float, outcome: Outcome) -> None:
        at = now.astimezone(UTC)
        earlier = self.status.passes
        passes = {
            name: PassBeat(state, at if state == "ok" else earlier[name].last_good if name in earlier else None)
            for name, state in outcome.passes.items()
        }
        well = all(state == "ok" for state in outcome.passes.values())
        self.status = changed(
            self.status,
            last_run=at,
            last_kind=kind.value,
            last_good=at if well else self.status.last_good,
            seconds=round(seconds, 3),
            passes=passes,
        )

    def _count(self, outcome: Outcome, free_to_ask: bool) -> None:
        held = outcome.counts.get("held_back", 0)
        at_night = held if free_to_ask else self.status.held_at_night
        self.status = changed(self.status, held_back=held, held_at_night=at_night)
