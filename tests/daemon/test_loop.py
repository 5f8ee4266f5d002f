"""The loop's decisions, with real files and a clock that is told: what waits, is tried again, is said once."""

import io
import json
import os
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from gardener.daemon.dirty import Dirty
from gardener.daemon.due import Kind, Schedule
from gardener.daemon.log import describe, make_log
from gardener.daemon.loop import Loop, Setup
from gardener.daemon.run import Mode, Outcome
from gardener.daemon.sandbox import Confinement, Level, Walls
from gardener.daemon.status import PassBeat, Status, read_status, worries, write_status
from gardener.daemon.survey import Folders
from gardener.errors import BusyError, ConfinementError, NoStoreError, RestartError

NIGHT = datetime(2026, 7, 10, 4, 30, tzinfo=UTC)


class Bench:
    """A loop over a real store whose work does as it is told."""

    def __init__(self, store: Path) -> None:
        own = tuple(store / name for name in ("proposals", "reports", ".gardener"))
        for folder in (*own, store / "memory"):
            folder.mkdir(exist_ok=True)
        self.store, self.out = store, io.StringIO()
        self.now, self.clock = NIGHT, 1000.0
        self.modes: list[Mode] = []
        self.raises: list[Exception] = []
        self.outcome = Outcome({"dedup": "ok"}, {"memories": 1})
        self.setup = Setup(
            Schedule(debounce=timedelta(seconds=2)),
            Walls(own, (store / "memory",), store / ".gardener" / "tmp"),
            lambda: Folders((store / "memory",), own),
            store / ".gardener" / "status.json",
            nullcontext,
        )
        self.dirty = Dirty()
        self.loop = self.make(Confinement(Level.NONE, "not asked for", {}))

    def make(self, confinement: Confinement) -> Loop:
        return Loop(self.setup, self.work, confinement, make_log(self.out), self.dirty)

    def work(self, now: datetime, mode: Mode) -> Outcome:  # noqa: ARG002
        if self.raises:
            raise self.raises.pop(0)
        self.modes.append(mode)
        return self.outcome

    def tick(self, **later: float) -> Kind | None:
        self.now += timedelta(**later)
        self.clock += timedelta(**later).total_seconds()
        return self.loop.tick(self.now, self.clock)

    def touch(self) -> None:
        """As the watcher does when a memory was saved long enough ago."""
        self.dirty.mark(str(self.store / "memory" / "a.md"), self.clock - 5)

    def lines(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.out.getvalue().splitlines()]

    def events(self) -> list[object]:
        return [line["event"] for line in self.lines()]

    def status(self) -> Status:
        status = read_status(self.setup.status)
        assert status is not None
        return status


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.loop.watcher.stop()


def test_nothing_is_run_twice(bench: Bench) -> None:
    assert bench.tick() is Kind.NIGHTLY
    assert [bench.tick(minutes=1) for _ in range(59)] == [None] * 59
    assert bench.tick(minutes=1) is Kind.PERIODIC
    assert bench.modes == ["full", "refresh"]


def test_only_the_night_adds(bench: Bench) -> None:
    bench.tick()
    bench.touch()
    assert bench.tick(minutes=1) is Kind.CHANGE
    assert bench.modes == ["full", "refresh"]


def test_a_change_adds_where_the_settings_say_so(bench: Bench) -> None:
    bench.tick()
    bench.loop.setup = replace(bench.setup, schedule=Schedule(on_change="propose"))
    bench.touch()
    bench.tick(minutes=1)
    assert bench.modes == ["full", "propose"]


def test_what_is_still_being_written_waits(bench: Bench) -> None:
    bench.tick()
    bench.dirty.mark("a.md", bench.clock)
    assert bench.tick(seconds=1) is None
    assert bench.loop.wants_tick_at(bench.clock) == bench.clock + 1
    assert bench.tick(seconds=1) is Kind.CHANGE


def test_the_night_survives_the_loss_of_the_cache(bench: Bench) -> None:
    bench.setup = replace(bench.setup, last_nightly=lambda: date(2026, 7, 10))
    loop = bench.make(Confinement(Level.NONE, "", {}))
    assert loop.tick(NIGHT, 0.0) is Kind.CHANGE
    assert loop.tick(NIGHT, 60.0) is None
    loop.watcher.stop()


def test_a_new_process_knows_the_night_is_done(bench: Bench) -> None:
    bench.tick()
    bench.dirty.take()
    again = bench.make(Confinement(Level.NONE, "", {}))
    assert again.tick(NIGHT + timedelta(minutes=5), 300.0) is Kind.PERIODIC
    again.watcher.stop()


def test_somebody_else_at_work_is_waited_for_and_said_once(bench: Bench) -> None:
    bench.raises = [BusyError("git is in the middle of a merge")] * 3
    assert [bench.tick(seconds=30) for _ in range(3)] == [None, None, None]
    assert bench.status().waiting == "git is in the middle of a merge"
    assert bench.events().count("waiting") == 1
    assert bench.tick(seconds=30) is Kind.NIGHTLY
    assert bench.status().waiting is None


def test_waiting_is_no_busy_loop(bench: Bench) -> None:
    bench.raises = [BusyError("locked")]
    bench.tick()
    assert bench.loop.wants_tick_at(bench.clock) == bench.clock + 20


def test_a_failing_run_is_tried_ever_more_rarely(bench: Bench) -> None:
    bench.raises = [ValueError("text of a memory") for _ in range(1000)]
    attempts = 0
    for _ in range(6 * 60):
        left = len(bench.raises)
        bench.tick(minutes=1)
        attempts += left - len(bench.raises)
    assert attempts == 11
    assert bench.status().failures == attempts


def test_a_lasting_fault_is_named_once_and_no_memory_is_quoted(bench: Bench) -> None:
    def poisonous(now: datetime, mode: Mode) -> Outcome:
        raise ValueError("sk-secret from a memory")

    bench.loop.runs.work = poisonous
    for _ in range(10):
        bench.tick(hours=1)
    failures = [line for line in bench.lines() if line["event"] == "run failed"]
    assert len(failures) == 10
    assert [line["error"] for line in failures if "error" in line] == [bench.status().error]
    assert "sk-secret" not in bench.out.getvalue()
    assert "ValueError at " in str(bench.status().error)


def test_a_problem_is_named_once_and_again_when_it_comes_back(bench: Bench) -> None:
    bench.outcome = Outcome(problems=("memory/a.md: line 3: not YAML",))
    for _ in range(3):
        bench.tick(hours=1)
    assert bench.events().count("problem") == 1
    bench.outcome = Outcome()
    bench.tick(hours=1)
    bench.outcome = Outcome(problems=("memory/a.md: line 3: not YAML",))
    bench.tick(hours=1)
    assert bench.events().count("problem") == 2


def test_a_failed_pass_is_said_and_its_last_good_run_kept(bench: Bench) -> None:
    bench.tick()
    good = bench.status().passes["dedup"].last_good
    bench.outcome = Outcome({"dedup": "failed", "links": "ok"})
    bench.tick(hours=1)
    status = bench.status()
    assert status.passes["dedup"] == PassBeat("failed", good)
    assert status.last_good == good
    assert "passes failed" in bench.events()
    assert worries(status, bench.now) == ["the pass dedup failed in the last run"]


def test_a_missing_store_is_no_end(bench: Bench) -> None:
    bench.raises = [NoStoreError("no memory folder at memory")]
    assert bench.tick() is None
    assert bench.status().error == "no memory folder at memory"
    assert bench.tick(minutes=1) is Kind.NIGHTLY
    assert bench.status().error is None


def test_a_replaced_folder_ends_it(bench: Bench) -> None:
    reports = bench.store / "reports"
    bench.loop.confinement = Confinement(Level.NONE, "", {reports: (0, 1)})
    with pytest.raises(RestartError):
        bench.tick()


def test_the_work_may_ask_for_a_new_process(bench: Bench) -> None:
    bench.raises = [RestartError("the folder of proposals was replaced")]
    with pytest.raises(RestartError):
        bench.tick()


def test_an_open_door_ends_it_where_confinement_is_required(bench: Bench) -> None:
    bench.loop.confinement = Confinement(Level.FULL, "so they say", {})
    bench.loop.setup = replace(bench.setup, confine="require")
    with pytest.raises(ConfinementError):
        bench.tick()


def test_an_open_door_is_said_where_it_is_preferred(bench: Bench) -> None:
    bench.loop.confinement = Confinement(Level.FULL, "so they say", {})
    bench.tick()
    assert bench.status().confinement == "none"
    assert bench.events().count("confinement lost") == 1


def test_the_heartbeat_says_what_is_promised(bench: Bench) -> None:
    bench.tick()
    status = bench.status()
    assert (status.by, status.pid, status.state) == ("daemon", os.getpid(), "idle")
    assert status.nightly == date(2026, 7, 10)
    assert status.next_nightly == datetime(2026, 7, 11, 4, 30)
    assert status.watcher == "inotify"
    assert status.last_good == NIGHT
    assert worries(status, NIGHT) == []


def test_a_heartbeat_that_cannot_be_written_does_not_end_it(bench: Bench) -> None:
    bench.loop.setup = replace(bench.setup, status=bench.store / "absent" / "status.json")
    assert bench.tick() is Kind.NIGHTLY
    assert "heartbeat not written" in bench.events()


def heard(**changes: object) -> Status:
    fields: dict[str, object] = {"by": "daemon", "pid": 1, "state": "idle", "beat": NIGHT, "started": NIGHT}
    return Status(**(fields | changes))  # type: ignore[arg-type]


WORRIES = [
    ("all is well", heard(), []),
    ("stopped on purpose", heard(state="stopped", beat=NIGHT - timedelta(days=9)), []),
    (
        "stopped after a failure",
        heard(state="stopped", error="no store", next_nightly=datetime(2026, 7, 1, 4, 30), waiting="git is at work"),
        [],
    ),
    ("uninstalled", heard(by="timer", state="uninstalled", next_nightly=datetime(2026, 7, 1, 4, 30)), []),
    (
        "ended by what nobody asked for",
        heard(state="failed", beat=NIGHT - timedelta(minutes=11)),
        ["daemon 1 was last heard of at 2026-07-10 04:19 UTC"],
    ),
    ("a night run under way", heard(state="running", next_nightly=datetime(2026, 7, 9, 4, 30)), []),
    ("silent", heard(beat=NIGHT - timedelta(minutes=11)), ["daemon 1 was last heard of at 2026-07-10 04:19 UTC"]),
    (
        "a broken promise",
        heard(next_nightly=datetime(2026, 7, 9, 4, 30)),
        ["the night run promised for 2026-07-09 04:30 has not happened"],
    ),
    (
        "a timer's run that was killed",
        heard(by="timer", state="running", next_nightly=datetime(2026, 7, 9, 4, 30)),
        ["the night run promised for 2026-07-09 04:30 has not happened"],
    ),
    ("a failure", heard(error="no store"), ["the last run failed: no store"]),
    ("a wait", heard(waiting="git is at work"), ["waiting: git is at work"]),
]


@pytest.mark.parametrize(("status", "expected"), [row[1:] for row in WORRIES], ids=[row[0] for row in WORRIES])
def test_worries(status: Status, expected: list[str]) -> None:
    assert worries(status, NIGHT) == expected


def test_a_daemon_that_is_gone_is_said_to_be_before_its_beat_is_late() -> None:
    before = NIGHT - timedelta(minutes=2)
    assert worries(heard(beat=before), NIGHT) == []
    assert worries(heard(), NIGHT, runs=False) == []
    assert worries(heard(beat=before, state="stopped"), NIGHT, runs=False) == []
    gone = f"daemon 1 ended without a word after {before:%Y-%m-%d %H:%M} UTC"
    assert worries(heard(beat=before), NIGHT, runs=False) == [gone]


def test_a_heartbeat_is_cache(tmp_path: Path) -> None:
    path = tmp_path / "status.json"
    assert read_status(path) is None
    path.write_text("{")
    assert read_status(path) is None
    write_status(path, heard())
    assert read_status(path) == heard()
    assert [entry.name for entry in tmp_path.iterdir()] == ["status.json"]


def test_errors_of_the_system_name_their_file() -> None:
    with pytest.raises(OSError, match="absent") as raised:
        Path("/absent/file").read_bytes()
    assert describe(raised.value).startswith("FileNotFoundError (No such file or directory: /absent/file) at ")


def test_on_a_terminal_the_log_is_for_people() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    out = Terminal()
    make_log(out).info("run done", memories=3)
    assert "run done" in out.getvalue()
    assert "{" not in out.getvalue()
