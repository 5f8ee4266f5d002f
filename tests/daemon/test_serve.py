"""The daemon as a process: how it starts, what wakes it, what it survives, and how it ends."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gardener.daemon.due import Kind
from gardener.daemon.notify import notify, watchdog_interval
from gardener.daemon.wake import Wake

PATIENCE = 30.0


class Process:
    """A tiny daemon over a store; ended, if need be, when the test is over."""

    def __init__(self, store: Path, **environment: str) -> None:
        self.store = store
        self.log = store / "log"
        command = [sys.executable, "-m", "tests.daemon.tiny", str(store)]
        with self.log.open("ab") as out:
            self.child = subprocess.Popen(command, stderr=out, stdout=out, env={**os.environ, **environment})

    def runs(self) -> list[dict[str, Any]]:
        path = self.store / ".gardener" / "runs.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def events(self) -> list[str]:
        return [json.loads(line)["event"] for line in self.log.read_text().splitlines() if line.startswith("{")]

    def status(self) -> dict[str, Any]:
        path = self.store / ".gardener" / "status.json"
        found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        return found

    def until(self, holds: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, self.log.read_text()
            time.sleep(0.02)

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.child.send_signal(number)
        return self.child.wait(PATIENCE)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "memory" / "_global").mkdir(parents=True)
    (tmp_path / "notes").mkdir()
    (tmp_path / "memory" / "_global" / "a.md").write_text("a\n")
    return tmp_path


@pytest.fixture
def start(store: Path) -> Iterator[Callable[..., Process]]:
    started: list[Process] = []

    def begin(settings: dict[str, Any] | None = None, **environment: str) -> Process:
        (store / "tiny.json").write_text(json.dumps({"confine": "off"} | (settings or {})))
        started.append(Process(store, **environment))
        return started[-1]

    yield begin
    for process in started:
        if process.child.poll() is None:
            process.child.kill()
            process.child.wait()


Start = Callable[..., Process]


def test_a_saved_memory_is_refreshed_and_the_night_is_made_up(start: Start, store: Path) -> None:
    process = start()
    process.until(lambda: len(process.runs()) == 1)
    (store / "memory" / "_global" / "b.md").write_text("bb\n")
    process.until(lambda: len(process.runs()) >= 2 and process.runs()[-1]["memories"] == 2)
    assert [run["mode"] for run in process.runs()][:2] == ["full", "refresh"]
    process.until(lambda: process.status()["last_kind"] == Kind.CHANGE)
    assert process.stop() == 0
    assert process.status()["state"] == "stopped"
    assert process.events()[-1] == "stopped"


def test_interrupting_ends_it_quietly(start: Start) -> None:
    process = start()
    process.until(lambda: process.runs())
    assert process.stop(signal.SIGINT) == 0
    assert "Traceback" not in process.log.read_text()


def test_a_new_folder_with_files_is_seen(start: Start, store: Path) -> None:
    process = start()
    process.until(lambda: process.runs())
    (store / "memory" / "new").mkdir()
    for number in range(700):
        (store / "memory" / "new" / f"{number}.md").write_text("x")
    process.until(lambda: process.runs()[-1]["memories"] == 701)


def test_only_one_at_a_time(start: Start, store: Path) -> None:
    first = start()
    first.until(lambda: first.runs())
    second = start()
    assert second.child.wait(PATIENCE) == 5
    assert "a daemon is already running for this store" in second.log.read_text()
    first.child.kill()
    first.child.wait()
    third = start()
    third.until(lambda: third.events().count("started") == 2)


def test_a_run_that_hangs_is_reported_and_left(start: Start, store: Path) -> None:
    (store / "hang").touch()
    process = start({"deadline": 1.0})
    assert process.child.wait(PATIENCE) == 75
    assert process.status()["state"] == "hung"
    assert "did not end within 1 seconds" in process.status()["error"]
    (store / "hang").unlink()
    again = start()
    again.until(lambda: again.status()["state"] == "idle")
    assert (again.runs(), again.status()["failures"]) == ([], 1)
    again.child.send_signal(signal.SIGHUP)
    again.until(lambda: again.status()["error"] is None)


def test_the_end_comes_in_the_middle_of_a_run(start: Start, store: Path) -> None:
    (store / "hang").touch()
    process = start()
    process.until(lambda: process.status().get("state") == "running")
    assert process.stop() == 0
    assert json.loads(process.log.read_text().splitlines()[-1])["mid_run"] is True


def test_new_settings_are_taken_and_bad_ones_left(start: Start, store: Path) -> None:
    process = start({"every": None})
    process.until(lambda: process.runs())
    (store / "tiny.json").write_text("{")
    process.child.send_signal(signal.SIGHUP)
    process.until(lambda: "settings kept" in process.events())
    (store / "tiny.json").write_text(json.dumps({"confine": "off", "nightly": "00:00", "on_change": "propose"}))
    process.child.send_signal(signal.SIGHUP)
    process.until(lambda: "settings read again" in process.events())
    (store / "memory" / "_global" / "b.md").write_text("b")
    process.until(lambda: len(process.runs()) == 2)
    assert process.runs()[1]["mode"] == "propose"


def test_another_confinement_needs_another_process(start: Start, store: Path) -> None:
    process = start()
    process.until(lambda: process.runs())
    (store / "tiny.json").write_text(json.dumps({"confine": "prefer"}))
    process.child.send_signal(signal.SIGHUP)
    assert process.child.wait(PATIENCE) == 75
    # Nobody asked for this end: what it promised still holds.
    assert process.status()["state"] == "failed"


def test_a_replaced_folder_needs_another_process(start: Start, store: Path) -> None:
    # Unconfined, the new folder may get the number of the old one, and then nothing is lost.
    process = start({"confine": "prefer"})
    process.until(lambda: process.runs())
    (store / "reports").rmdir()
    (store / "reports").mkdir()
    (store / "memory" / "_global" / "b.md").write_text("b")
    assert process.child.wait(PATIENCE) == 75
    assert "reports was removed or replaced" in process.log.read_text()


def test_a_bad_memory_does_not_end_it_or_fill_the_log(start: Start, store: Path) -> None:
    (store / "poison").touch()
    process = start()
    process.until(lambda: "run failed" in process.events())
    assert process.status()["failures"] == 1
    assert "secret text" not in process.log.read_text()
    (store / "poison").unlink()
    process.child.send_signal(signal.SIGHUP)
    process.until(lambda: process.runs())


def test_the_manager_is_told(start: Start, store: Path, tmp_path: Path) -> None:
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address)
        manager.settimeout(PATIENCE)
        process = start({"deadline": 1800.0}, NOTIFY_SOCKET=address, WATCHDOG_USEC="400000")
        said: list[str] = []

        def hear(word: str) -> None:
            while not any(line.startswith(word) for line in said):
                said.extend(manager.recv(4096).decode().splitlines())

        hear("READY=1")
        hear("STATUS=next night run ")
        hear("WATCHDOG=1")
        process.until(lambda: process.status()["state"] == "idle")
        process.child.send_signal(signal.SIGTERM)
        hear("STOPPING=1")
        assert process.child.wait(PATIENCE) == 0


def test_an_abstract_address_is_reached() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(f"\0gardener-test-{os.getpid()}")
        assert notify({"NOTIFY_SOCKET": f"@gardener-test-{os.getpid()}"}, "READY=1", "STATUS=x")
        assert manager.recv(100) == b"READY=1\nSTATUS=x"


@pytest.mark.parametrize("address", ["", "/absent/socket", "vsock:2:1"])
def test_where_nobody_listens_nothing_is_said(address: str) -> None:
    assert not notify({"NOTIFY_SOCKET": address}, "READY=1")


WATCHDOGS: list[tuple[dict[str, str], float | None]] = [
    ({}, None),
    ({"WATCHDOG_USEC": "0"}, None),
    ({"WATCHDOG_USEC": "often"}, None),
    ({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "1"}, None),
    ({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": str(os.getpid())}, 30.0),
    ({"WATCHDOG_USEC": "60000000"}, 30.0),
]


@pytest.mark.parametrize(("environment", "interval"), WATCHDOGS)
def test_the_watchdog_interval(environment: dict[str, str], interval: float | None) -> None:
    assert watchdog_interval(environment) == interval


def test_waking_an_awake_sleeper_is_harmless() -> None:
    wake = Wake()
    for _ in range(100_000):
        wake()
    wake.sleep(3600)
    wake.sleep(-1)
    wake.close()
