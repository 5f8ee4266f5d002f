"""The daemon over a real store with the real tend: how settings become walls and a schedule, and one real life."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from datetime import date, timedelta
from datetime import time as time_of_day
from pathlib import Path

import pytest

from gardener.config.store import open_store
from gardener.daemon.sandbox import Walls, prepare
from gardener.daemon.start import last_reported, setup_of, walls_of
from gardener.errors import NoStoreError, UsageError
from tests.garden import Garden

STAGE = """---
kind: stage
name: shipped
description: the release that shipped
created: 2026-01-01T00:00:00Z
updated: 2026-01-01T00:00:00Z
---
Status: done
"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "memory" / "_global").mkdir(parents=True)
    (tmp_path / "memory" / "_global" / "shipped.md").write_text(STAGE)
    return tmp_path.resolve()


def test_the_settings_become_a_setup(store: Path) -> None:
    (store / "gardener.toml").write_text(
        '[store]\nmemory = ["memory/*"]\nproposals = "inbox"\n[schedule]\nnightly = "23:15"\nevery = "2h"\n'
        'debounce = "1s"\non_change = "propose"\n[daemon]\nconfine = "off"\n'
    )
    with open_store(store) as opened:
        setup = setup_of(opened)
    assert setup.schedule.nightly == time_of_day(23, 15)
    assert setup.schedule.every == timedelta(hours=2)
    assert setup.schedule.on_change == "propose"
    assert setup.confine == "off"
    assert setup.walls.writable == (store / "inbox", store / "reports", store / ".gardener")
    assert setup.walls.guarded == (store / "memory" / "_global",)
    (store / "memory" / "new").mkdir()
    assert setup.folders().roots == (store / "memory" / "_global", store / "memory" / "new", store / "notes")


def test_a_store_that_is_one_folder_of_memories(store: Path) -> None:
    (store / "gardener.toml").write_text('[store]\nmemory = ["."]\nnotes = []\n')
    with open_store(store) as opened:
        assert walls_of(opened).guarded == (store,)
        assert setup_of(opened).folders().roots == (store,)


def test_a_missing_memory_folder_is_for_the_run_to_tell(tmp_path: Path) -> None:
    with open_store(tmp_path.resolve()) as opened:
        assert setup_of(opened).folders().roots == (tmp_path.resolve() / "notes",)


def test_a_missing_store_is_told_by_the_watcher(store: Path) -> None:
    with open_store(store) as opened:
        setup = setup_of(opened)
    store.rename(store.with_name("elsewhere"))
    with pytest.raises(NoStoreError):
        setup.folders()


BAD = [
    ("a link into the memories", "symlink"),
    ("a folder around the memories", "around"),
]


@pytest.mark.parametrize("case", [row[1] for row in BAD], ids=[row[0] for row in BAD])
def test_folders_that_would_let_it_write_memories_are_refused(store: Path, case: str) -> None:
    memory = store / "memory"
    if case == "symlink":
        (store / "proposals").symlink_to(memory / "_global")
        walls = Walls((store / "proposals",), (memory,), store / ".gardener" / "tmp")
    else:
        walls = Walls((store / "memory",), (memory / "_global",), store / ".gardener" / "tmp")
    with pytest.raises(UsageError):
        prepare(walls)


HISTORIES = [
    ("", None),
    ('{"date": "2026-07-09", "active": 1}\n{"date": "2026-07-10"}\n', date(2026, 7, 10)),
    ('{"date": "2026-07-11"}\n{"date": "2026-07-10"}\n', date(2026, 7, 11)),
    ('te": "2026-07-12"}\n<<<<<<<\n[]\n{"date": 4}\n{"date": "2026-07-10"}\n', date(2026, 7, 10)),
]


@pytest.mark.parametrize(("text", "newest"), HISTORIES)
def test_the_history_says_when_the_last_night_was(tmp_path: Path, text: str, newest: date | None) -> None:
    path = tmp_path / "history.jsonl"
    assert last_reported(path) is None
    path.write_text(text)
    assert last_reported(path) == newest


START = (
    "import sys; from pathlib import Path; from gardener.daemon.start import start; sys.exit(start(Path(sys.argv[1])))"
)


@pytest.mark.parametrize("wish", ["off", "prefer"])
def test_it_proposes_at_night_and_withdraws_on_change(store: Path, wish: str) -> None:
    (store / "gardener.toml").write_text(f'[schedule]\ndebounce = "1s"\n[daemon]\nconfine = "{wish}"\n')
    memory = store / "memory" / "_global" / "shipped.md"
    with (store / "log").open("wb") as log:
        child = subprocess.Popen([sys.executable, "-c", START, str(store)], stderr=log)
    try:
        pending = store / "proposals" / "pending"
        until(lambda: len(list(pending.glob("stale_stage-*.md"))) == 1, store)
        memory.write_text(STAGE.replace("Status: done", "Status: open"))
        until(lambda: not list(pending.glob("*.md")), store)
        until(lambda: json.loads((store / ".gardener" / "status.json").read_text())["last_kind"] == "change", store)
        child.terminate()
        assert child.wait(30) == 0
    finally:
        child.kill()
        child.wait()
    assert memory.read_text() == STAGE.replace("Status: done", "Status: open")


def test_what_a_refresh_finds_waits_for_the_night_or_for_a_person(store: Path) -> None:
    (store / "gardener.toml").write_text('[schedule]\ndebounce = "1s"\n[daemon]\nconfine = "off"\n')
    garden = Garden(store)
    with (store / "log").open("wb") as log:
        child = subprocess.Popen([sys.executable, "-m", "gardener", "--store", str(store), "daemon"], stderr=log)
    try:
        pending = store / "proposals" / "pending"
        until(lambda: len(list(pending.glob("stale_stage-*.md"))) == 1, store)
        assert "Ctrl-C" not in (store / "log").read_text()
        until(lambda: json.loads((store / ".gardener" / "status.json").read_text())["state"] == "idle", store)
        assert "new findings" not in garden.run("status").text
        (store / "memory" / "_global" / "another.md").write_text(STAGE.replace("shipped", "another"))
        until(lambda: json.loads((store / ".gardener" / "status.json").read_text())["held_back"] > 0, store)
        assert len(list(pending.glob("stale_stage-*.md"))) == 1
        assert "for the night; gardener tend adds" in garden.run("status").text
        child.terminate()
        assert child.wait(30) == 0
    finally:
        child.kill()
        child.wait()
    assert json.loads(garden.run("status", "--json").out)["new_findings"] > 0
    assert garden.run("tend").code == 0
    assert len(list(pending.glob("stale_stage-*.md"))) == 2
    assert "new findings" not in garden.run("status").text


def test_at_a_terminal_it_says_how_to_stop_it(store: Path) -> None:
    (store / "gardener.toml").write_text('[daemon]\nconfine = "off"\n')
    ours, theirs = os.openpty()
    child = subprocess.Popen([sys.executable, "-m", "gardener", "--store", str(store), "daemon"], stderr=theirs)
    os.close(theirs)
    try:
        said = b""
        while b"started" not in said:
            assert select.select([ours], [], [], 60)[0], said
            said += os.read(ours, 4096)
        child.send_signal(signal.SIGINT)
        assert child.wait(30) == 0
    finally:
        child.kill()
        child.wait()
        os.close(ours)
    assert said.startswith(b"Tending until Ctrl-C stops it.")
    assert said.count(b"Ctrl-C") == 1


ONCE = START.replace("import start", "import once").replace("(start(", "(once(")


def test_a_timer_makes_one_run_and_leaves_a_heartbeat(store: Path) -> None:
    (store / "gardener.toml").write_text('[daemon]\nconfine = "off"\n')
    subprocess.run([sys.executable, "-c", ONCE, str(store)], check=True, capture_output=True)
    status = json.loads((store / ".gardener" / "status.json").read_text())
    assert (status["by"], status["state"], status["last_kind"]) == ("timer", "idle", "nightly")
    assert len(list((store / "proposals" / "pending").glob("stale_stage-*.md"))) == 1


def test_a_change_of_confinement_is_in_the_report_of_the_run_that_met_it(store: Path) -> None:
    for wish in ("off", "prefer"):
        (store / "gardener.toml").write_text(f'[daemon]\nconfine = "{wish}"\n')
        subprocess.run([sys.executable, "-c", ONCE, str(store)], check=True, capture_output=True)
    level = json.loads((store / ".gardener" / "status.json").read_text())["confinement"]
    (report,) = (store / "reports").glob("*.md")
    assert (f"confinement changed from none to {level}" in report.read_text()) == (level != "none")


def test_a_timer_that_meets_another_at_work_says_so(store: Path) -> None:
    (store / "gardener.toml").write_text('[daemon]\nconfine = "off"\n')
    (store / ".git").mkdir()
    (store / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (store / ".git" / "index.lock").touch()
    done = subprocess.run([sys.executable, "-c", ONCE, str(store)], check=False, capture_output=True, text=True)
    assert "BusyError: git is in the middle of something" in done.stderr
    assert "git is in the middle" in json.loads((store / ".gardener" / "status.json").read_text())["waiting"]


def until(holds: object, store: Path) -> None:
    assert callable(holds)
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, (store / "log").read_text()
        time.sleep(0.05)
