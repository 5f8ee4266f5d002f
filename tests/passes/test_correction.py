"""Memories that correct themselves."""

from dataclasses import replace
from typing import Any

import pytest

from gardener.model.edit import Qualify, SetField, Supersede
from gardener.model.finding import Finding
from gardener.model.memory import Memory
from gardener.model.snapshot import Snapshot
from gardener.passes.correction import CorrectionSettings, find
from tests.passes.test_dedup import NOW
from tests.text.similarity.made import made

CLAIM = "The importer needs the legacy driver."
NEWER = made("p/importer-today", "The importer speaks the new protocol.\n")


def found(*memories: Memory, **more: Any) -> list[Finding]:
    return list(find(Snapshot(memories=(*memories, NEWER), **more), CorrectionSettings(), NOW))


@pytest.mark.parametrize(
    ("description", "body"),
    [
        (CLAIM, "It does, since the driver holds the lock.\n"),
        (CLAIM, "Update the driver every month.\n"),
        (CLAIM, "```\nUPDATE users SET driver = 1;\n```\n"),
        (CLAIM, "- UPDATE 2026-05-01: the driver also logs now.\n"),
        ("The importer no longer needs the legacy driver.", "UPDATE: the importer does not need the legacy driver.\n"),
        ("", "UPDATE: the importer does not need the legacy driver.\n"),
        (CLAIM, "> Superseded by p/importer-today (01K) on 2026-05-01\n"),
        (CLAIM, "SUPERSEDED in part by the driver rewrite.\n"),
        (CLAIM, "Update: the driver logs to a file of its own.\n"),
        (CLAIM, "UPDATE: 3 drivers failed last night.\n"),
        (
            "The billing pool has 20 connections on the first host.",
            "UPDATE: reporting now has a second pool of 5 connections on the first host, separate from billing.\n",
        ),
        ("Tests run on 4 workers.", "UPDATE: nightly runs of the tests now use 8 workers.\n"),
        ("Deploy on Monday.", "UPDATE: It is no longer true that staging is slow.\n"),
        ("Staging is slow.", "CORRECTION: false alarms came from the monitor, staging is fine.\n"),
        (CLAIM, "Deprecated: the second argument of `connect`, see the changelog.\n"),
        (CLAIM, "The old driver was slow. It was replaced by [[importer-today]].\n"),
        (CLAIM, "Outdated! Use [[importer-today]] instead of nothing.\n"),
        (CLAIM, "Outdated drivers are listed in [[importer-today]].\n"),
    ],
)
def test_left_alone(description: str, body: str) -> None:
    assert found(made("p/importer", body, description=description)) == []


@pytest.mark.parametrize(
    "body",
    [
        "UPDATE: the importer does not need the legacy driver.\n",
        "Some history.\n\n**UPDATE (2026-05-01):** The importer does not need the legacy driver.\n",
        "- CORRECTION \u2014 the importer needs no legacy driver. It never did.\n",
        "\u26a0\ufe0f OBSOLETE. The new protocol made the driver useless.\n",
    ],
)
def test_the_description_is_said_in_the_corrections_own_words(body: str) -> None:
    memory = made("p/importer", body, description=CLAIM)
    (one,) = found(memory)
    (edit,) = one.edits
    assert isinstance(edit, SetField)
    assert (edit.path, edit.key) == (memory.path, "description")
    assert str(edit.value)[1:].rstrip(".") in " ".join(body.split())
    assert [quote.says for quote in one.quotes] == ["the description", "the correction"]


def test_a_changed_value_counts_too() -> None:
    text = "UPDATED 2026-05-01: the pool now holds 50 connections.\n"
    (one,) = found(made("p/pool", text, description="The pool holds 20 connections."))
    assert one.edits == (SetField("memory/p/pool.md", "description", "The pool now holds 50 connections"),)


@pytest.mark.parametrize(
    ("description", "line", "words"),
    [
        (
            "Two approvals are needed.",
            "UPDATE 2026-05-01: no longer true, one approval is enough.",
            "One approval is enough",
        ),
        ("The lock is kept in etcd.", "CORRECTION: the lock is kept in Postgres.", "The lock is kept in Postgres"),
        (
            "The lock is kept in etcd.",
            "**Correction (2026-05-01):** the lock is kept in Postgres.",
            "The lock is kept in Postgres",
        ),
        (
            "Tiles fill up to 200 MB of the disk.",
            "Correction: 500 MB for tiles since build 341.",
            "500 MB for tiles since build 341",
        ),
        ("The queue of the mailer holds 500 jobs.", "UPDATE: it holds 2000 jobs now.", ""),
    ],
)
def test_a_correction_need_not_repeat_the_sentence(description: str, line: str, words: str) -> None:
    (one,) = found(made("p/importer", f"Some history.\n\n{line}\n", description=description))
    assert [edit.value for edit in one.edits if isinstance(edit, SetField)] == ([words] if words else [])


def test_advice_where_no_sentence_is_short_enough() -> None:
    text = "OBSOLETE: " + "the driver is gone and so is everything that spoke of it and of its friends, " * 4 + ".\n"
    (one,) = found(made("p/importer", text, description=CLAIM))
    assert one.is_advice


@pytest.mark.parametrize(
    "line",
    [
        "SUPERSEDED by [[importer-today]].",
        "**Status:** Superseded by [[importer-today]]",
        "\u231b Superseded [[importer-today]]",
        "Outdated! Use [[importer-today]] instead.",
        "Deprecated: see [[importer-today]]",
        "This memory was replaced by [[importer-today]].",
        "The driver holds the lock. This note was superseded by [[importer-today]].",
    ],
)
def test_a_named_successor_supersedes(line: str) -> None:
    (one,) = found(made("p/importer", f"# Importer\n\n{line}\n\nUse the driver.\n", description=CLAIM))
    assert one.edits == (Supersede("memory/p/importer.md", NEWER.path),)
    assert one.subjects == (NEWER.path, "memory/p/importer.md")


def test_a_part_is_qualified() -> None:
    (one,) = found(made("p/importer", "SUPERSEDED in part by [[importer-today]].\n", description=CLAIM))
    assert one.edits == (Qualify("memory/p/importer.md", NEWER.path),)


def test_a_successor_has_to_be_active_and_of_a_kind_that_may_replace() -> None:
    body = "Superseded by [[importer-today]].\n"
    assert found(made("p/importer", body, kind="constraint", description="")) == []
    gone = replace(NEWER, invalid_at="2026-01-01")
    assert list(find(Snapshot(memories=(made("p/importer", body), gone)), CorrectionSettings(), NOW)) == []


def test_front_matter_that_cannot_be_edited_is_left_alone() -> None:
    body = "UPDATE: the importer does not need the legacy driver.\n"
    assert found(made("p/importer", body, description=CLAIM, parsed=False)) == []
    assert found(made("p/importer", body, description=CLAIM, has_front_matter=False)) == []
