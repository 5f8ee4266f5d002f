"""The stage header is found whatever decoration stands around it, within the first twelve body lines."""

import pytest

from gardener.text.stage import read_stage


@pytest.mark.parametrize(
    "line",
    [
        "Status of things",
        "The status: see below, is open",
        "| a | Status | open |",
        "status open",
        "## Status",
        "Statuses: open",
    ],
)
def test_lines_that_are_no_header(line: str) -> None:
    assert read_stage(line).line is None


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("Status: open", "open"),
        ("**Status:** open", "open"),
        ("**Status**: open", "open"),
        ("- Status: OPEN.", "open"),
        ("* [x] Status: `in-progress`", "in_progress"),
        ("# STATUS: In Progress", "in_progress"),
        ("> Status: blocked", "blocked"),
        ("1. status: Done!", "done"),
        ("✅ **Status:** done ✅", "done"),
        ("| Status | done |", "done"),
        ("| **Status** | `in_progress` |", "in_progress"),
        ("Status: finished", "unknown"),
        ("Status: done (last week)", "unknown"),
        ("Status:", "unknown"),
    ],
)
def test_headers(line: str, status: str) -> None:
    found = read_stage(f"\n{line}\n", first_line=8)
    assert (found.status, found.line) == (status, 9)


def test_the_first_status_wins_and_the_gate_is_read() -> None:
    found = read_stage("Status: done\nGate: Human\nStatus: open\n")
    assert (found.status, found.gate) == ("done", "human")


@pytest.mark.parametrize(("blank", "status"), [(11, "done"), (12, "unknown")])
def test_line_twelve_counts_and_line_thirteen_does_not(blank: int, status: str) -> None:
    assert read_stage("\n" * blank + "Status: done\n").status == status
