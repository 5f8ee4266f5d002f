"""The system unit under a real systemd: a container over an overlay of this machine, as root. Skipped elsewhere.

It starts, tends, cannot write to a memory whoever asks, is restarted when it hangs, survives a checkout that takes its
folders away, and stops in time.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gardener.daemon.service import plan_install
from gardener.daemon.steps import Run, Write, carry_out
from gardener.daemon.units import Facts, program_folders, units
from tests.daemon.test_start import STAGE

OWNER, UID = "gardener-test", 54321
HOME = Path("/home/gardener test")
STORE = Path("/srv/store of mine")
FACTS = Facts(
    store=STORE,
    writable=tuple(STORE / name for name in ("proposals", "reports", ".gardener")),
    command=(sys.executable, "-P", str(Path(__file__).with_name("entry.py"))),
    program=program_folders(),
    owner=OWNER,
    group=OWNER,
    nightly="04:30",
    home=HOME,
)
AT_HOME = replace(
    FACTS,
    store=HOME / "store",
    writable=tuple(HOME / "store" / name for name in ("proposals", "reports", ".gardener")),
)
UNIT = next(iter(units("system", FACTS)))
USER = next(iter(units("user", AT_HOME))).name
TEND, TIMER = (path.name for path in units("timer", AT_HOME))
# So that the test need not wait for minutes; a stop that takes longer than 5 s ends as a failed one.
QUICK = "[Service]\nWatchdogSec=4s\nRestartSec=100ms\nTimeoutStopSec=5s\n"
# A /tmp of its own hides the program where that lies in /tmp.
PROGRAM = "[Service]\nBindReadOnlyPaths=" + " ".join(map(str, FACTS.program)) + "\n"
PATIENCE = 90.0


def why_not() -> str | None:
    if os.geteuid() != 0:
        return "needs root"
    missing = [name for name in ("systemd-nspawn", "nsenter", "mount", "setpriv") if shutil.which(name) is None]
    if missing:
        return f"needs {', '.join(missing)} (on Debian: systemd-container)"
    return None


# Each test stands by itself: whichever of them run on one worker share a container of its own.
pytestmark = pytest.mark.skipif(why_not() is not None, reason=f"the unit is not run for real: {why_not()}")


class Machine:
    """A booted container."""

    def __init__(self, root: Path, leader: int) -> None:
        self.root, self.leader = root, leader
        self.store = root / STORE.relative_to("/")

    def run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        inside = ["nsenter", "-t", str(self.leader), "-m", "-u", "-i", "-n", "-p", *command]
        return subprocess.run(inside, check=check, capture_output=True, text=True, timeout=PATIENCE)

    def shows(self, name: str) -> str:
        return self.run("systemctl", "show", UNIT.name, "--property", name, "--value").stdout.strip()

    def status(self) -> dict[str, Any]:
        path = self.store / ".gardener" / "status.json"
        found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        return found

    def journal(self) -> str:
        return self.run("journalctl", "--no-pager", "-n", "60", check=False).stdout

    def until(self, holds: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, self.journal()
            time.sleep(0.1)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    top = tmp_path_factory.mktemp("container")
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(top)], check=True)
    root = top / "root"
    child: subprocess.Popen[bytes] | None = None
    try:
        for name in ("root", "upper", "work"):
            (top / name).mkdir()
        options = f"lowerdir=/,upperdir={top}/upper,workdir={top}/work"
        mounted = subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, str(root)], check=False)
        if mounted.returncode != 0:
            pytest.skip("the unit is not run for real: no overlay file system here")
        furnish(root)
        child = boot(root, top / "console")
        yield Machine(root, leader_of(child, top / "console"))
    finally:
        if child is not None:
            child.send_signal(signal.SIGTERM)
            try:
                child.wait(30)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        subprocess.run(["umount", "-q", str(root)], check=False)
        subprocess.run(["umount", "-q", str(top)], check=False)


def furnish(root: Path) -> None:
    (root / "etc" / "machine-id").unlink(missing_ok=True)
    with (root / "etc" / "passwd").open("a") as file:
        file.write(f"{OWNER}:x:{UID}:{UID}::{HOME}:/bin/sh\n")
    with (root / "etc" / "group").open("a") as file:
        file.write(f"{OWNER}:x:{UID}:\n")
    with (root / "etc" / "shadow").open("a") as file:
        file.write(f"{OWNER}:*:20000::::::\n")
    store = root / STORE.relative_to("/")
    memory = store / "memory" / "_global"
    memory.mkdir(parents=True)
    (memory / "shipped.md").write_text(STAGE)
    (store / "gardener.toml").write_text('[daemon]\nconfine = "prefer"\n[schedule]\ndebounce = "1s"\n')
    home = root / HOME.relative_to("/")
    shutil.copytree(store, home / "store")
    for kind, facts in (("user", AT_HOME), ("timer", AT_HOME)):
        for path, text in units(kind, facts).items():
            here = root / path.relative_to("/")
            here.parent.mkdir(parents=True, exist_ok=True)
            here.write_text(text)
            if here.suffix == ".service":
                here.with_name(here.name + ".d").mkdir()
                (here.with_name(here.name + ".d") / "program.conf").write_text(PROGRAM)
    # Python may be installed in a home that only its owner may enter.
    for folder in FACTS.program:
        for parent in (root / folder.relative_to("/")).parents:
            if parent != root and root in parent.parents:
                parent.chmod(0o755)
    for path in (store, *store.rglob("*"), home, *home.rglob("*")):
        os.chown(path, UID, UID)
    for path, text in units("system", FACTS).items():
        here = root / path.relative_to("/")
        here.write_text(text)
        (here.with_name(here.name + ".d")).mkdir()
        (here.with_name(here.name + ".d") / "quick.conf").write_text(QUICK)


def boot(root: Path, console: Path) -> "subprocess.Popen[bytes]":
    command = ["systemd-nspawn", "--quiet", "--directory", str(root), "--register=no", "--keep-unit"]
    command += ["--machine", f"gardener-{os.getpid()}", "--private-network", "--console=pipe", "--resolv-conf=off"]
    # nspawn's own filter does not know these calls.
    command += ["--system-call-filter=landlock_create_ruleset landlock_add_rule landlock_restrict_self"]
    # The container has a /tmp of its own, and the program may lie in ours.
    command += [f"--bind-ro={folder}" for folder in (*FACTS.program, Path(__file__).resolve().parents[2])]
    command += ["--timezone=off", "--boot", "systemd.unit=basic.target"]
    with console.open("wb") as out:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out)


def leader_of(child: "subprocess.Popen[bytes]", console: Path) -> int:
    """The process that is number 1 inside, once its manager answers."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and child.poll() is None:
        for text in Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split():
            asked = ["nsenter", "-t", text, "-m", "-p", "systemctl", "is-active", "basic.target"]
            answer = subprocess.run(asked, capture_output=True, text=True, check=False)
            if answer.stdout.strip() == "active":
                return int(text)
        time.sleep(0.2)
    pytest.skip(
        f"the unit is not run for real: no container boots here: {console.read_text('utf-8', 'replace')[-300:]}"
    )


@pytest.fixture(scope="module")
def running(machine: Machine) -> Machine:
    started = machine.run("systemctl", "start", UNIT.name, check=False)
    assert started.returncode == 0, machine.journal()
    machine.until(lambda: machine.status().get("state") == "idle" and machine.status()["last_run"])
    return machine


def test_it_starts_confined_and_tends(running: Machine) -> None:
    assert running.shows("ActiveState") == "active", running.journal()
    assert [path.name.split("-")[0] for path in (running.store / "proposals" / "pending").iterdir()] == ["stale_stage"]
    status = running.status()
    assert (status["confinement"], status["watcher"], status["error"]) == ("full", "inotify", None)
    assert "next night run" in running.shows("StatusText")


WAYS = [
    ("a memory", ": >> '{store}/memory/_global/shipped.md'"),
    ("a new memory", "touch '{store}/memory/_global/new.md'"),
    ("the settings", ": >> '{store}/gardener.toml'"),
    ("the system", "touch /usr/x /etc/x"),
    ("the program", "touch {package}/x"),
]


@pytest.mark.parametrize("who", [(), ("setpriv", f"--reuid={OWNER}", f"--regid={OWNER}", "--clear-groups")])
@pytest.mark.parametrize("way", [row[1] for row in WAYS], ids=[row[0] for row in WAYS])
def test_where_it_lives_nothing_else_can_be_written(running: Machine, who: tuple[str, ...], way: str) -> None:
    # Even for root, and without Landlock: in the unit's own view of the files.
    command = way.format(store=STORE, package=Path(__file__).resolve().parents[2])
    inside = ("nsenter", "-t", running.shows("MainPID"), "-m", *who, "sh", "-c", command)
    tried = running.run(*inside, check=False)
    assert tried.returncode != 0
    assert "Read-only file system" in tried.stderr


def test_it_sees_no_network(running: Machine) -> None:
    links = running.run("nsenter", "-t", running.shows("MainPID"), "-n", "cat", "/proc/net/dev").stdout
    assert [line.split(":")[0].strip() for line in links.splitlines()[2:]] == ["lo"]


def test_a_saved_memory_reaches_it(running: Machine) -> None:
    (running.store / "memory" / "_global" / "shipped.md").write_text(STAGE.replace("done", "open"))
    running.until(lambda: not list((running.store / "proposals" / "pending").glob("*.md")))


def test_a_process_that_hangs_is_replaced(running: Machine) -> None:
    before, restarts = running.shows("MainPID"), int(running.shows("NRestarts"))
    running.run("kill", "-STOP", before)
    running.until(lambda: int(running.shows("NRestarts")) > restarts and running.shows("ActiveState") == "active")
    assert running.shows("MainPID") != before


def test_folders_taken_away_are_made_again(running: Machine) -> None:
    running.until(lambda: running.status()["state"] == "idle")
    before = running.shows("MainPID")
    shutil.rmtree(running.store / "reports")
    (running.store / "memory" / "_global" / "other.md").write_text(STAGE)
    running.until(lambda: running.shows("MainPID") not in (before, "0") and running.shows("ActiveState") == "active")
    running.until((running.store / "reports").is_dir)
    assert (running.store / "reports").stat().st_uid == UID


def test_it_stops_in_time_and_in_order(running: Machine) -> None:
    running.until(lambda: running.shows("ActiveState") == "active")
    running.run("systemctl", "stop", UNIT.name)
    assert running.shows("Result") == "success", running.journal()
    assert running.status()["state"] == "stopped"


class Session:
    """The owner's own service manager in the container."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.store = machine, machine.root / AT_HOME.store.relative_to("/")
        started = machine.run("systemctl", "start", f"user@{UID}.service", check=False)
        if started.returncode != 0:
            pytest.skip(f"the user unit is not run for real: no user manager starts here: {machine.journal()[-3000:]}")

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        user = ("setpriv", f"--reuid={OWNER}", f"--regid={OWNER}", "--clear-groups")
        where = ("env", f"XDG_RUNTIME_DIR=/run/user/{UID}", f"HOME={HOME}")
        return self.machine.run(*user, *where, *command, check=False)

    def systemctl(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run("systemctl", "--user", *arguments)


@pytest.fixture(scope="module")
def session(machine: Machine) -> Session:
    return Session(machine)


def test_the_user_unit_starts_confined_and_stops(session: Session) -> None:
    started = session.systemctl("start", USER)
    assert started.returncode == 0, session.machine.journal()
    session.machine.until(lambda: (session.store / ".gardener" / "status.json").exists())
    session.machine.until(lambda: list((session.store / "proposals" / "pending").glob("stale_stage-*.md")))
    process = session.systemctl("show", USER, "--property", "MainPID", "--value").stdout.strip()
    status = json.loads((session.store / ".gardener" / "status.json").read_text())
    assert (status["confinement"], status["by"]) == ("full", "daemon")
    memory = AT_HOME.store / "memory" / "_global" / "shipped.md"
    tried = session.machine.run("nsenter", "-t", process, "-m", "sh", "-c", f": >> '{memory}'", check=False)
    assert "Read-only file system" in tried.stderr
    assert session.systemctl("stop", USER).returncode == 0
    assert json.loads((session.store / ".gardener" / "status.json").read_text())["state"] == "stopped"


def test_another_text_is_run_by_at_once_and_nothing_is_started_that_was_stopped(session: Session) -> None:
    home = session.machine.root / HOME.relative_to("/")
    given = replace(AT_HOME, home=home, command=(*AT_HOME.command, "-v"))
    (path,) = units("user", given)
    before = path.read_text()
    steps = plan_install("user", given, root=False)
    again = [step for step in steps if isinstance(step, Run) and {"daemon-reload", "try-restart"} & set(step.command)]

    def shows(name: str) -> str:
        return session.systemctl("show", USER, "--property", name, "--value").stdout.strip()

    def words() -> list[str]:
        return session.machine.run("cat", f"/proc/{shows('MainPID')}/cmdline").stdout.split("\0")

    try:
        session.systemctl("stop", USER)
        carry_out([step for step in steps if isinstance(step, Write) and step.path == path], print)
        assert [session.systemctl(*step.command[2:]).returncode for step in again[:2]] == [0, 0]
        assert shows("ActiveState") == "inactive"
        path.write_text(before)
        session.systemctl("daemon-reload")
        assert session.systemctl("start", USER).returncode == 0, session.machine.journal()
        assert "-v" not in words()
        carry_out([step for step in steps if isinstance(step, Write) and step.path == path], print)
        assert [session.systemctl(*step.command[2:]).returncode for step in again[:2]] == [0, 0]
        assert (shows("ActiveState"), "-v" in words()) == ("active", True), session.machine.journal()
    finally:
        session.systemctl("stop", USER)
        path.write_text(before)
        session.systemctl("daemon-reload")


def test_a_service_that_cannot_start_is_told_of(session: Session) -> None:
    unit = session.machine.root / HOME.relative_to("/") / ".config" / "systemd" / "user" / f"{USER}.d"
    broken = unit / "zz-broken.conf"
    here = f"PYTHONPATH={Path(__file__).resolve().parents[2]}"
    asked = ("env", here, sys.executable, "-m", "gardener", "--store", str(AT_HOME.store), "status")
    try:
        broken.write_text("[Service]\nExecStartPre=\nExecStart=\nExecStart=/nowhere/python\nRestartSec=60\n")
        session.systemctl("daemon-reload")
        session.systemctl("start", USER)
        told = session.run(*asked)
        assert told.returncode == 4, told.stdout
        assert "a service is installed and does not start (exit-code)" in told.stdout
        assert f"journalctl --user -u '{USER}' says why it fails" in told.stdout
    finally:
        broken.unlink()
        session.systemctl("stop", USER)
        session.systemctl("daemon-reload")
        session.systemctl("reset-failed", USER)


def test_the_timer_unit_makes_one_night_run(session: Session) -> None:
    shutil.rmtree(session.store / "proposals", ignore_errors=True)
    (session.store / "memory" / "_global" / "another.md").write_text(STAGE.replace("shipped", "another"))
    ran = session.systemctl("start", TEND)
    assert ran.returncode == 0, session.machine.journal()
    status = json.loads((session.store / ".gardener" / "status.json").read_text())
    assert (status["by"], status["last_kind"], status["confinement"]) == ("timer", "nightly", "full")
    assert list((session.store / "proposals" / "pending").glob("stale_stage-another-*.md"))
    assert session.systemctl("start", TIMER).returncode == 0
