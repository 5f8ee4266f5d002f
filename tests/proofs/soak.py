"""A simulated month of the daemon's life over real files: `python -m tests.proofs.soak [DAYS [SEED]]`.

One process plays the people and the machine: it edits, adds, renames and deletes memories, switches branches, makes
storms of files, shuts the lid, changes the clock, takes folders away and kills the daemon. The other is the daemon,
with the real tend, the real watcher and the real confinement, told what time it is. At the end every memory must hold
what the first process wrote last, one night run must have come for every date, and the second must not have grown.
"""

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock_time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

ZONE = ZoneInfo("Europe/Berlin")
# The clocks go back on 25 October.
START = datetime(2026, 10, 12, 6, 0, tzinfo=UTC)
# The daemon ticks every minute; nothing but the night depends on it here.
TICK = timedelta(minutes=5)
NIGHTLY = clock_time(4, 30)
# Each kind of event once, to begin with: an edit, a branch, a storm, two kills, two lost folders, a lid and a clock.
FIRST = (0.0, 0.031, 0.036, 0.04, 0.04, 0.046, 0.046, 0.055, 0.061)
GROWTH_KB = 5 * 1024
# Words made of these are many, so that memories differ as real ones do.
SYLLABLES = "ba de fi go lu ma ne pi ro su ta ve wi xo yu za bre cla dro fle gri plo sta tru".split()


@dataclass
class World:
    """The store, and what each memory is meant to hold."""

    store: Path
    chance: random.Random
    expected: dict[Path, str] = field(default_factory=dict)
    serial: int = 0

    @property
    def memory(self) -> Path:
        return self.store / "memory"

    def begin(self) -> None:
        for folder in ("memory/_global", "memory/app", "notes/app"):
            (self.store / folder).mkdir(parents=True)
        (self.store / "gardener.toml").write_text('[daemon]\nconfine = "prefer"\n')
        (self.store / ".gitignore").write_text(".gardener/\nproposals/\n")
        for _ in range(60):
            self.add()
        self.git("init", "-q", "-b", "main")
        self.commit("begin")
        self.git("branch", "side")

    def git(self, *arguments: str) -> None:
        command = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "gc.auto=0", *arguments]
        subprocess.run(command, cwd=self.store, check=True, capture_output=True)

    def commit(self, message: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def files(self) -> list[Path]:
        return sorted(path for path in self.memory.rglob("*.md") if path.is_file())

    def text(self) -> str:
        kind = self.chance.choice(["gotcha", "decision", "stage", "reference"])
        status = f"Status: {self.chance.choice(['done', 'open', 'blocked', 'unsure'])}\n\n" if kind == "stage" else ""
        stamp = f"2026-{self.chance.randint(1, 9):02}-{self.chance.randint(1, 28):02}T10:00:00Z"
        words = self.words(40)
        head = f"kind: {kind}\nname: m{self.serial}\ndescription: about {words[:40]}\nupdated: {stamp}\n"
        return f"---\nid: 01K{self.serial:023}\n{head}---\n{status}{words}.\n"

    def words(self, count: int) -> str:
        return " ".join("".join(self.chance.choices(SYLLABLES, k=3)) for _ in range(count))

    def put(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.expected[path] = digest(path)

    def add(self) -> None:
        self.serial += 1
        project = self.chance.choice(["_global", "app", "tool"])
        self.put(self.memory / project / f"m{self.serial}.md", self.text())

    def edit(self) -> None:
        path = self.chance.choice(self.files())
        self.put(path, path.read_text() + f"More about {self.words(2)}.\n")

    def rename(self) -> None:
        path = self.chance.choice(self.files())
        self.serial += 1
        target = path.with_name(f"renamed{self.serial}.md")
        path.rename(target)
        self.expected[target] = self.expected.pop(path)

    def delete(self) -> None:
        path = self.chance.choice(self.files())
        path.unlink()
        del self.expected[path]

    def storm(self, size: int) -> None:
        folder = self.memory / "storm"
        folder.mkdir()
        for number in range(size):
            head = f"---\nkind: reference\nname: s{number}\n---\n"
            (folder / f"s{number}.md").write_text(f"{head}{self.words(12)}\n")
        self.expected |= {path: digest(path) for path in folder.iterdir()}

    def calm(self) -> None:
        shutil.rmtree(self.memory / "storm", ignore_errors=True)
        self.expected = {path: sha for path, sha in self.expected.items() if path.parent.name != "storm"}

    def switch(self) -> None:
        """Another branch and back to work on it: many files change, appear and vanish at once."""
        self.commit("work")
        branch = self.chance.choice(["main", "side"])
        self.git("checkout", "-q", branch)
        self.expected = {path: digest(path) for path in self.files()}

    def check(self) -> None:
        found = {path: digest(path) for path in self.files()}
        assert found == self.expected, sorted(set(found.items()) ^ set(self.expected.items()))[:5]


@dataclass
class Daemon:
    """The other process, ticked by hand. `nights` counts the night runs that it said it made."""

    store: Path
    nights: dict[date, int] = field(default_factory=dict)
    excused: set[date] = field(default_factory=set)
    starts: int = 0
    life: list[dict[str, Any]] = field(default_factory=list)
    child: "subprocess.Popen[str] | None" = None

    def start(self) -> None:
        command = [sys.executable, "-m", "tests.proofs.soak", "--daemon", str(self.store)]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.starts += 1
        self.life = []

    def send(self, now: datetime, clock: float) -> None:
        assert self.child is not None
        assert self.child.stdin is not None
        self.child.stdin.write(json.dumps([now.timestamp(), clock]) + "\n")
        self.child.stdin.flush()

    def tick(self, now: datetime, clock: float) -> None:
        if self.child is None:
            self.start()
        self.send(now, clock)
        assert self.child is not None
        assert self.child.stdout is not None
        answer = json.loads(self.child.stdout.readline())
        if "restart" in answer:
            # As a service manager does.
            self.end()
            return self.tick(now, clock)
        if answer["made"] == "nightly":
            day = now.astimezone(ZONE).date()
            self.nights[day] = self.nights.get(day, 0) + 1
        self.life.append(answer)
        return None

    def kill(self, now: datetime, clock: float, after: float) -> None:
        if self.child is None:
            self.start()
        self.send(now, clock)
        time.sleep(after)
        self.end()

    def end(self) -> None:
        if self.child is not None:
            self.child.kill()
            self.child.communicate()
            self.child = None


def soak(
    store: Path, days: int, seed: int, storm: int = 2000, tick: timedelta = TICK, say: Any = print
) -> dict[str, Any]:
    """Live `days` in `store`. Raises AssertionError where a promise is broken; returns what was measured."""
    world, daemon = World(store, random.Random(seed)), Daemon(store)
    world.begin()
    now, clock = START, time.monotonic()
    dates: set[date] = set()
    smooth, first = False, iter(FIRST)
    # Later a single process must live on, so that what it gathers shows.
    rough_until = START + timedelta(days=days * 0.4)
    try:
        while now < START + timedelta(days=days):
            before = now.astimezone(ZONE).date()
            if not smooth and now >= rough_until:
                # What a process needs at most it has needed once before growth is looked for.
                smooth = _warm_up(world, daemon, now, clock, storm)
            act = next(first, world.chance.random())
            jump = _happen(world, daemon, now, clock, act, rough=now < rough_until, storm=storm)
            now += jump or tick
            # What the machine sleeps, its monotonic clock does not count.
            clock += tick.total_seconds()
            daemon.tick(now, clock)
            if now.astimezone(ZONE).time() >= NIGHTLY:
                dates.add(now.astimezone(ZONE).date())
            if now.astimezone(ZONE).date() != before:
                world.check()
                say(f"{now:%Y-%m-%d} {len(world.expected)} memories, {json.dumps(daemon.life[-1])}")
        world.check()
        return _judge(daemon, dates)
    finally:
        daemon.end()


def _warm_up(world: World, daemon: Daemon, now: datetime, clock: float, storm: int) -> bool:
    for _ in range(3):
        world.storm(storm)
        daemon.tick(now, clock)
        world.calm()
        daemon.tick(now, clock)
    daemon.life.clear()
    return True


def _happen(
    world: World, daemon: Daemon, now: datetime, clock: float, act: float, rough: bool, storm: int
) -> timedelta | None:
    """Let something happen or nothing, as `act` between 0 and 1 says; by how much the time of day jumps."""
    if act < 0.03:
        world.chance.choice([world.add, world.edit, world.edit, world.rename, world.delete, world.edit])()
        time.sleep(0.01)
    elif act < 0.035:
        world.switch()
    elif act < 0.037:
        world.storm(storm)
        daemon.tick(now, clock)
        world.calm()
    elif act < 0.045 and rough:
        daemon.kill(now, clock, world.chance.random() * 0.15)
    elif act < 0.05 and rough:
        folder = world.chance.choice(["reports", "proposals", ".gardener"])
        shutil.rmtree(world.store / folder, ignore_errors=True)
        if folder == ".gardener":
            # With its memory gone, one extra night run is harmless.
            daemon.excused.add(now.astimezone(ZONE).date())
    elif act < 0.06:
        # The lid: sometimes over the night, and the 25th has an hour twice.
        return timedelta(hours=world.chance.choice([1, 3, 9, 20]))
    elif act < 0.065:
        # A clock set right, backwards.
        return -timedelta(minutes=20)
    return None


def _judge(daemon: Daemon, dates: set[date]) -> dict[str, Any]:
    life = daemon.life
    quiet = [answer for answer in life if answer["made"] is None]
    growth = max(answer["rss"] for answer in life[-50:]) - max(answer["rss"] for answer in life[:50])
    measured = {
        "nights": len(daemon.nights),
        "dates": len(dates),
        "starts": daemon.starts,
        "ticks in the last life": len(daemon.life),
        "threads": sorted({answer["threads"] for answer in quiet}),
        "descriptors": sorted({answer["fds"] for answer in quiet}),
        "growth in KB": growth,
        "confinement": daemon.life[-1]["confinement"],
    }
    doubled = [day for day, count in daemon.nights.items() if count != 1 and day not in daemon.excused]
    assert not doubled, f"more than one night run on {doubled}"
    # `dates` are those on which the machine was awake at the hour or later.
    missed = sorted(dates - daemon.nights.keys())
    assert not missed, f"no night run on {missed}"
    assert len(measured["threads"]) == 1, measured
    assert len(measured["descriptors"]) == 1, measured
    assert growth < GROWTH_KB, measured
    return measured


def be_the_daemon(store: Path) -> int:
    """Tick when told to; one line of figures for each."""
    from gardener.config.store import open_store
    from gardener.daemon.sandbox import confine
    from gardener.daemon.start import walls_of

    with open_store(store) as opened:
        confinement = confine(walls_of(opened), opened.settings.daemon.confine)
    from gardener.daemon.dirty import Dirty
    from gardener.daemon.log import make_log
    from gardener.daemon.loop import Loop
    from gardener.daemon.start import Tending
    from gardener.errors import RestartError

    tending = Tending(store)
    with (store / ".gardener" / "log").open("a") as log:
        loop = Loop(tending.load(), tending, confinement, make_log(log), Dirty())
        with loop.setup.only_instance():
            for line in sys.stdin:
                instant, clock = json.loads(line)
                try:
                    made = loop.tick(datetime.fromtimestamp(instant, ZONE), clock)
                except RestartError as error:
                    print(json.dumps({"restart": str(error)}), flush=True)
                    return error.exit_code
                print(json.dumps(figures() | {"made": made, "confinement": confinement.level}), flush=True)
                if loop.runs.error is not None:
                    raise AssertionError(loop.runs.error)
    return 0


def figures() -> dict[str, int]:
    """What the process holds: open descriptors, threads, resident KB."""
    status = Path("/proc/self/status").read_text()
    rss = next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))
    return {"fds": len(os.listdir("/proc/self/fd")), "threads": threading.active_count(), "rss": int(rss)}


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--daemon"]:
        return be_the_daemon(Path(arguments[1]))
    days = int(arguments[0]) if arguments else 30
    seed = int(arguments[1]) if len(arguments) > 1 else 1
    with tempfile.TemporaryDirectory(prefix="gardener-soak-") as folder:
        print(json.dumps(soak(Path(folder).resolve(), days, seed)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
