from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gardener.errors import BusyError
from gardener.storage import beneath, lock
from gardener.storage.beneath import Root

HOLDER = """
import sys, time
from gardener.storage import beneath, lock
with beneath.open_root(sys.argv[1]) as root, getattr(lock, sys.argv[2])(root):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture(params=["hold", "hold_daemon"])
def which(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def holder(store: Path, which: str) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(store), which], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def take(root: Root, which: str) -> None:
    with lock.hold(root, 0.05) if which == "hold" else lock.hold_daemon(root):
        pass


def test_free_again_afterwards(root: Root, which: str) -> None:
    take(root, which)
    take(root, which)


def test_the_two_locks_do_not_meet(root: Root) -> None:
    with lock.hold(root), lock.hold_daemon(root):
        pass


def test_one_holder_at_a_time_whatever_becomes_of_the_cache_and_a_killed_one_frees_it(
    root: Root, store: Path, which: str
) -> None:
    (store / ".gardener").mkdir()
    with holder(store, which) as process:
        shutil.rmtree(store / ".gardener")
        with pytest.raises(BusyError):
            take(root, which)
        process.kill()
        process.wait()
        take(root, which)


def test_the_same_process_is_no_exception(root: Root, store: Path) -> None:
    with lock.hold(root), beneath.open_root(store) as again, pytest.raises(BusyError), lock.hold(again, 0):
        pass


def test_whether_a_daemon_runs_is_told_by_its_lock(root: Root) -> None:
    Path(root.path, "proposals").mkdir(exist_ok=True)
    assert not lock.daemon_runs(root)
    with lock.hold_daemon(root):
        assert lock.daemon_runs(root)
    assert not lock.daemon_runs(root)
    assert not lock.daemon_runs(root, "nowhere")
