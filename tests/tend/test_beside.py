"""A run beside a person and beside decisions: it gives way, and looks again."""

from collections.abc import Callable, Iterator
from datetime import datetime

import pytest

from gardener.errors import StaleError
from gardener.model.finding import Finding
from gardener.model.snapshot import Snapshot
from gardener.passes import discover
from gardener.passes.base import Pass, PassSettings
from gardener.proposals.answers import Answer
from gardener.storage import rename
from gardener.tend import passes as running
from tests.garden import Garden


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
