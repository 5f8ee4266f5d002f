"""The proofs in short, and each of them noticing a careless version. The long runs are commands, see each module."""

from __future__ import annotations

import pytest

from tests.proofs import errors, kill, powercut, realcut, strace, victim, writers

traced = pytest.mark.skipif(bool(strace.missing()), reason=strace.missing() or "-")


RENAMES = frozenset({"rename", "renameat", "renameat2"})


@traced
@pytest.mark.parametrize(("name", "points"), [("apply", 5), ("undo", 2), ("redact", 4), ("tend", 2)])
def test_killed_at_any_call(name: str, points: int) -> None:
    result = kill.prove(victim.case(name), points)
    assert (result.points.total(), result.survived, result.bad) == (points, 0, [])


@traced
def test_killed_in_recovery() -> None:
    result = kill.prove_in_recovery(victim.case("apply"), 2)
    assert result.points
    assert not result.bad


@traced
def test_killing_notices_writing_without_a_journal() -> None:
    assert kill.prove(victim.case("apply").with_arguments("no-journal"), 3, RENAMES).bad


@traced
@pytest.mark.parametrize(("name", "points"), [("apply", 6), ("move", 3), ("redact", 4), ("tend", 3)])
def test_any_call_failing(name: str, points: int) -> None:
    result = errors.prove(victim.case(name), points)
    assert result.injected.total() == points
    assert not result.bad


@traced
def test_failing_notices_swallowed_errors() -> None:
    assert errors.prove(victim.case("apply").with_arguments("swallow"), 3, ("EIO",), RENAMES).bad


@traced
@pytest.mark.parametrize("name", ["redact", "tend", "disturbed"])
def test_power_cut_by_the_model(name: str) -> None:
    for run in powercut.runs(victim.case(name)):
        result = powercut.prove(run, powercut.in_process, 4)
        assert result.states >= 20
        assert not result.bad


@traced
def test_the_model_notices_each_flush_of_a_redaction_that_is_left_out() -> None:
    run = powercut.runs(victim.case("redact"))[0]
    noticed = powercut.mutants(run, powercut.in_process, 16)
    # This one is for the proposals and reports of tend; a redaction writes nothing with it that it could not again.
    assert {place for place, seen in noticed.items() if not seen} <= {"atomic.write"}


@pytest.mark.parametrize("system", realcut.MAKE)
def test_real_power_cut(system: str) -> None:
    if reason := realcut.missing(system):
        pytest.skip(reason)
    result = realcut.prove(system, [victim.case("apply"), victim.case("redact")], 4)
    assert (result.cuts, result.bad) == (4, [])
    assert realcut.prove(system, [victim.case("apply").with_arguments("no-fsync")], 1).bad


def test_other_writers_lose_nothing() -> None:
    result = writers.prove(300)
    assert result.lost == ()
    assert result.decisions


@pytest.mark.parametrize("fault", ["check-then-rename", "no-look-back", "no-second-look"])
def test_lost_edits_are_noticed(fault: str) -> None:
    assert writers.prove(400, fault=fault).lost
