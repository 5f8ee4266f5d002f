"""Units as they are filled in, what systemd says of them, and the steps of installing and taking away."""

import os
import plistlib
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gardener.config.store import open_store
from gardener.daemon.manager import Unit
from gardener.daemon.service import advice, default_kind, hint, plan_install, plan_uninstall, tended_by
from gardener.daemon.status import Status, promises, read_status, write_status
from gardener.daemon.steps import Remove, Run, Step, Withdraw, Write, carry_out, says
from gardener.daemon.units import (
    Facts,
    Kind,
    agent_label,
    facts_of,
    program_folders,
    templates,
    this_command,
    unit_escape,
    units,
)
from gardener.errors import PartialError, UsageError

ODD = Path('/srv/100% "my" $store & co')


def facts(store: Path, home: Path = Path("/home/someone")) -> Facts:
    own = tuple(store / name for name in ("proposals", "reports", ".gardener"))
    return Facts(store, own, this_command(), program_folders(), "someone", "people", "04:30", home)


needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="needs systemd-analyze to judge the units"
)
SYSTEMD: list[Kind] = ["user", "system", "timer"]


def rendered(kind: Kind, given: Facts, folder: Path) -> list[Path]:
    paths = []
    for path, text in units(kind, given).items():
        paths.append(folder / path.name)
        paths[-1].write_text(text)
    return paths


@needs_systemd
@pytest.mark.parametrize("store", [Path("/srv/store"), ODD], ids=["plain", "odd"])
@pytest.mark.parametrize("kind", SYSTEMD)
def test_systemd_has_nothing_to_say_against_them(kind: Kind, store: Path, tmp_path: Path) -> None:
    paths = rendered(kind, facts(store), tmp_path)
    done = subprocess.run(["systemd-analyze", "verify", *map(str, paths)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@needs_systemd
def test_the_system_unit_is_hardly_exposed(tmp_path: Path) -> None:
    (path,) = rendered("system", facts(Path("/srv/store")), tmp_path)
    command = ["systemd-analyze", "security", "--offline=yes", "--threshold=5", "--no-pager", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # The threshold is given in tenths, and passing it is the exit code.
    assert done.returncode == 0, done.stdout[-200:]


@pytest.mark.parametrize("kind", [*SYSTEMD, "launchd"])
def test_nothing_is_left_to_fill_in(kind: Kind) -> None:
    for text in units(kind, facts(Path("/srv/store"))).values():
        assert [word for word in text.split() if word.strip("-").startswith("@") and word.endswith("@")] == []
        assert "/srv/store" in text or "OnCalendar=*-*-* 04:30:00" in text


def test_each_store_has_a_system_unit_of_its_own() -> None:
    assert list(units("system", facts(Path("/srv/a-b/store")))) == [
        Path("/etc/systemd/system/gardener@srv-a\\x2db-store.service")
    ]


ESCAPES = ["/", "/srv/store", "/srv/a-b", "/srv/mit Umlaut ü", "/.hidden/x", "/srv/a_b:c.d"]


@needs_systemd
@pytest.mark.parametrize("path", ESCAPES)
def test_names_are_escaped_as_systemd_does(path: str) -> None:
    told = subprocess.run(["systemd-escape", "--path", path], capture_output=True, text=True, check=True)
    assert unit_escape(Path(path)) == told.stdout.strip()


def test_the_agent_of_macos_is_a_property_list() -> None:
    (text,) = units("launchd", facts(ODD)).values()
    agent = plistlib.loads(text.encode())
    assert agent["ProgramArguments"] == [*this_command(), "--store", str(ODD), "daemon"]
    assert agent["StandardErrorPath"] == f"/home/someone/Library/Logs/{agent_label(ODD)}.log"
    assert agent["Label"] == agent_label(ODD)


def test_the_program_is_named_once_and_without_what_is_in_usr() -> None:
    folders = program_folders()
    assert not any(folder.is_relative_to("/usr") for folder in folders)
    assert not any(one != other and one.is_relative_to(other) for one in folders for other in folders)
    assert any(Path(__file__).resolve().is_relative_to(folder) for folder in folders)


def test_units_come_with_the_package() -> None:
    assert (templates() / "gardener@.service").is_file()


PLANS: list[tuple[Kind, list[str], list[str]]] = [
    (
        "user",
        [
            "write {home}/.config/systemd/user/gardener@srv-store.service",
            "run systemctl --user daemon-reload",
            "run systemctl --user enable --now gardener@srv-store.service",
        ],
        [
            "run systemctl --user disable --now gardener@srv-store.service",
            "delete {home}/.config/systemd/user/gardener@srv-store.service",
            "run systemctl --user daemon-reload",
        ],
    ),
    (
        "timer",
        [
            "write {home}/.config/systemd/user/gardener-tend@srv-store.service",
            "write {home}/.config/systemd/user/gardener-tend@srv-store.timer",
            "run systemctl --user daemon-reload",
            "run systemctl --user enable --now gardener-tend@srv-store.timer",
        ],
        [
            "run systemctl --user disable --now gardener-tend@srv-store.timer",
            "delete {home}/.config/systemd/user/gardener-tend@srv-store.service",
            "delete {home}/.config/systemd/user/gardener-tend@srv-store.timer",
            "run systemctl --user daemon-reload",
        ],
    ),
    (
        "launchd",
        [
            "write {home}/Library/LaunchAgents/{label}.plist",
            "run launchctl load -w {home}/Library/LaunchAgents/{label}.plist",
        ],
        [
            "run launchctl unload -w {home}/Library/LaunchAgents/{label}.plist",
            "delete {home}/Library/LaunchAgents/{label}.plist",
        ],
    ),
]
SERVICE, TIMER = "gardener@srv-store.service", "gardener-tend@srv-store.timer"
EVERY: tuple[Kind, ...] = ("user", "timer", "launchd")


def put(steps: Iterable[Step]) -> None:
    """The steps as far as files go."""
    carry_out([step for step in steps if not isinstance(step, Run)], print)


@pytest.mark.parametrize(("kind", "install", "uninstall"), PLANS, ids=[row[0] for row in PLANS])
def test_the_steps(kind: Kind, install: list[str], uninstall: list[str], tmp_path: Path) -> None:
    given = facts(Path("/srv/store"), tmp_path)
    names = {"home": tmp_path, "label": agent_label(given.store)}
    assert plan_uninstall(EVERY, given, root=False) == ()
    steps = plan_install(kind, given, root=False)
    assert [says(step) for step in steps] == [line.format(**names) for line in install]
    put(steps)
    # Once more is the same again, but that what runs takes up the settings and the code of today.
    more = [says(step) for step in plan_install(kind, given, root=False)]
    assert [line for line in more if "try-restart" not in line and "unload" not in line] == list(map(says, steps))
    assert len(more) == len(steps) + 1
    steps = plan_uninstall(EVERY, given, root=False)
    assert [says(step) for step in steps] == [line.format(**names) for line in uninstall]
    put(steps)
    assert plan_uninstall(EVERY, given, root=False) == ()


ANEW: list[tuple[Kind, dict[str, Any], str]] = [
    ("user", {}, f"run systemctl --user try-restart {SERVICE}"),
    ("user", {"command": ("/new/python", "-m", "gardener")}, f"run systemctl --user try-restart {SERVICE}"),
    ("timer", {"nightly": "05:00"}, f"run systemctl --user try-restart {TIMER}"),
    ("timer", {"command": ("/new/python", "-m", "gardener")}, f"run systemctl --user try-restart {TIMER}"),
    ("launchd", {"command": ("/new/python", "-m", "gardener")}, "run launchctl unload {main}"),
]


@pytest.mark.parametrize(("kind", "other", "again"), ANEW)
def test_what_is_installed_again_is_started_anew(kind: Kind, other: dict[str, Any], again: str, tmp_path: Path) -> None:
    before = facts(Path("/srv/store"), tmp_path)
    put(plan_install(kind, before, root=False))
    given = replace(before, **other)
    main = list(units(kind, given))[-1]
    first = [says(step) for step in plan_install(kind, replace(given, home=tmp_path / "other"), root=False)]
    lines = [
        says(step).replace(str(tmp_path), str(tmp_path / "other")) for step in plan_install(kind, given, root=False)
    ]
    # As a first installation, but that what runs is started anew before it is turned on.
    assert lines == [*first[:-1], again.format(main=str(main).replace(str(tmp_path), f"{tmp_path}/other")), first[-1]]


def test_what_turns_it_on_goes_too_where_no_manager_answers(tmp_path: Path) -> None:
    given = facts(Path("/srv/store"), tmp_path)
    put(plan_install("user", given, root=False))
    wants = tmp_path / ".config" / "systemd" / "user" / "default.target.wants"
    wants.mkdir()
    (wants / SERVICE).symlink_to(wants.parent / SERVICE)
    (wants / "gardener@srv-other.service").symlink_to(wants.parent / "gardener@srv-other.service")
    put(plan_uninstall(EVERY, given, root=False))
    assert [path.name for path in wants.iterdir()] == ["gardener@srv-other.service"]


def test_a_dollar_is_doubled_only_where_systemd_puts_variables_in(tmp_path: Path) -> None:
    (text,) = units("user", facts(Path("/srv/a$b"), tmp_path)).values()
    doubled = [line for line in text.splitlines() if "$$" in line]
    assert doubled
    assert all(line.startswith("Exec") for line in doubled)
    assert "ReadWritePaths=-/srv/a$b/proposals " in text


@pytest.mark.parametrize(
    ("state", "sub", "fails"),
    [
        ("active", "running", False),
        ("inactive", "dead", False),
        ("", "", False),
        ("failed", "failed", True),
        ("activating", "auto-restart", True),
    ],
)
def test_a_service_that_is_started_in_vain_fails(state: str, sub: str, *, fails: bool) -> None:
    assert Unit("user", "gardener.service", state, sub).fails is fails


def test_a_new_text_that_does_not_start_gives_way_to_the_old_one(tmp_path: Path) -> None:
    log, unit = tmp_path / "log", tmp_path / "unit"
    unit.write_text("old")
    note = f"import sys; open({str(log)!r}, 'a').write(sys.argv[1] + ':' + open({str(unit)!r}).read() + ' ')"

    def told(name: str, then: str = "") -> Run:
        return Run((sys.executable, "-c", f"{note}{then}", name))

    steps = [
        Write(unit, "new", (told("reload"), told("start"))),
        told("reload"),
        told("start", "; raise SystemExit(1)"),
    ]
    with pytest.raises(UsageError, match="nothing was changed"):
        carry_out(steps, print)
    assert unit.read_text() == "old"
    assert log.read_text().split() == ["reload:new", "start:new", "reload:old", "start:old"]


def test_the_steps_of_a_system_service() -> None:
    lines = [says(step) for step in plan_install("system", facts(Path("/srv/no such store")), root=True)]
    name = "gardener@srv-no\\x20such\\x20store.service"
    assert lines == [
        f"write /etc/systemd/system/{name}",
        "run systemctl daemon-reload",
        f"run systemctl enable --now {name}",
    ]
    assert plan_uninstall(["system"], facts(Path("/srv/no such store")), root=False) == ()


def test_a_system_service_is_for_root() -> None:
    with pytest.raises(UsageError, match=r"for root to install: sudo .* --store /srv/store service install --system$"):
        plan_install("system", facts(Path("/srv/store")), root=False)


@pytest.mark.parametrize(("old", "new", "off"), [("user", "timer", SERVICE), ("timer", "user", TIMER)])
def test_one_flavour_is_there_instead_of_the_other(old: Kind, new: Kind, off: str, tmp_path: Path) -> None:
    given = facts(Path("/srv/store"), tmp_path)
    put(plan_install(old, given, root=False))
    steps = plan_install(new, given, root=False)
    lines = [says(step) for step in steps]
    stop = lines.index(f"run systemctl --user disable --now {off}")
    (start,) = (number for number, line in enumerate(lines) if "enable --now" in line)
    assert stop < start
    put(steps)
    assert tended_by(given.store, tmp_path) == (new,)


def test_a_service_of_its_owner_keeps_the_systems_out(tmp_path: Path) -> None:
    given = facts(Path("/srv/store"), tmp_path)
    put(plan_install("timer", given, root=False))
    with pytest.raises(
        UsageError, match="someone has a service for this store; as someone: gardener service uninstall"
    ):
        plan_install("system", given, root=True)


def as_before(kind: Kind, given: Facts) -> list[Path]:
    """The files under the names that earlier versions gave them: one for all stores."""
    names = {"user": "gardener", "timer": "gardener-tend", "launchd": "memory-gardener"}
    paths = []
    for path, text in units(kind, given).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        paths.append(path.with_name(names[kind] + path.suffix))
        paths[-1].write_text(text)
    return paths


@pytest.mark.parametrize("kind", EVERY)
def test_the_one_name_of_before_gives_way(kind: Kind, tmp_path: Path) -> None:
    given = facts(Path("/srv/store"), tmp_path)
    paths = as_before(kind, given)
    put(plan_install(kind, given, root=False))
    assert not any(path.exists() for path in paths)
    assert all(path.exists() for path in units(kind, given))
    as_before(kind, given)
    put(plan_uninstall(EVERY, given, root=False))
    assert tended_by(given.store, tmp_path) == ()


@pytest.mark.parametrize("kind", EVERY)
def test_what_tends_another_store_is_left_alone(kind: Kind, tmp_path: Path) -> None:
    given = facts(Path("/srv/store"), tmp_path)
    other = replace(given, store=Path("/srv/other"))
    put(plan_install(kind, other, root=False))
    paths = [*units(kind, other), *as_before(kind, other)]
    before = [path.read_text() for path in paths]
    assert plan_uninstall(EVERY, given, root=False) == ()
    put(plan_install(kind, given, root=False))
    put(plan_uninstall(EVERY, given, root=False))
    assert [path.read_text() for path in paths] == before


def test_a_file_that_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    given = facts(Path("/srv/store"), tmp_path)
    (path,) = units("user", given)
    path.parent.mkdir(parents=True)
    path.write_text("[Service]\n")
    with pytest.raises(UsageError, match="was not installed by gardener for this store"):
        plan_install("user", given, root=False)
    assert plan_uninstall(EVERY, given, root=False) == ()


def test_a_name_that_would_be_too_long_is_shortened() -> None:
    names = {next(iter(units("user", facts(Path("/srv") / ("ü" * 60 + end))))).name for end in "ab"}
    assert len(names) == 2
    assert all(len(name) < 60 for name in names)


def heartbeat(store: Path) -> Path:
    path = store / ".gardener" / "status.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    then = datetime(2026, 7, 10, 4, 30, tzinfo=UTC)
    write_status(path, Status(by="timer", pid=1, state="idle", beat=then, started=then, nightly=then.date()))
    return path


def test_uninstalling_takes_the_promise_back(tmp_path: Path) -> None:
    given = facts(tmp_path / "store", tmp_path)
    path = heartbeat(given.store)
    put(plan_install("timer", given, root=False))
    as_before("user", given)
    # One of two goes: the promise stands.
    assert Withdraw(path) not in plan_uninstall(["timer"], given, root=False)
    put(plan_uninstall(EVERY, given, root=False))
    status = read_status(path)
    assert status is not None
    assert (promises(status), status.next_nightly, str(status.nightly)) == (False, None, "2026-07-10")
    assert plan_uninstall(EVERY, given, root=False) == ()


def test_each_step_is_said_before_it_is_done(tmp_path: Path) -> None:
    said: list[str] = []
    path = tmp_path / "deep" / "unit"
    steps: list[Step] = [Write(path, "text"), Run((sys.executable, "-c", "raise SystemExit(3)"), may_fail=True)]
    carry_out(steps, said.append)
    assert path.read_text() == "text"
    assert said == [says(step) for step in steps]


FAIL = Run((sys.executable, "-c", "raise SystemExit(3)"))
FAILING: list[tuple[Step, str]] = [
    (FAIL, "ended with 3; nothing was changed"),
    (Run(("/absent/systemctl",)), "No such file or directory; nothing was changed"),
]


@pytest.mark.parametrize(("step", "reason"), FAILING)
def test_a_step_that_fails_is_named_and_those_before_it_are_undone(step: Step, reason: str, tmp_path: Path) -> None:
    old, new, rung = tmp_path / "old", tmp_path / "new", tmp_path / "rung"
    old.write_text("as it was")
    ring = Run((sys.executable, "-c", ""), undo=(sys.executable, "-c", f"open({str(rung)!r}, 'x')"))
    with pytest.raises(UsageError, match=f"{reason}. Do this instead$"):
        carry_out([Write(new, "x"), Write(old, "y"), Remove(old), ring, step], print, "Do this instead.")
    assert (old.read_text(), new.exists(), rung.exists()) == ("as it was", False, True)


def test_what_cannot_be_undone_is_said(tmp_path: Path) -> None:
    path = tmp_path / "unit"
    spoil = Run((sys.executable, "-c", f"import os; os.remove({str(path)!r}); os.mkdir({str(path)!r})"))
    with pytest.raises(PartialError, match=f"ended with 3; to undo it, delete {path} "):
        carry_out([Write(path, "x"), spoil, FAIL], print)


def test_what_may_fail_is_handed_back() -> None:
    may = replace(FAIL, may_fail=True)
    absent = Run(("/absent/systemctl",), may_fail=True)
    assert carry_out([may, Run((sys.executable, "-c", ""), may_fail=True), absent], print) == (may, absent)


def test_the_facts_of_a_store(tmp_path: Path) -> None:
    (tmp_path / "gardener.toml").write_text('[store]\nproposals = "inbox"\n[schedule]\nnightly = "23:15"\n')
    with open_store(tmp_path) as store:
        given = facts_of(store, Path("/home/someone"))
    assert given.owner == tmp_path.owner()
    assert given.group == tmp_path.group()
    assert [path.name for path in given.writable] == ["inbox", "reports", ".gardener"]
    assert given.nightly == "23:15"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give a folder away")
def test_an_owner_without_a_name_is_a_number(tmp_path: Path) -> None:
    os.chown(tmp_path, 54321, 54321)
    with open_store(tmp_path) as store:
        given = facts_of(store, Path("/home/someone"))
    assert (given.owner, given.group) == ("54321", "54321")


def test_each_kind_has_a_hint() -> None:
    given = facts(Path("/srv/store"))
    assert "sudo loginctl enable-linger someone" in advice("user", given)
    assert all("gardener daemon" in advice(kind, given) for kind in (*SYSTEMD, *EVERY))
    assert len({hint(kind) for kind in (*SYSTEMD, "launchd")}) == 3
    assert default_kind() == ("launchd" if sys.platform == "darwin" else "user")
