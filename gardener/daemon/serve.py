"""The daemon's life: threads, signals, the service manager and the end. It decides nothing about the store."""

import os
import signal
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from types import FrameType

from apscheduler.events import EVENT_JOB_ERROR, EVENT_JOB_EXECUTED, JobEvent
from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler

from gardener.daemon.here import local_now
from gardener.daemon.log import Log
from gardener.daemon.loop import Loop, Setup
from gardener.daemon.notify import notify, watchdog_interval
from gardener.daemon.wake import Wake
from gardener.errors import GardenerError, RestartError

# A tick is late when three of them are missing; a run may take long, but not for ever.
_TICK_EVERY, _TICK_IS_LATE = 60, 200.0
RUN_DEADLINE = 1800.0
# The service manager is promised an end within 5 seconds of SIGTERM.
_LAST_WORDS = 3.5
_LOOK_AROUND = 5.0


class Server:
    """Runs a Loop until a signal, a hang or an error that only a new process can cure."""

    def __init__(self, loop: Loop, load: Callable[[], Setup], wake: Wake, deadline: float = RUN_DEADLINE) -> None:
        self._loop, self._load, self._wake, self._deadline = loop, load, wake, deadline
        self._log: Log = loop.log
        self._scheduler = BackgroundScheduler(
            timezone=UTC,
            executors={"default": ThreadPoolExecutor(1)},
            job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1},
        )
        self._ended_by: BaseException | None = None
        self._asked = False
        self._ticking = False
        self._stop = False
        self._reload = False
        self._told = ""

    def serve(self) -> int:
        """Tend until told to stop; 0 then. Raises BusyError, RestartError or ConfinementError. May end the process."""
        with self._loop.setup.only_instance():
            self._listen()
            first = datetime.now(UTC)
            self._scheduler.add_job(self._tick, "interval", seconds=_TICK_EVERY, id="tick", next_run_time=first)
            self._loop.beat(local_now(), "starting")
            self._scheduler.add_listener(self._ticked, EVENT_JOB_EXECUTED | EVENT_JOB_ERROR)
            self._scheduler.start()
            self._log.info("started", confinement=self._loop.confinement.level.value, why=self._loop.confinement.says)
            notify(os.environ, "READY=1")
            try:
                self._attend()
            finally:
                self._end()
        if self._ended_by is not None:
            raise self._ended_by
        return 0

    def _listen(self) -> None:
        signal.set_wakeup_fd(self._wake.writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, self._on_stop)
        signal.signal(signal.SIGINT, self._on_stop)
        signal.signal(signal.SIGHUP, self._on_reload)

    def _on_stop(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        self._stop = True

    def _on_reload(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        self._reload = True

    def _attend(self) -> None:
        beat = watchdog_interval(os.environ)
        pause = min(_LOOK_AROUND, self._deadline, *([] if beat is None else [beat]))
        while not self._stop and self._ended_by is None:
            clock = time.monotonic()
            if self._is_hung(clock):
                self._give_up()
            if beat is not None and self._is_well(clock):
                notify(os.environ, "WATCHDOG=1")
            if self._reload:
                self._reload = False
                self._load_again()
                continue
            self._wake.sleep(min(pause, self._ask_for_tick(clock)))

    def _ask_for_tick(self, clock: float) -> float:
        """Bring the next tick forward when something is due now; else the seconds until something may be."""
        if self._asked or self._ticking:
            return _LOOK_AROUND
        wanted = self._loop.wants_tick_at(clock) - clock
        if wanted > 0:
            return wanted
        self._asked = True
        self._scheduler.modify_job("tick", next_run_time=datetime.now(UTC))
        return _LOOK_AROUND

    def _tick(self) -> None:
        self._ticking = True
        try:
            self._loop.tick(local_now(), time.monotonic())
            self._tell()
        except BaseException as error:
            # The scheduler would swallow it; the main thread raises it.
            self._ended_by = error
            raise

    def _ticked(self, event: JobEvent) -> None:  # noqa: ARG002
        # Not at the end of `_tick`: until the scheduler has counted it as done it would drop the next one.
        self._ticking, self._asked = False, False
        self._wake()

    def _tell(self) -> None:
        status = self._loop.status
        trouble = status.error or status.waiting
        words = f"trouble: {trouble}" if trouble else f"next night run {status.next_nightly:%Y-%m-%d %H:%M}"
        if words != self._told:
            notify(os.environ, f"STATUS={words}")
        self._told = words

    def _is_hung(self, clock: float) -> bool:
        began = self._loop.began
        return began is not None and clock - began > self._deadline

    def _is_well(self, clock: float) -> bool:
        runs_or_ticks = self._loop.began is not None or clock - self._loop.ticked < _TICK_IS_LATE
        return self._scheduler.running and runs_or_ticks and self._loop.watcher.well()

    def _load_again(self) -> None:
        try:
            setup = self._load()
        except GardenerError as error:
            self._log.error("settings kept", why=str(error))
            return
        if setup.walls.writable != self._loop.setup.walls.writable or setup.confine != self._loop.setup.confine:
            # What the kernel allows cannot be changed from inside.
            self._ended_by = RestartError("the settings name other folders or another confinement; start anew")
            return
        self._loop.setup = setup
        self._loop.runs.try_again_now()
        self._log.info("settings read again")

    def _give_up(self) -> None:
        """A run hangs and a thread cannot be ended: leave a note and let the manager start a new process."""
        self._loop.runs.hung(self._deadline)
        self._loop.beat(local_now(), "hung")
        self._leave(RestartError.exit_code)

    def _end(self) -> None:
        notify(os.environ, "STOPPING=1")
        until = time.monotonic() + _LAST_WORDS
        self._scheduler.pause()
        while self._ticking and time.monotonic() < until:
            self._wake.sleep(until - time.monotonic())
        # "stopped" promises nothing more; an end that nobody asked for is still to be found late.
        self._loop.beat(local_now(), "stopped" if self._ended_by is None else "failed")
        self._log.info("stopped", mid_run=self._ticking)
        if self._ticking:
            # Every write is atomic, so there is nothing to finish.
            self._leave(0 if self._ended_by is None else RestartError.exit_code)
        self._scheduler.shutdown()
        self._loop.watcher.stop()
        signal.set_wakeup_fd(-1)

    def _leave(self, code: int) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
