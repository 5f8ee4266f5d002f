"""The proofs in short, and each of them noticing a careless version. The long runs are commands, see each module."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.proofs import __main__ as everything
from tests.proofs import errors, kill, powercut, realcut, strace, victim, whole, writers
from tests.proofs.case import python

traced = pytest.mark.skipif(bool(strace.missing()), reason=strace.missing() or "-")


RENAMES = frozenset({"rename", "renameat", "renameat2"})


@traced
@pytest.mark.parametrize(("name", "points"), [("apply", 5), ("undo", 2), ("redact", 4), ("tend", 2)])
def test_killed_at_any_call(name: str, points: int) -> None:
    result = kill.prove(victim.case(name), points)
    assert (result.points.total(), result.survived, result.bad) == (points, 0, [])


@traced
@pytest.mark.parametrize("name", ["apply", "tend"])
def test_killed_at_any_call_of_the_whole_command(name: str) -> None:
    result = kill.prove(whole.case(name), 2)
    assert (result.points.total(), result.survived, result.bad) == (2, 0, [])


@traced
def test_killed_in_recovery() -> None:
    result = kill.prove_in_recovery(victim.case("apply"), 2)
    assert result.points
    assert not result.bad


@traced
@pytest.mark.parametrize(("fault", "points"), [("no-journal", 3), ("late-commit", 3), ("early-done", 5)])
def test_killing_notices_a_missing_journal_and_a_commit_point_at_the_wrong_place(fault: str, points: int) -> None:
    assert kill.prove(victim.case("apply").with_arguments(fault), points, RENAMES).bad


@traced
def test_killing_notices_what_a_later_run_would_do_otherwise() -> None:
    """The killed command has written a proposal, and nobody knows that it was not a person."""
    case = whole.case("field")
    forgetful = (*python("tests.proofs.whole"), *case.command[3:])
    assert kill.prove(replace(case, command=forgetful), 2, frozenset({"renameat2"})).bad


@traced
@pytest.mark.parametrize(("name", "points"), [("apply", 6), ("move", 3), ("redact", 4), ("tend", 3)])
def test_any_call_failing(name: str, points: int) -> None:
    result = errors.prove(victim.case(name), points)
    assert result.injected.total() == points
    assert not result.bad


@traced
@pytest.mark.parametrize("name", ["undo", "tend"])
def test_any_call_of_the_whole_command_failing(name: str) -> None:
    assert errors.prove(whole.case(name), 2).bad == []


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
@pytest.mark.parametrize("name", ["reject", "tend"])
def test_power_cut_of_the_whole_command_by_the_model(name: str) -> None:
    case = whole.case(name)
    result = powercut.prove(powercut.runs(case)[0], whole.in_process(case), 2)
    assert result.states >= 50
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


def test_writers_beside_two_command_lines_and_a_running_tend_lose_nothing() -> None:
    result = whole.beside_writers(100)
    assert result.lost == ()
    assert result.decisions


def test_other_writers_lose_nothing() -> None:
    result = writers.prove(300)
    assert result.lost == ()
    assert result.decisions


@pytest.mark.parametrize("fault", ["check-then-rename", "no-look-back", "no-second-look"])
def test_lost_edits_are_noticed(fault: str) -> None:
    assert writers.prove(400, fault=fault).lost


@pytest.mark.parametrize("page", everything.PAGES, ids=lambda page: page.name)
def test_the_tables_hold_what_the_last_runs_came_to(page: Path) -> None:
    figures = everything.kept()
    assert page.read_text() == everything.with_figures(page.read_text(), figures)
    assert all(one.tried and not one.bad for one in figures.values())
