"""A run beside a person and beside decisions: it gives way, and looks again."""

import shutil
from collections.abc import Callable, Iterator
from datetime import datetime

import pytest

from gardener.errors import StaleError
from gardener.model.finding import Finding
from gardener.model.snapshot import Snapshot
from gardener.passes import discover
from gardener.passes.base import Pass, PassSettings
from gardener.proposals.answers import Answer
from gardener.review.undo import undo
from gardener.storage import rename
from gardener.tend import passes as running
from tests.garden import Garden, days_ago


@pytest.mark.parametrize("call", ["exchange", "name_free"])
def test_a_save_at_the_very_moment_of_a_write_stays(garden: Garden, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    """`exchange` is how a changed proposal is written, `name_free` how a withdrawn one goes."""
    path = garden.stage("p/s", "Status: done")
    garden.stage("q/other", "Status: done")
    garden.tend()
    filed = next(one for one in garden.pending() if "-s-" in one.path)
    mine = filed.data.replace(b"## Why", b"A remark of mine.\n\n## Why", 1)
    new = b"Status: open" if call == "name_free" else b"Status: done\n\n- [ ] one more thing"
    path.write_bytes(path.read_bytes().replace(b"Status: done", new))
    real: Callable[..., bool] = getattr(rename, call)
    saved = []

    def saving_first(*arguments: int | str) -> bool:
        if filed.path.rsplit("/", 1)[-1] in arguments and not saved:
            saved.append(garden.write(f"{filed.path}.editor", mine).rename(garden.path / filed.path))
        return real(*arguments)

    monkeypatch.setattr(rename, call, saving_first)
    garden.tend()
    assert saved, "the run has to have come to that write"
    assert (garden.path / filed.path).read_bytes() == mine
    assert not list((garden.path / "proposals/pending").glob(".gardener-*"))
    monkeypatch.undo()
    if call == "name_free":
        garden.tend()
        assert (garden.path / filed.path).read_bytes() == mine, "nor does the next run take it for our own"


def deciding(garden: Garden, decisions: Iterator[Callable[[], object]]) -> Pass:
    """A pass that finds nothing, and during which somebody decides something else each time."""

    def find(snapshot: Snapshot, settings: PassSettings, now: datetime) -> list[Finding]:
        next(decisions, lambda: None)()
        return []

    (first,) = (one for one in discover() if one.name == "craft")
    return Pass(first.name, first.settings, find)


def reject(garden: Garden, identity: str) -> None:
    with garden.decider() as decider:
        decider.answer(identity, Answer("reject"))


def test_a_run_overtaken_by_a_decision_is_repeated(garden: Garden, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the passes had found before the rejection must not be asked again after it."""
    for name in "ab":
        garden.stage(f"{name}/s", "Status: done")
    garden.tend()
    first, second = sorted(one.id for one in garden.pending())
    rejections = iter([lambda: reject(garden, first), lambda: reject(garden, second)])
    overtaken = tuple(deciding(garden, rejections) if one.name == "craft" else one for one in discover())
    monkeypatch.setattr(running, "discover", lambda: overtaken)
    result = garden.tend()
    assert next(rejections, None) is None, "it has to have looked again"
    assert result.inbox.pending == ()
    assert {one.id for one in result.inbox.decided} == {first, second}
    assert b"0 decided" not in garden.bytes()[result.report]


def test_a_run_that_is_overtaken_every_time_gives_up_and_says_so(
    garden: Garden, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abcd":
        garden.stage(f"{name}/s", "Status: done")
    garden.tend()
    before = garden.bytes()
    rejections = iter([lambda identity=one.id: reject(garden, identity) for one in garden.pending()])
    overtaken = tuple(deciding(garden, rejections) if one.name == "craft" else one for one in discover())
    monkeypatch.setattr(running, "discover", lambda: overtaken)
    with pytest.raises(StaleError, match="decided while this run looked"):
        garden.tend()
    assert next(rejections, None) is not None, "three times, and no more"
    assert {path for path in garden.bytes() if "/pending/" in path} < set(before)


def test_a_run_overtaken_by_an_undo_files_nothing_as_done_by_hand(
    garden: Garden, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the run read is retired still; the proposal that is open again must not look carried out."""
    path = garden.stage("p/s", "Status: done")
    garden.tend()
    identity = garden.one().id
    active = path.read_bytes()
    with garden.decider() as decider:
        decider.answer(identity, Answer("accept"))

    def take_back() -> None:
        with garden.decider() as decider:
            undo(decider, identity)

    overtaken = tuple(deciding(garden, iter([take_back])) if one.name == "craft" else one for one in discover())
    monkeypatch.setattr(running, "discover", lambda: overtaken)
    garden.tend()
    assert path.read_bytes() == active
    assert [one.document.proposal.decided for one in garden.pending()] == [()]


def test_what_an_undo_opens_again_may_be_deleted_for_good(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    garden.tend()
    with garden.decider() as decider:
        identity = garden.one().id
        decider.answer(identity, Answer("accept"))
        undo(decider, identity)
    (garden.path / garden.one().path).unlink()
    garden.tend()
    assert garden.pending() == []


def test_a_decision_that_came_to_nothing_leaves_a_store_without_cache_fit_to_be_tended(garden: Garden) -> None:
    path = garden.stage("p/s", "Status: done")
    garden.tend()
    shutil.rmtree(garden.path / ".gardener")
    before = garden.bytes()
    with path.open("ab"), garden.decider() as decider, pytest.raises(StaleError, match="open for writing"):
        decider.answer(garden.one().id, Answer("accept"))
    garden.tend()
    assert garden.bytes() == before


def test_a_decision_that_came_to_nothing_expects_nothing(garden: Garden) -> None:
    """The file whose apply was refused may still be deleted by hand, and then stays away."""
    path = garden.stage("p/s", "Status: done")
    garden.tend()
    filed = garden.one()
    with path.open("ab"), garden.decider() as decider, pytest.raises(StaleError, match="open for writing"):
        decider.answer(filed.id, Answer("accept"))
    (garden.path / filed.path).unlink()
    garden.tend()
    assert garden.pending() == []


def test_two_passes_without_room_cost_no_open_file_its_place(garden: Garden) -> None:
    """Each memory goes on with one question, whatever it is that waits."""
    garden.settings("[passes.staleness]\nmax_pending = 1\n[passes.expiry]\nmax_pending = 1\n")
    for name in ("m1", "m2", "m3"):
        garden.memory(
            f"p/{name}", f"Do not touch the {name} relay until 2026-01-05.\n", updated=days_ago(200), description=None
        )
    garden.tend(only=["description"])
    asked = {path for one in garden.pending() for path in one.document.proposal.subjects}
    garden.tend()
    assert {path for one in garden.pending() for path in one.document.proposal.subjects} >= asked
    before = garden.bytes()
    garden.tend()
    assert garden.bytes() == before
