"""The watcher: what must not wake it, what must, and what it does when events cannot be had."""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gardener.daemon.dirty import Dirty
from gardener.daemon.survey import Folders, remote_kind, survey
from gardener.daemon.watch import Watcher

FAR = 1e9


class Watch:
    """A watcher over a store, with a way to wait for what it notices."""

    def __init__(self, store: Path, roots: tuple[str, ...] = ("memory", "notes")) -> None:
        own = tuple(store / name for name in ("proposals", "reports", ".gardener"))
        self.folders = Folders(tuple(store / root for root in roots), own)
        self.noticed = threading.Event()
        self.dirty = Dirty(self.noticed.set)
        self.watcher = Watcher(lambda: self.folders, self.dirty)

    def begin(self) -> None:
        self.watcher.look(time.monotonic())
        self.dirty.take()
        self.noticed.clear()

    def notices(self, patience: float = 10.0) -> bool:
        return self.noticed.wait(patience)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    for folder in ("memory/_global", "memory/p", "notes", "proposals", "reports", ".gardener"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "memory" / "_global" / "a.md").write_text("a\n")
    return tmp_path


@pytest.fixture
def watch(store: Path) -> Iterator[Watch]:
    made = Watch(store)
    made.begin()
    yield made
    made.watcher.stop()


def read_all(store: Path) -> None:
    for path in (store / "memory").rglob("*.md"):
        path.read_bytes()
        path.stat()


LEFT_ALONE: list[tuple[str, Callable[[Path], object]]] = [
    ("reading", read_all),
    ("listing", lambda store: list(os.walk(store))),
    ("a proposal", lambda store: (store / "proposals" / "x.md").write_text("x")),
    ("the cache", lambda store: (store / ".gardener" / "x.md").write_text("x")),
    ("an editor's swap file", lambda store: (store / "memory" / "p" / ".b.md.swp").write_text("x")),
    ("a file of another kind", lambda store: (store / "memory" / "p" / "b.png").write_text("x")),
    ("opening for writing is no change until closed", lambda store: (store / "memory" / "p").stat()),
    ("a hidden folder", lambda store: (store / "memory" / "p" / ".obsidian").mkdir()),
]


@pytest.mark.parametrize("act", [row[1] for row in LEFT_ALONE], ids=[row[0] for row in LEFT_ALONE])
def test_what_must_not_wake_it(watch: Watch, store: Path, act: Callable[[Path], object]) -> None:
    act(store)
    # A change that does wake it, made afterwards, shows that the first had its chance.
    (store / "notes" / "after.md").write_text("x")
    assert watch.notices()
    assert list(watch.dirty._paths) == [str(store / "notes" / "after.md")]


NOTICED: list[tuple[str, Callable[[Path], object]]] = [
    ("written", lambda store: (store / "memory" / "_global" / "a.md").write_text("b")),
    ("created", lambda store: (store / "memory" / "p" / "b.md").write_text("b")),
    ("deleted", lambda store: (store / "memory" / "_global" / "a.md").unlink()),
    ("moved", lambda store: (store / "memory" / "_global" / "a.md").rename(store / "memory" / "p" / "a.md")),
    ("moved away", lambda store: (store / "memory" / "_global" / "a.md").rename(store / "a.md")),
    ("saved by way of a hidden file", lambda store: replace_atomically(store / "memory" / "_global" / "a.md")),
    ("a new project", lambda store: (store / "memory" / "new").mkdir()),
    ("a project removed", lambda store: shutil.rmtree(store / "memory" / "p")),
    ("a note", lambda store: (store / "notes" / "n.md").write_text("n")),
    ("a file in a new folder", lambda store: write_deep(store / "memory" / "p" / "deep" / "er" / "c.md")),
]


def replace_atomically(path: Path) -> None:
    hidden = path.with_name(".a.md.tmp")
    hidden.write_text("new")
    hidden.rename(path)


def write_deep(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text("c")


@pytest.mark.parametrize("act", [row[1] for row in NOTICED], ids=[row[0] for row in NOTICED])
def test_what_must_wake_it(watch: Watch, store: Path, act: Callable[[Path], object]) -> None:
    act(store)
    assert watch.notices()


def test_a_replaced_root_is_watched_anew(watch: Watch, store: Path) -> None:
    shutil.rmtree(store / "memory")
    (store / "memory" / "_global").mkdir(parents=True)
    for _ in range(100):  # a new folder may have the old one's inode; then it is the events that tell, a little later
        watch.watcher.look(time.monotonic())
        if watch.dirty.settles_in(time.monotonic() + 60, 2.0) == 0.0:
            break
        time.sleep(0.1)
    else:
        raise AssertionError("never noticed")
    watch.dirty.take()
    watch.noticed.clear()
    (store / "memory" / "_global" / "new.md").write_text("x")
    assert watch.notices()


def test_a_root_that_comes_later_is_watched(tmp_path: Path) -> None:
    watch = Watch(tmp_path)
    watch.begin()
    (tmp_path / "memory").mkdir()
    watch.watcher.look(time.monotonic())
    watch.dirty.take()
    watch.noticed.clear()
    (tmp_path / "memory" / "a.md").write_text("x")
    assert watch.notices()
    watch.watcher.stop()


def test_git_is_never_watched(store: Path) -> None:
    (store / "memory" / ".git" / "objects").mkdir(parents=True)
    watch = Watch(store)
    watch.begin()
    (store / "memory" / ".git" / "objects" / "x.md").write_text("x")
    (store / "memory" / ".git" / "index").write_text("x")
    (store / "memory" / "p" / "b.md").write_text("x")
    assert watch.notices()
    assert list(watch.dirty._paths) == [str(store / "memory" / "p" / "b.md")]
    paths = [watched.path for watched in watch.watcher._plan or ()]
    assert paths == [str(store / path) for path in ("memory", "memory/_global", "memory/p", "notes")]
    watch.watcher.stop()


def test_a_store_that_is_its_own_memory_folder_does_not_hear_itself(store: Path) -> None:
    watch = Watch(store, roots=(".",))
    watch.folders = Folders((store,), watch.folders.own)
    watch.begin()
    (store / "proposals" / "x.md").write_text("x")
    (store / "memory" / "p" / "b.md").write_text("x")
    assert watch.notices()
    assert list(watch.dirty._paths) == [str(store / "memory" / "p" / "b.md")]
    watch.watcher.stop()


def test_too_many_folders_beside_a_hidden_one_are_polled(store: Path) -> None:
    (store / "memory" / ".git").mkdir()
    for number in range(70):
        (store / "memory" / f"project-{number}").mkdir()
    watch = Watch(store)
    watch.begin()
    assert watch.watcher.kind.name == "polling"
    assert "beside a hidden one" in watch.watcher.kind.says


def test_polling_notices_by_looking(store: Path) -> None:
    (store / "memory" / ".git").mkdir()
    for number in range(70):
        (store / "memory" / f"project-{number}").mkdir()
    watch = Watch(store)
    watch.begin()
    watch.watcher.look(FAR)
    assert watch.dirty.settles_in(0.0, 2.0) is None
    (store / "memory" / "p" / "b.md").write_text("x")
    watch.watcher.look(2 * FAR)
    assert watch.dirty.settles_in(0.0, 2.0) == 0.0


def test_a_dead_listener_is_replaced(watch: Watch, store: Path) -> None:
    assert watch.watcher.well()
    observer = watch.watcher._observer
    assert observer is not None
    observer.stop()
    observer.join()
    assert not watch.watcher.well()
    watch.watcher.look(time.monotonic())
    assert watch.watcher.well()
    assert watch.dirty.settles_in(time.monotonic() + 60, 2.0) == 0.0


def test_what_no_event_told_is_found_by_the_regular_look(watch: Watch, store: Path) -> None:
    path = store / "memory" / "_global" / "a.md"
    with path.open("a") as still_open:
        # Written, flushed and not closed: no event comes.
        still_open.write("more\n")
        still_open.flush()
        assert watch.dirty.settles_in(time.monotonic(), 2.0) is None
        watch.watcher.look(watch.watcher.next_look() + 1)
        assert watch.dirty.settles_in(time.monotonic(), 2.0) == 0.0


def test_starting_and_stopping_leaves_nothing_behind(store: Path) -> None:
    def held() -> tuple[int, int]:
        return len(list(Path("/proc/self/fd").iterdir())), threading.active_count()

    watch = Watch(store)
    before = held()
    for _ in range(5):
        watch.watcher.look(time.monotonic())
        watch.watcher.stop()
        watch.watcher._plan = None
    assert held() == before


NO_WATCHES = """
import resource, sys, time
from pathlib import Path
from gardener.daemon.dirty import Dirty
from gardener.daemon.survey import Folders
from gardener.daemon.watch import Watcher
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[2]), int(sys.argv[2])))
held = [open("/dev/null") for _ in range(int(sys.argv[2]) - 5)]
watcher = Watcher(lambda: Folders((Path(sys.argv[1]),)), Dirty())
print(watcher.look(time.monotonic()))
"""


def test_where_the_system_has_no_more_to_give_it_polls_and_says_so(store: Path) -> None:
    command = [sys.executable, "-c", NO_WATCHES, str(store / "memory"), "64"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Kind(name='polling', says='the system offers no more watches" in done.stdout, done.stderr


LIMITED = """
import sys, time
from pathlib import Path
from gardener.daemon.dirty import Dirty
from gardener.daemon.survey import Folders
from gardener.daemon.watch import Watcher
watcher = Watcher(lambda: Folders((Path(sys.argv[1]),)), Dirty())
print(watcher.look(time.monotonic()).name)
watcher.stop()
"""


def test_a_watch_limit_that_is_reached_half_way_is_noticed(store: Path) -> None:
    # The limit can be lowered for a user namespace of one's own only.
    for number in range(20):
        (store / "memory" / f"project-{number}").mkdir()
    limit = f"echo 12 > /proc/sys/user/max_inotify_watches && exec {sys.executable} -c '{LIMITED}' {store}/memory"
    done = subprocess.run(["unshare", "-Ur", "sh", "-c", limit], capture_output=True, text=True, check=False)
    if "unshare" in done.stderr or "max_inotify_watches" in done.stderr:
        pytest.skip(f"no user namespace to lower the limit in: {done.stderr.strip()}")
    assert done.stdout == "polling\n", done.stderr


MOUNTS = """\
22 1 8:1 / / rw,relatime - ext4 /dev/root rw
23 22 0:50 / /mnt/team rw - nfs4 server:/x rw
24 22 0:51 / /mnt/team/fast rw - tmpfs tmpfs rw
25 22 0:52 / /home/me/my\\040cloud rw - fuse.sshfs me@there:/ rw
26 22 0:53 / /mnt/c rw - 9p C: rw
27 22 0:54 / /mnt/stick rw - fuseblk /dev/sdb1 rw
"""
REMOTE = [
    ("/home/me/store/memory", None),
    ("/mnt/teamwork/memory", None),
    ("/mnt/team/fast/memory", None),
    ("/mnt/stick/memory", None),
    ("/mnt/team/memory", "nfs4"),
    ("/home/me/my cloud/memory", "fuse.sshfs"),
    ("/mnt/c/memory", "9p"),
]


@pytest.mark.parametrize(("path", "kind"), REMOTE)
def test_remote_file_systems(path: str, kind: str | None) -> None:
    assert remote_kind(Path(path), MOUNTS) == kind


def test_the_survey_sees_what_is_read_and_nothing_else(store: Path) -> None:
    (store / "memory" / ".git").mkdir()
    (store / "memory" / ".git" / "x.md").write_text("x")
    (store / "memory" / "p" / "loop").symlink_to(store / "memory")
    folders = Folders((store / "memory", store / "memory" / "p", store / "absent"))
    seen = survey(folders)
    assert (seen.files, seen.folders, seen.refused) == (1, 3, [])
    assert survey(folders).fingerprint == seen.fingerprint
    os.utime(store / "memory" / "_global" / "a.md")
    assert survey(folders).fingerprint != seen.fingerprint


def test_marks_become_one_when_they_are_many() -> None:
    woken: list[int] = []
    dirty = Dirty(lambda: woken.append(1))
    assert dirty.settles_in(0.0, 2.0) == 0.0
    assert dirty.take() is None
    assert dirty.settles_in(0.0, 2.0) is None
    for number in range(499):
        dirty.mark(f"/m/{number}.md", 100.0)
    dirty.mark("/m/0.md", 101.0)
    assert dirty.settles_in(101.0, 2.0) == 1.0
    dirty.mark("/m/500.md", 101.0)
    dirty.mark("/m/501.md", 103.0)
    dirty.mark("/m/502.md", 103.5)
    assert dirty.settles_in(104.0, 2.0) == 1.5
    assert dirty.settles_in(130.0, 2.0) == 0.0
    assert woken == [1]
    assert dirty.take() is None
    dirty.mark("/m/0.md", 200.0)
    assert dirty.take() == 1
