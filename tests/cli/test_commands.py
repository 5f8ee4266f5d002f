"""The command line as it is used: real processes, one line of error, the documented exit codes."""

import json
from datetime import timedelta

import pytest

from tests.garden import NOW, Garden, days_ago


@pytest.fixture
def rotten(garden: Garden) -> Garden:
    garden.stage("p/done", "Status: done")
    garden.memory("p/old", "Old text.\n", updated=days_ago(100))
    garden.memory("p/fine", "Fine text.\n")
    garden.tend()
    return garden


def test_tend_list_show_apply_undo_log(rotten: Garden) -> None:
    before = rotten.memories()
    rows = json.loads(rotten.run("list", "--json").out)
    assert [(row["pass"], row["state"], row["risk"]) for row in rows] == [
        ("stale_stage", "pending", "safe"),
        ("staleness", "pending", "judgement"),
    ]
    identity = rows[0]["id"]
    assert rotten.run("show", identity[:4].lower()).text.startswith("---\ndecision: pending")
    applied = rotten.run("apply", identity)
    assert (applied.code, f"gardener undo {identity}" in applied.err) == (0, True)
    assert rotten.memories() != before
    assert [row["did"] for row in json.loads(rotten.run("log", "--json").out)] == ["apply"]
    assert rotten.run("undo", identity).code == 0
    listed = rotten.run("list", "--state", "applied").text
    assert (identity in listed, "undone" in listed, "applied" in listed) == (True, True, False)
    (row,) = json.loads(rotten.run("list", "--state", "applied", "--json").out)
    assert (row["state"], row["undone"]) == ("applied", True)
    assert rotten.memories() == before
    assert rotten.run("apply", "--pass", "stale_stage", "--risk", "safe").code == 0
    assert rotten.run("snooze", rows[1]["id"], "--for", "14d").code == 0
    assert json.loads(rotten.run("list", "--json").out)[0]["state"] == "snoozed"
    assert rotten.run("reject", rows[1]["id"], "--hide").code == 0
    assert {row["state"] for row in json.loads(rotten.run("list", "--state", "all", "--json").out)} == {
        "applied",
        "hidden",
    }


def test_tend_json_has_the_documented_fields(rotten: Garden) -> None:
    got = json.loads(rotten.run("tend", "--json").out)
    assert {"store", "now", "memories", "notes", "problems", "passes", "proposals", "report"} <= set(got)
    fields = {"name", "status", "found", "new", "kept", "withdrawn", "held_back", "seconds"}
    assert all(fields <= set(row) for row in got["passes"])
    fields = {"id", "pass", "state", "risk", "score", "summary", "path", "code", "base", "edits", "choices"}
    assert all(fields <= set(row) for row in got["proposals"])


def test_check_exits_one_while_anything_is_open(rotten: Garden) -> None:
    assert rotten.run("tend", "--check").code == 1
    for row in json.loads(rotten.run("list", "--json").out):
        rotten.run("reject", row["id"])
    assert rotten.run("tend", "--check").code == 0


def test_a_dry_run_writes_nothing(garden: Garden) -> None:
    garden.stage("p/done", "Status: done")
    ran = garden.run("tend", "--dry-run")
    assert "1 proposal would be written" in ran.text
    assert set(garden.bytes()) == {"gardener.toml", "memory/p/done.md"}
    assert not (garden.path / ".gardener").exists()


def test_why_status_explain_config_doctor_report(rotten: Garden) -> None:
    assert "open: " in rotten.run("why", "p/old").text
    rotten.memory("p/linker", "[[old]]\n")
    assert "protected: memory/p/linker.md links to it" in rotten.run("why", "memory/p/old.md").text
    assert "pending" in rotten.run("status").text
    assert "What it proposes" in rotten.run("explain", "staleness").text
    assert "staleness" in rotten.run("explain").text
    shown = rotten.run("config").text
    assert "passes.stale_stage.days = 14  # default" in shown
    rotten.settings("[passes.stale_stage]\ndays = 15\n")
    assert "passes.stale_stage.days = 15\n" in rotten.run("config", "show").text
    assert rotten.run("config", "validate").code == 0
    assert "schedule.nightly = 04:30 (default)" in rotten.run("doctor").text
    assert rotten.run("report").text.startswith("# Gardener report, 2026-09-01")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["apply", "ZZZZZZ"], 2, "no such proposal"),
        (["apply"], 2, "name proposals"),
        (["show", "ZZZZZZ"], 2, "no such proposal"),
        (["tend", "--pass", "nothing"], 2, "no such pass"),
        (["list", "--pass", "nothing"], 2, "no such pass"),
        (["review", "--pass", "staleness"], 0, ""),
        (["review", "--pass", "dedup"], 0, "Nothing to decide"),
        (["review", "--pass", "nothing"], 2, "--pass nothing: no such pass; the passes are associations, "),
        (["apply", "--pass", "dedup", "--risk", "safe"], 0, "Nothing to apply"),
        (["apply", "--pass", "nothing", "--risk", "safe"], 2, "--pass nothing: no such pass; the passes are asso"),
        (["apply", "--pass", "nothing", "--risk", "safe", "--dry-run"], 2, "no such pass"),
        (["tnd"], 2, "did you mean tend"),
        (["--now", "yesterday", "tend"], 2, "--now yesterday"),
        (["supersede", "fine", "nowhere"], 2, "no such memory"),
        (["supersede", "fine", "fine"], 2, "itself"),
        (["restore", "fine"], 2, "is active"),
        (["archive", "fine", "--reason", " "], 2, "reason"),
        (["snooze", "ZZZZZZ", "--for", "ever"], 2, "14d"),
        (["explain", "nothing"], 2, "no such pass"),
        (["why", "nothing"], 2, "no such memory"),
        (["--store", "/nonexistent", "list"], 6, "no store"),
        (["init", "gardener.toml"], 2, "is a file"),
    ],
)
def test_an_error_is_one_line_with_its_code(rotten: Garden, arguments: list[str], code: int, says: str) -> None:
    before = rotten.bytes()
    ran = rotten.run(*arguments)
    assert ran.code == code
    assert says in ran.err
    assert "Traceback" not in ran.err
    assert rotten.bytes() == before


def test_no_store_is_exit_six(garden: Garden) -> None:
    (garden.path / "gardener.toml").unlink()
    ran = garden.run("list")
    assert (ran.code, "gardener init" in ran.err) == (6, True)


def test_a_stale_decision_is_exit_three(rotten: Garden) -> None:
    rotten.memory("p/old", "New text.\n")
    row = next(row for row in json.loads(rotten.run("list", "--json").out) if row["pass"] == "staleness")
    assert rotten.run("apply", row["id"]).code == 3


def test_a_batch_with_one_failure_is_exit_four(rotten: Garden) -> None:
    rows = json.loads(rotten.run("list", "--json").out)
    rotten.memory("p/old", "New text.\n")
    ran = rotten.run("apply", *(row["id"] for row in rows))
    assert ran.code == 4
    assert "applied" in ran.text
    assert "memory/p/old.md" in ran.err


def test_init_adopts_what_agents_load_whole(garden: Garden) -> None:
    other = Garden(garden.path.parent / "agent")
    for name in ("one", "two"):
        other.write(f"mem/{name}.md", f"---\nname: {name}\ndescription: d\ntype: user\n---\nText {name}.\n")
    other.write("mem/MEMORY.md", "- [one](one.md)\n- [two](two.md)\n- [x](x.md)\n")
    before = other.memories()
    ran = other.run("init", "mem")
    assert ran.code == 0
    assert "mem: Claude Code memory" in ran.text
    assert 'memory = ["mem"]' in (other.path / "gardener.toml").read_text()
    assert (other.path / "proposals/.gitattributes").read_text().startswith("* text eol=lf\nconflicts/** -text\n")
    assert {path: other.memories()[path] for path in before} == before
    again = other.run("init", "mem")
    assert "left as it is" in again.text


@pytest.mark.parametrize(
    ("files", "memory"),
    [
        (["docs/memory/a.md", "docs/memory/p/b.md"], ["docs/memory"]),
        (["a.md", "x/b.md"], ["."]),
        (["memory/a.md", "README.md"], ["memory"]),
        ([".claude/memory/a.md"], [".claude/memory"]),
        (
            [".claude/canonical-memory/a.md", ".claude/projects/x/memory/b.md"],
            [".claude/canonical-memory", ".claude/projects/x/memory"],
        ),
        ([], ["memory"]),
    ],
)
def test_init_finds_where_the_markdown_is(garden: Garden, files: list[str], memory: list[str]) -> None:
    other = Garden(garden.path.parent / "other")
    other.path.mkdir()
    for path in files:
        other.write(path, "Text.\n")
    assert other.run("init").code == 0
    assert f"memory = {json.dumps(memory)}" in (other.path / "gardener.toml").read_text()
    for path in files:
        assert (other.path / path).read_text() == "Text.\n"


def test_memory_text_reaches_the_terminal_as_visible_escapes(garden: Garden) -> None:
    garden.stage("p/s", "Status: done", description='"\\e[31mred\\u202e"', body="\n- [ ] x\x1b[2Jy\u200b\n")
    garden.tend()
    for arguments in (["list"], ["show", garden.one().id], ["report"], ["why", "p/s"], ["log"]):
        ran = garden.run(*arguments)
        assert b"\x1b" not in ran.out
        assert "\u202e" not in ran.text
        assert "\u200b" not in ran.text


def test_late_promises_are_exit_four(rotten: Garden) -> None:
    (rotten.path / "memory/p/fine.md").unlink()
    rotten.tend(NOW + timedelta(days=1))
    ran = rotten.run("status")
    assert ran.code == 4
    assert "memory/p/fine.md" in ran.text
