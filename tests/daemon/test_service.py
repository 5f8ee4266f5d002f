"""Units as they are filled in, what systemd says of them, and the steps of installing and taking away."""

import os
import plistlib
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gardener.config.store import open_store
from gardener.daemon.service import (
    Remove,
    Run,
    Step,
    Write,
    carry_out,
    default_kind,
    hint,
    plan_install,
    plan_uninstall,
    says,
)
from gardener.daemon.units import Facts, Kind, facts_of, program_folders, templates, this_command, unit_escape, units
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
    assert agent["StandardErrorPath"] == "/home/someone/Library/Logs/memory-gardener.log"


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
            "write {home}/.config/systemd/user/gardener.service",
            "run systemctl --user daemon-reload",
            "run systemctl --user enable --now gardener.service",
        ],
        [
            "run systemctl --user disable --now gardener.service",
            "delete {home}/.config/systemd/user/gardener.service",
            "run systemctl --user daemon-reload",
        ],
    ),
    (
        "timer",
        [
            "write {home}/.config/systemd/user/gardener-tend.service",
            "write {home}/.config/systemd/user/gardener-tend.timer",
            "run systemctl --user daemon-reload",
            "run systemctl --user enable --now gardener-tend.timer",
        ],
        [
            "run systemctl --user disable --now gardener-tend.timer",
            "delete {home}/.config/systemd/user/gardener-tend.service",
            "delete {home}/.config/systemd/user/gardener-tend.timer",
            "run systemctl --user daemon-reload",
        ],
    ),
    (
        "launchd",
        [
            "write {home}/Library/LaunchAgents/memory-gardener.plist",
            "run launchctl load -w {home}/Library/LaunchAgents/memory-gardener.plist",
        ],
        [
            "run launchctl unload -w {home}/Library/LaunchAgents/memory-gardener.plist",
            "delete {home}/Library/LaunchAgents/memory-gardener.plist",
        ],
    ),
]


@pytest.mark.parametrize(("kind", "install", "uninstall"), PLANS, ids=[row[0] for row in PLANS])
def test_the_steps(kind: Kind, install: list[str], uninstall: list[str], tmp_path: Path) -> None:
    given = facts(Path("/srv/store"), tmp_path)
    assert plan_uninstall(kind, given) == ()
    steps = plan_install(kind, given)
    assert [says(step) for step in steps] == [line.format(home=tmp_path) for line in install]
    carry_out([step for step in steps if isinstance(step, Write)], print)
    steps = plan_uninstall(kind, given)
    assert [says(step) for step in steps] == [line.format(home=tmp_path) for line in uninstall]
    carry_out([step for step in steps if isinstance(step, Remove)], print)
    assert plan_uninstall(kind, given) == ()


def test_the_steps_of_a_system_service() -> None:
    lines = [says(step) for step in plan_install("system", facts(Path("/srv/no such store")))]
    name = "gardener@srv-no\\x20such\\x20store.service"
    assert lines == [
        f"write /etc/systemd/system/{name}",
        "run systemctl daemon-reload",
        f"run systemctl enable --now {name}",
    ]
    assert plan_uninstall("system", facts(Path("/srv/no such store"))) == ()


@pytest.mark.parametrize("kind", ["user", "launchd"])
def test_what_tends_another_store_is_left_alone(kind: Kind, tmp_path: Path) -> None:
    given = facts(Path("/srv/store"), tmp_path)
    carry_out([step for step in plan_install(kind, given) if isinstance(step, Write)], print)
    other = replace(given, store=Path("/srv/other"))
    with pytest.raises(UsageError, match="was not installed by gardener for this store"):
        plan_install(kind, other)
    with pytest.raises(UsageError, match="was not installed by gardener for this store"):
        plan_uninstall(kind, other)
    assert plan_install(kind, given)


def test_each_step_is_said_before_it_is_done(tmp_path: Path) -> None:
    said: list[str] = []
    path = tmp_path / "deep" / "unit"
    steps: list[Step] = [Write(path, "text"), Run((sys.executable, "-c", "raise SystemExit(3)"), may_fail=True)]
    carry_out(steps, said.append)
    assert path.read_text() == "text"
    assert said == [says(step) for step in steps]


FAILING: list[tuple[Step, str]] = [
    (Run((sys.executable, "-c", "raise SystemExit(3)")), "ended with 3"),
    (Run(("/absent/systemctl",)), "No such file or directory"),
]


@pytest.mark.parametrize(("step", "reason"), FAILING)
def test_a_step_that_fails_is_named(step: Step, reason: str) -> None:
    with pytest.raises(PartialError, match=reason):
        carry_out([step], print)


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
    assert len({hint(kind) for kind in (*SYSTEMD, "launchd")}) == 3
    assert default_kind() == ("launchd" if sys.platform == "darwin" else "user")
