"""The kernel keeps the daemon from every memory. Each test runs its own processes; confinement cannot be undone."""

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gardener.daemon import landlock
from gardener.daemon.sandbox import Confinement, Level, can_write, confine, still_holds
from gardener.errors import ConfinementError, RestartError
from tests.daemon.tiny import walls

needs_landlock = pytest.mark.skipif(landlock.version() == 0, reason="this kernel offers no Landlock")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "memory" / "_global").mkdir(parents=True)
    (tmp_path / "notes").mkdir()
    (tmp_path / "memory" / "_global" / "a.md").write_text("a b c\n")
    return tmp_path


@pytest.fixture
def environment() -> Iterator[None]:
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


def contents(store: Path) -> dict[str, str]:
    found = {}
    for path in sorted((store / "memory").rglob("*")):
        found[str(path.relative_to(store))] = (
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else str(path.stat().st_mode)
        )
    return found


def plain() -> dict[str, str]:
    """The environment without what makes a child measure itself: confined, it could not write that down."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COV")}


def python(script: str, *arguments: object, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "ignore", *script.split(), *map(str, arguments)]
    there = environment | {"PYTHONPATH": str(Path.cwd())}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=there)


@pytest.fixture(scope="module")
def intrusion(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], bool]:
    """What an intruder met, and whether the memory folder is what it was."""
    store = tmp_path_factory.mktemp("store")
    memory = store / "memory" / "_global"
    memory.mkdir(parents=True)
    (store / "notes").mkdir()
    (memory / "a.md").write_text("a b c\n")
    before = contents(store)
    with (memory / "a.md").open("a") as left_open:
        os.set_inheritable(left_open.fileno(), True)
        command = [sys.executable, "-W", "ignore", "-m", "tests.daemon.intruder", str(store)]
        environment = {**plain(), "LEFT_OPEN": str(left_open.fileno())}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, close_fds=False)
    return json.loads(done.stdout), contents(store) == before


@needs_landlock
@pytest.mark.parametrize("place", ["main", "thread", "forked", "spawned"])
def test_no_way_leads_to_a_memory(intrusion: tuple[dict[str, Any], bool], place: str) -> None:
    report, untouched = intrusion
    ways = report["places"][place]
    assert len(ways) >= 50
    assert [way for way, met in ways.items() if met == "SUCCEEDED"] == []
    assert untouched


@needs_landlock
def test_no_thread_from_before_survives(intrusion: tuple[dict[str, Any], bool]) -> None:
    assert intrusion[0]["threads"] == 1


def test_the_ways_are_real(tmp_path: Path) -> None:
    done = python("-m tests.daemon.intruder", tmp_path / "store", "--unconfined", environment=plain())
    succeeded = [way for way, met in json.loads(done.stdout).items() if met == "SUCCEEDED"]
    assert len(succeeded) >= 30


WORKS_INSIDE = """
import os, sys, tempfile
from pathlib import Path
from gardener.daemon.sandbox import confine
from tests.daemon.tiny import walls
store = Path(sys.argv[-1])
found = confine(walls(store), "require")
Path("/dev/null").write_text("x")
for folder in ("proposals/pending", "reports", ".gardener"):
    here = store / folder
    here.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=here, delete=False) as file:
        file.write("x")
        os.fsync(file.fileno())
    os.replace(file.name, here / "x.md")
    (here / "x.md").write_text("shorter")
    os.truncate(here / "x.md", 1)
with tempfile.TemporaryFile() as scratch:
    scratch.write(b"x")
try:
    (store / "proposals" / "applied").mkdir()
    (store / "proposals" / "pending" / "x.md").rename(store / "proposals" / "applied" / "x.md")
except OSError as error:
    print("between folders:", error.strerror)
print(found.level, (store / "memory" / "_global" / "a.md").read_text().strip(), tempfile.gettempdir())
"""


@needs_landlock
def test_the_three_folders_stay_writable_and_all_stays_readable(store: Path) -> None:
    script = store.parent / f"{store.name}.py"
    script.write_text(WORKS_INSIDE)
    done = python(str(script), store, environment=plain())
    assert done.stderr == ""
    expected = "full" if landlock.version() >= landlock.TRUNCATE_ABI else "partial"
    scratch = store / ".gardener" / "tmp"
    assert done.stdout.splitlines() == ["between folders: Invalid cross-device link", f"{expected} a b c {scratch}"]


# The filter of a container: the three Landlock calls answer as told. BPF: load the number, compare, return.
REFUSED_BY_A_FILTER = """
import ctypes, struct, sys, os
from pathlib import Path
answer = int(sys.argv[1])
code = [(0x20, 0, 0, 0), (0x35, 0, 2, 444), (0x25, 1, 0, 446), (0x06, 0, 0, 0x50000 | answer), (0x06, 0, 0, 0x7FFF0000)]
filters = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code), ctypes.addressof(filters)))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program) == 0, ctypes.get_errno()
from gardener.daemon.sandbox import confine
from gardener.errors import GardenerError
from tests.daemon.tiny import walls
try:
    found = confine(walls(Path(sys.argv[3])), sys.argv[2])
    print(found.level, "|", found.says)
except GardenerError as error:
    print(error)
    sys.exit(error.exit_code)
"""


@pytest.mark.skipif(
    os.uname().machine not in ("x86_64", "aarch64"), reason="needs a 64-bit little-endian seccomp filter"
)
@pytest.mark.parametrize("answer", [38, 95, 1], ids=["ENOSYS", "EOPNOTSUPP", "EPERM"])
@pytest.mark.parametrize(("wish", "code"), [("prefer", 0), ("require", 78), ("off", 0)])
def test_a_system_without_landlock(store: Path, answer: int, wish: str, code: int) -> None:
    script = store.parent / f"{store.name}.py"
    script.write_text(REFUSED_BY_A_FILTER)
    done = python(str(script), answer, wish, store, environment=dict(os.environ))
    assert (done.returncode, done.stderr) == (code, "")
    if wish == "off":
        assert done.stdout == "none | switched off in the settings\n"
    else:
        assert "offers no Landlock" in done.stdout


@needs_landlock
def test_a_thread_can_give_up_writing_for_itself(store: Path) -> None:
    """As `confine` does it before it starts anew; here in a thread, which takes it along when it ends."""
    met: dict[str, object] = {}

    def give_up() -> None:
        landlock.give_up_writing(landlock.version(), [store / "notes"], [Path("/dev/null")])
        (store / "notes" / "n.md").write_text("n")
        met["memory"] = can_write(store / "memory")
        met["notes"] = can_write(store / "notes")
        try:
            (store / "memory" / "_global" / "a.md").write_text("x")
        except PermissionError as error:
            met["error"] = error.errno

    thread = threading.Thread(target=give_up)
    thread.start()
    thread.join()
    assert met == {"memory": False, "notes": True, "error": 13}
    assert can_write(store / "memory") is True


@needs_landlock
def test_using_it_wrongly_is_not_taken_for_lacking_it(store: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        landlock.give_up_writing(landlock.version(), [store / "absent"], [])
    assert not landlock.unavailable(raised.value)


def test_where_nothing_was_promised_the_probe_is_content(store: Path) -> None:
    assert still_holds(walls(store), Confinement(Level.NONE, "", {}))


def test_the_probe_sees_an_open_door(store: Path) -> None:
    before = contents(store)
    assert can_write(store / "memory") is True
    assert not still_holds(walls(store), Confinement(Level.FULL, "", {}))
    assert contents(store) == before


def test_the_probe_of_a_missing_folder_says_nothing(store: Path) -> None:
    assert can_write(store / "absent") is None


def test_where_there_are_no_nameless_files_an_existing_one_is_opened(tmp_path: Path) -> None:
    # proc has no O_TMPFILE: its folders answer EOPNOTSUPP, and this one holds no regular file.
    assert can_write(Path("/proc/self/task")) in (None, False)


@pytest.mark.usefixtures("environment")
def test_a_mark_that_is_not_earned_is_found_out(store: Path) -> None:
    own = walls(store)
    for folder in own.writable:
        folder.mkdir(exist_ok=True)
    identities = " ".join(f"{folder.stat().st_dev}:{folder.stat().st_ino}" for folder in own.writable)
    os.environ["GARDENER_CONFINED"] = f"{os.getpid()} 7 {identities}"
    with pytest.raises(ConfinementError, match="yet a memory folder can be written to"):
        confine(own, "require")
    os.environ["GARDENER_CONFINED"] = f"{os.getpid()} 7 {identities}"
    assert confine(own, "prefer").level is Level.NONE


@pytest.mark.usefixtures("environment")
def test_a_replaced_folder_asks_for_a_new_process(store: Path) -> None:
    confinement = confine(walls(store), "off")
    confinement.check()
    (store / "reports").rename(store / "old")
    with pytest.raises(RestartError, match="reports was removed or replaced"):
        confinement.check()
    (store / "reports").mkdir()
    with pytest.raises(RestartError, match="reports was removed or replaced"):
        confinement.check()
