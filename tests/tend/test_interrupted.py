"""After a run or an apply that was killed, or that the system hindered, the next one finds what it would have found."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from gardener.errors import StaleError
from gardener.proposals.answers import Answer
from gardener.review import by_hand
from gardener.review.undo import undo
from gardener.storage.beneath import Root
from gardener.storage.commit import record
from gardener.storage.journal import DONE
from gardener.tend import run
from tests.garden import NOW, Garden

TOO_LARGE = (64 << 20) + 1


def refuse(path: Path) -> None:
    """Make it a file that is not shown: root may read all others."""
    with path.open("wb") as huge:
        huge.truncate(TOO_LARGE)


@contextmanager
def killed_when_written() -> Iterator[None]:
    """A run in here ends when its proposals are written and nothing else is."""
    carry_out = run._carry_out

    def die(*arguments: Any) -> None:
        carry_out(*arguments)
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "_carry_out", die)
        with pytest.raises(KeyboardInterrupt):
            yield


@contextmanager
def killed_before_the_end() -> Iterator[None]:
    """An apply in here ends when every file is in place and nobody has called it done."""
    enter = record.enter

    def die(root: Root, state: str) -> None:
        if state == DONE:
            raise KeyboardInterrupt
        enter(root, state)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(record, "enter", die)
        with pytest.raises(KeyboardInterrupt):
            yield


def test_what_a_killed_run_wrote_is_not_a_persons(garden: Garden) -> None:
    path = garden.stage("p/s", "Status: done")
    garden.tend()
    path.write_text(path.read_text() + "One more line.\n")
    with killed_when_written():
        garden.tend()
    garden.tend()
    path.write_text(path.read_text().replace("Status: done", "Status: open"))
    garden.tend()
    assert garden.pending() == []


def test_what_a_killed_run_withdrew_was_not_removed_by_hand(garden: Garden) -> None:
    path = garden.stage("p/s", "Status: done")
    text = path.read_text()
    garden.tend()
    path.write_text(text.replace("Status: done", "Status: open"))
    with killed_when_written():
        garden.tend()
    path.write_text(text)
    garden.tend()
    assert len(garden.pending()) == 1


def test_a_loss_is_told_by_the_run_after_a_killed_one(garden: Garden) -> None:
    path = garden.memory("p/a")
    garden.memory("p/b")
    garden.tend()
    path.unlink()
    with killed_when_written():
        garden.tend()
    assert "memory/p/a.md" in garden.tend().alarms[0]


def test_a_loss_is_an_alarm_until_the_day_it_was_reported_on_is_over(garden: Garden) -> None:
    path = garden.memory("p/a")
    garden.memory("p/b")
    garden.tend()
    path.unlink()
    yesterday = NOW + timedelta(hours=1)
    assert garden.tend(yesterday, mode="refresh").alarms, "a refresh writes no report"
    result = garden.tend(NOW + timedelta(days=1))
    assert b"Look at this first" in garden.bytes()[result.report]
    before = garden.bytes()
    assert garden.tend(NOW + timedelta(days=1, hours=1)).alarms
    assert garden.bytes() == before
    assert garden.tend(NOW + timedelta(days=2)).alarms == ()


def test_a_loss_that_is_made_good_is_no_alarm(garden: Garden) -> None:
    path = garden.memory("p/a")
    garden.memory("p/b")
    garden.tend()
    data = path.read_bytes()
    path.unlink()
    assert garden.tend(mode="refresh").alarms
    path.write_bytes(data)
    assert garden.tend().alarms == ()


def test_what_was_not_shown_for_a_while_and_then_vanished_is_a_loss(garden: Garden) -> None:
    path = garden.memory("p/a")
    garden.memory("p/b")
    garden.tend()
    refuse(path)
    assert garden.tend().alarms == ()
    path.unlink()
    assert "memory/p/a.md" in garden.tend().alarms[0]


def test_a_copy_left_in_pending_of_what_was_decided_goes_unless_somebody_marked_it(garden: Garden) -> None:
    for name in "ab":
        garden.stage(f"{name}/s", "Status: done")
    garden.tend()
    plain, marked = garden.pending()
    with garden.decider() as decider:
        for filed in (plain, marked):
            decider.answer(filed.id, Answer("reject"))
    garden.write(plain.path, plain.data)
    garden.write(marked.path, marked.data.replace(b"- [ ] accept", b"- [x] accept", 1))
    garden.tend()
    left = [path.name for path in (garden.path / "proposals/pending").glob("*.md")]
    assert [f"proposals/pending/{name}" for name in left] == [marked.path]


def test_applying_what_a_crash_has_moved_already_ends_the_rest(garden: Garden) -> None:
    """The proposal lies in applied/, and the record of the apply is still open."""
    garden.stage("p/s", "Status: done")
    garden.tend()
    filed = garden.one()
    with killed_before_the_end(), garden.decider() as decider:
        decider.answer(filed.id, Answer("accept"))
    assert list((garden.path / ".gardener/journal").glob("*"))
    assert garden.run("apply", filed.id).code == 2, "it is decided already"
    assert not list((garden.path / ".gardener/journal").glob("*"))
    assert not list(garden.path.rglob(".gardener-*"))


def test_a_proposal_rewritten_by_a_killed_apply_is_not_a_persons(garden: Garden) -> None:
    path = garden.memory("p/gate", "The gate opens at nine on working days.\n", kind="gocha", description=None)
    garden.tend()
    with killed_before_the_end(), garden.decider() as decider:
        decider.answer(garden.pending("identity")[0].id, Answer("accept"))
    assert garden.run("doctor", "--recover").code == 0
    assert len(garden.pending("description")) == 1
    path.write_text(path.read_text().replace("\nname: ", "\ndescription: given by hand\nname: "))
    garden.tend()
    assert garden.pending("description") == []


def test_a_damaged_cache_is_named_once_and_made_anew(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    garden.tend()
    cache = garden.path / ".gardener/cache.sqlite"
    data = cache.read_bytes()
    size = sqlite3.connect(cache).execute("pragma page_size").fetchone()[0]
    cache.write_bytes(data[:size] + b"\xff" * (len(data) - size))
    ran = garden.run("tend")
    assert (ran.code, "made anew" in ran.err) == (4, True)
    assert garden.run("tend").code == 0
    assert len(garden.pending()) == 1


def test_undoing_beside_a_memory_that_is_not_shown_waits(garden: Garden) -> None:
    words = "The same few words about the deploy in both files.\n"
    for letter in "ab":
        garden.memory(f"p/deploy-{letter}", words, description="the deploy")
    garden.tend()
    with garden.decider() as decider:
        done = decider.answer(garden.one("dedup").id, Answer("accept"))
    (kept,) = ({"memory/p/deploy-a.md", "memory/p/deploy-b.md"}) - set(done.paths)
    data = (garden.path / kept).read_bytes()
    refuse(garden.path / kept)
    with garden.decider() as decider, pytest.raises(StaleError, match="run it again"):
        undo(decider, done.id)
    (garden.path / kept).write_bytes(data)
    with garden.decider() as decider:
        undo(decider, done.id)
    assert len(garden.pending("dedup")) == 1


def test_nothing_is_archived_while_links_may_be_unheard(garden: Garden) -> None:
    garden.memory("p/a")
    refuse(garden.memory("p/b"))
    with garden.decider() as decider, pytest.raises(StaleError, match="may link"):
        by_hand.archive(decider, "a", "old")
    (garden.path / "memory/p/b.md").unlink()
    with garden.decider() as decider:
        by_hand.archive(decider, "a", "old")
