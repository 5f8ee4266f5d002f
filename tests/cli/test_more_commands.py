"""The less used corners of the command line."""

import json
import os
import sys
from datetime import datetime, timedelta
from typing import Any

import pytest

from gardener.daemon.status import Status, write_status
from gardener.review.decide import Decider
from gardener.storage.beneath import open_root
from gardener.storage.lock import hold_daemon
from tests.garden import NOW, Garden, days_ago, ulid
from tests.review.test_apply import four_copies


def test_only_one_member_of_a_group_by_file_or_letter(garden: Garden) -> None:
    identity = four_copies(garden)
    assert garden.run("apply", identity, "--only", "nowhere.md").code == 2
    ran = garden.run("apply", identity, "--only", "b.md", "--only", "D")
    assert ran.code == 0, ran.err
    assert [line.strip() for line in ran.text.splitlines()[1:]] == ["memory/p/b.md", "memory/p/d.md"]


def test_a_dry_run_of_what_was_decided(garden: Garden) -> None:
    identity = four_copies(garden)
    filed = garden.inbox.by_id[identity]
    garden.write(filed.path, filed.data.replace(b"pending ", b"accept B,C ", 1))
    before = garden.bytes()
    ran = garden.run("apply", "--decided", "--dry-run")
    assert f"would accept B,C {identity}" in ran.text
    assert [line.strip() for line in ran.text.splitlines()[1:]] == ["memory/p/b.md", "memory/p/c.md"]
    assert garden.bytes() == before
    garden.write(filed.path, filed.data.replace(b"pending ", b"perhaps ", 1))
    assert "not an answer" in garden.run("apply", "--decided", "--dry-run").err


@pytest.mark.parametrize("command", ["list", "tend"])
def test_an_answer_that_waits_or_cannot_be_read_is_said(garden: Garden, command: str) -> None:
    garden.stage("p/s", "Status: done")
    garden.memory("p/old", updated=days_ago(200))
    garden.tend()
    stage, old = garden.one("stale_stage"), garden.one("staleness")

    def said() -> list[str]:
        ran = garden.run(command)
        assert ran.code == 0
        lines = [*ran.text.splitlines(), *ran.err.splitlines()]
        return [line for line in lines if "to be applied" in line or line.startswith("problem")]

    assert said() == []
    garden.run("snooze", old.id, "--for", "14d")
    assert said() == []
    snoozed = (garden.path / old.path).read_bytes()
    garden.write(stage.path, stage.data.replace(b"- [ ] accept", b"- [x] accept", 1))
    one = "1 answer waits to be applied; gardener apply --decided carries it out."
    assert said() == [one]
    garden.write(old.path, snoozed.replace(b"pending ", b"maybe\\e[2J ", 1))
    (found, problem) = sorted(said())
    assert found == one
    assert problem.removeprefix("problem: ") in garden.run("apply", "--decided", "--dry-run").err
    assert problem.startswith(f"problem: {old.path}: not an answer: maybe")
    assert problem.removeprefix("problem: ") in garden.run("status").text
    garden.write(old.path, snoozed.replace(b"pending ", b"reject ", 1))
    assert said() == ["2 answers wait to be applied; gardener apply --decided carries them out."]
    garden.run("apply", "--decided")
    assert said() == []


def test_a_dry_run_ends_as_the_real_run_ends(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    garden.memory("p/old", updated=days_ago(200))
    garden.tend()
    stage, old = garden.one("stale_stage"), garden.one("staleness")
    garden.write(stage.path, stage.data.replace(b"pending ", b"accept ", 1))
    ran = garden.run("apply", "--decided", "--dry-run")
    assert (ran.code, ran.err) == (0, "")
    assert f"would accept {stage.id}: " in ran.text
    assert ran.text.splitlines()[1:] == ["  memory/p/s.md"]
    garden.write(old.path, old.data.replace(b"pending ", b"maybe ", 1))
    dry = garden.run("apply", "--decided", "--dry-run")
    assert dry.code == garden.run("apply", "--decided").code == 4
    for content, code in ((b"maybe ", 2), (b"accept ", 3)):
        garden.write(old.path, old.data.replace(b"pending ", content, 1))
        garden.memory("p/old", "Moved on.\n")
        before = garden.bytes()
        dry = garden.run("apply", "--decided", "--dry-run")
        assert garden.bytes() == before
        real = garden.run("apply", "--decided")
        assert (dry.code, dry.text) == (real.code, real.text) == (code, "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["apply", "X", "--decided"],
        ["apply", "--decided", "--choose", "a"],
        ["apply", "--pass", "dedup"],
        ["check", "a.md", "b.md", "--was", "c.md"],
        ["--store", "", "list"],
    ],
)
def test_options_that_do_not_go_together(garden: Garden, arguments: list[str]) -> None:
    garden.memory("p/a")
    assert garden.run(*arguments).code in {2, 6}


def test_nothing_to_do_is_said(garden: Garden) -> None:
    garden.memory("p/a", kind="convention")
    assert "Nothing to apply" in garden.run("apply", "--decided").err
    assert "Nothing was decided" in garden.run("log").err
    assert "No open proposals" in garden.run("list").err
    assert "Nothing to decide" in garden.run("review").err
    assert "No problems and no advice" in garden.run("check").err
    assert "No apply was interrupted" in garden.run("doctor", "--recover").text


def test_log_of_one_names_each_file_with_its_hashes(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    garden.tend()
    identity = garden.one().id
    garden.run("apply", identity)
    assert "memory/p/s.md: " in garden.run("log", identity).text
    entry = json.loads(garden.run("log", "--json").out)[0]
    assert len(entry["changes"][0]["before"]) == len(entry["changes"][0]["after"]) == 64
    assert "already" in garden.run("apply", identity).err
    garden.run("undo", identity)
    assert "undone" in garden.run("apply", identity).err
    assert json.loads(garden.run("status", "--json").out)["applied"] == 0


def test_the_lifecycle_by_hand(garden: Garden) -> None:
    garden.memory("p/a")
    garden.memory("p/b")
    assert garden.run("qualify", "p/a", "p/b").code == 0
    assert garden.run("supersede", "a", "b").code == 0
    assert garden.run("restore", "a").code == 0
    assert garden.run("archive", "a", "--reason", "not needed").code == 0
    assert garden.run("qualify", "b", "b").code == 2
    garden.memory("q/b")
    assert "more than one" in garden.run("archive", "b", "--reason", "x").err


def test_service_is_shown_before_anything_is_done(garden: Garden) -> None:
    garden.memory("p/a")
    for kind in ("--user", "--system", "--timer"):
        assert str(garden.path) in garden.run("service", "print", kind).text
    assert "nothing to uninstall" in garden.run("service", "uninstall", HOME=str(garden.path.parent)).err


# No manager answers there, whatever this machine runs.
NOBODY = {"XDG_RUNTIME_DIR": "/absent", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/absent"}


def test_without_a_service_manager_nothing_is_left_behind(garden: Garden) -> None:
    garden.memory("p/a")
    home = garden.path.parent / "home"
    ran = garden.run("service", "install", HOME=str(home), **NOBODY)
    assert ran.code == 2
    assert "nothing was changed" in ran.err
    assert "enable-linger" in ran.err
    assert [path for path in home.rglob("*") if path.is_file()] == []


def test_what_the_manager_could_not_be_told_is_not_called_done(garden: Garden) -> None:
    garden.memory("p/a")
    home = garden.path.parent / "home"
    environment = {"HOME": str(home), **manager(garden)}
    assert garden.run("service", "install", "--timer", **environment).code == 0
    ran = garden.run("service", "uninstall", HOME=str(home), **NOBODY)
    assert ran.code == 4
    assert "could not be told" in ran.err
    assert "Done" not in ran.text
    assert [path for path in home.rglob("*") if path.is_file()] == []


def manager(garden: Garden) -> dict[str, str]:
    """An environment in which systemctl takes every order and writes it down beside the store."""
    folder = garden.path.parent / "bin"
    folder.mkdir(exist_ok=True)
    program = folder / "systemctl"
    program.write_text(f'#!/bin/sh\necho "$@" >> {folder}/orders\n')
    program.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def test_uninstalling_takes_whatever_of_the_store_is_installed(garden: Garden) -> None:
    garden.memory("p/a")
    home = garden.path.parent / "home"
    environment = {"HOME": str(home), **manager(garden)}
    for kind in ("--timer", "--user"):
        ran = garden.run("service", "install", kind, **environment)
        assert (ran.code, "Done: " in ran.text) == (0, True), ran.err
    assert [path.suffix for path in home.rglob("*") if path.is_file()] == [".service"]
    assert "Still installed: user" in garden.run("service", "uninstall", "--timer", **environment).err
    ran = garden.run("service", "uninstall", **environment)
    assert (ran.code, "Done. " in ran.text) == (0, True), ran.err
    assert [path for path in home.rglob("*") if path.is_file()] == []
    orders = (garden.path.parent / "bin" / "orders").read_text()
    assert "--user disable --now gardener-tend@" in orders
    assert "--user disable --now gardener@" in orders
    assert "nothing to uninstall" in garden.run("service", "uninstall", **environment).err


NOBODY_TENDS = "no daemon or timer tends this store; gardener service install"
NEXT_YEAR = NOW + timedelta(days=365)


def beat(garden: Garden, **changes: Any) -> None:
    """The heartbeat of a daemon that is well, or as told."""
    fields: dict[str, Any] = {"by": "daemon", "pid": 1, "state": "idle", "beat": NOW, "started": NOW}
    fields["next_nightly"] = datetime(2026, 9, 2, 4, 30)
    write_status(garden.path / ".gardener" / "status.json", Status(**(fields | changes)))


def test_status_says_who_tends(garden: Garden) -> None:
    garden.memory("p/a", kind="convention")
    garden.tend()
    environment = {"HOME": str(garden.path.parent / "home"), **manager(garden)}
    assert NOBODY_TENDS in garden.run("status", **environment).text
    garden.run("service", "install", **environment)
    assert "did not run yet" in garden.run("status", **environment).text
    beat(garden)
    ran = garden.run("status", **environment)
    assert ("2026-09-02 04:30" in ran.text, "service" in ran.text, ran.code) == (True, False, 0)
    beat(garden, state="stopped")
    ran = garden.run("status", now=NEXT_YEAR, **environment)
    assert ("was stopped" in ran.text, "04:30" in ran.text, ran.code) == (True, False, 0)


def test_settings_that_cannot_be_read_keep_no_service_from_being_taken_away(garden: Garden) -> None:
    environment = {"HOME": str(garden.path.parent / "home"), **manager(garden)}
    assert garden.run("service", "install", **environment).code == 0
    garden.settings("[schedule")
    assert garden.run("service", "install", **environment).code == 2
    ran = garden.run("service", "uninstall", **environment)
    assert (ran.code, "Done." in ran.text) == (0, True)


def test_no_service_is_installed_beside_a_daemon_in_the_foreground(garden: Garden) -> None:
    (garden.path / "proposals").mkdir(exist_ok=True)
    environment = {"HOME": str(garden.path.parent / "home"), **manager(garden)}
    with open_root(garden.path) as root, hold_daemon(root):
        ran = garden.run("service", "install", **environment)
    assert (ran.code, ran.err.split(";")[0]) == (2, "gardener: a daemon is running for this store")
    assert garden.run("service", "install", **environment).code == 0


@pytest.mark.parametrize("by", ["daemon", "timer"])
def test_a_promise_that_was_not_kept_is_late_until_it_is_taken_back(garden: Garden, by: str) -> None:
    garden.memory("p/a", kind="convention")
    garden.tend()
    environment = {"HOME": str(garden.path.parent / "home"), **manager(garden)}
    beat(garden, by=by)
    # Killed, or its timer never came: nothing took it back.
    assert garden.run("status", now=NEXT_YEAR, **environment).code == 4
    assert garden.run("service", "uninstall", **environment).code == 0
    ran = garden.run("status", now=NEXT_YEAR, **environment)
    assert (NOBODY_TENDS in ran.text, "04:30" in ran.text, ran.code) == (True, False, 0)
    assert json.loads(garden.run("status", "--json", **environment).out)["untended"] == NOBODY_TENDS


@pytest.mark.parametrize(
    ("header", "says", "asked"),
    [
        ("Status: open", "kind stage, open: never asked about for its age while it is live (stale_stage)", False),
        ("Status: done", "kind stage, done: asked about where it stays so (stale_stage)", True),
        ("Underway.", "kind stage, unknown: asked about where it stays so (stale_stage)", True),
    ],
)
def test_why_says_the_same_of_a_stage_as_its_pass(garden: Garden, header: str, says: str, asked: bool) -> None:
    garden.stage("p/s", header)
    garden.tend()
    lines = [line.strip() for line in garden.run("why", "p/s").text.splitlines()]
    assert says in lines
    assert any(line.startswith("open: ") for line in lines) == asked


def test_why_tells_what_was_decided_and_what_waits(garden: Garden) -> None:
    garden.settings("[limits]\nmax_pending = 1\n")
    garden.memory("p/old", updated=days_ago(200))
    garden.memory("p/older", updated=days_ago(300))
    garden.memory("p/undated", created=None, updated=None)
    garden.memory("p/gone", invalid_at=days_ago(3), superseded_by=ulid(1))
    garden.memory("p/rule", "See [[gone]].\n", kind="constraint", favorite="true")
    garden.tend()
    assert "not asked" in garden.run("why", "old").text
    assert "age unknown" in garden.run("why", "p/undated").text
    assert "inactive since" in garden.run("why", "gone").text
    rule = garden.run("why", "memory/p/rule.md").text
    assert "never asked about for its age" in rule
    assert "favourite" in rule
    gone = garden.run("why", "gone").text
    assert ("retired: never asked about" in gone, "memory/p/rule.md links to it" in gone) == (True, True)
    assert "protected" not in gone
    garden.run("reject", garden.one().id)
    assert "keep on 2026-09-01" in garden.run("why", "older", "--json").text
    garden.memory("q/old")
    assert "more than one" in garden.run("why", "old").err


def test_a_damaged_cache_is_replaced(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    garden.tend()
    before = garden.bytes()
    garden.write(".gardener/cache.sqlite", b"not a database" * 100)
    assert garden.run("tend").code == 0
    assert garden.bytes() == before
    (garden.path / ".gardener/cache.sqlite").unlink()
    (garden.path / ".gardener/cache.sqlite").symlink_to(garden.path / "elsewhere")
    assert garden.run("tend").code == 0
    assert not (garden.path / "elsewhere").exists()


def test_a_bug_is_exit_seventy_and_quotes_no_memory(garden: Garden) -> None:
    garden.memory("p/a")
    script = (
        "import sys\nimport gardener.tend.run as run\n"
        "def fails(*a, **k):\n    raise ValueError('text of a memory')\n"
        "import gardener.cli.tend as cli\ncli.tend = fails\n"
        "from gardener.__main__ import main\nsys.argv = ['gardener', 'tend']\nmain()\n"
    )
    import subprocess

    done = subprocess.run([sys.executable, "-c", script], cwd=garden.path, capture_output=True, text=True, check=False)
    assert done.returncode == 70
    assert "a bug in gardener: ValueError" in done.stderr
    assert "text of a memory" not in done.stderr


def test_an_output_nobody_reads_is_no_error(garden: Garden) -> None:
    garden.memory("p/a")
    import subprocess

    command = f"{sys.executable} -m gardener explain | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=garden.path, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] in {"0", "141"}


def test_what_the_system_refuses_is_said_with_what_to_do(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    garden.tend()
    identity = garden.one().id
    blocked = garden.path / "proposals/applied"
    blocked.write_text("a file where a folder should be")
    ran = garden.run("apply", identity)
    assert ran.code == 4
    assert "run it again" in ran.err
    assert "Traceback" not in ran.err


def test_doctor_looks_the_store_over(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    garden.tend()
    assert garden.run("doctor").code == 0
    garden.write("proposals/pending/dedup-x-AAAAAA.md", "no front matter\n")
    filed = garden.one()
    garden.write(f"proposals/rejected/{filed.path.rsplit('/', 1)[-1]}", filed.data)
    ran = garden.run("doctor")
    assert ran.code == 4
    assert "no front matter" in ran.text
    garden.git("init", "-q")
    garden.write(".git/MERGE_HEAD", "")
    assert "in the middle" in garden.run("doctor").text


def test_swap_and_fold_where_they_cannot_be(garden: Garden) -> None:
    from gardener.errors import UsageError
    from gardener.review.replan import folded, swapped

    garden.stage("p/s", "Status: done")
    garden.tend()
    identity = four_copies(garden)
    stage, group = garden.one("stale_stage"), garden.inbox.by_id[identity]
    with garden.open() as store:
        for attempt in (
            lambda: swapped(store, stage, "A"),
            lambda: folded(store, stage),
            lambda: swapped(store, group, "Z"),
        ):
            with pytest.raises(UsageError):
                attempt()
        garden.memory("p/a", kind="constraint", id=ulid(97))
        with pytest.raises(UsageError, match="constraint"):
            swapped(store, group, "B")
    with garden.decider(NOW) as decider:
        assert isinstance(decider, Decider)


def test_nothing_is_announced_where_no_judge_is_set(garden: Garden) -> None:
    garden.memory("p/a")
    ran = garden.run("judge", "--run")
    assert ran.code == 2
    assert ran.err.startswith("gardener: no judge is set")


def test_the_table_of_a_run_says_what_became_of_the_rest(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    assert "more share" not in garden.run("tend").text
    filed = garden.one()
    garden.write(filed.path, filed.data.replace(b"pending ", b"accept ", 1))
    assert "1 more share a proposal with others, or wait" in garden.run("tend").text
