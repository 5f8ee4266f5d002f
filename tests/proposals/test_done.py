"""What somebody carried out by hand is recognised for each edit of the vocabulary."""

import pytest

from gardener.model.edit import (
    Append,
    Archive,
    Edit,
    Move,
    Qualify,
    Redact,
    Replace,
    Restore,
    SetField,
    Supersede,
)
from gardener.model.finding import Finding
from gardener.proposals.done import already_done
from gardener.proposals.draft import draft
from gardener.storage.load import load
from tests.garden import Garden, days_ago, ulid

M, O = "memory/p/m.md", "memory/p/o.md"  # noqa: E741
STAMPED = {"invalid_at": days_ago(1)}


@pytest.mark.parametrize(
    ("edit", "body", "front"),
    [
        (Supersede(M, O), "Text.\n", STAMPED | {"superseded_by": ulid(9)}),
        (Archive(M, "old"), "Text.\n", STAMPED),
        (Restore(M), "Text again.\n", {}),
        (Qualify(M, O), "Text.\n\n> Qualified by o (2026-01-01)\n", {}),
        (SetField(M, "description", "new"), "Text.\n", {"description": "new"}),
        (Replace(M, 11, "Text.", "Other.\nMore."), "Other.\nMore.\n", {}),
        (Replace(M, 11, "Text.", None), "Rest.\n", {}),
        (Append(M, "More."), "Text.\n\nMore.\n", {}),
        (Redact(M, 10, 1, 4, "token"), "[redacted token].\n", {}),
    ],
)
def test_each_edit(garden: Garden, edit: Edit, body: str, front: dict[str, str]) -> None:
    garden.memory("p/o", id=ulid(9))
    garden.memory("p/m", "Text.\n", **(STAMPED if isinstance(edit, Restore) else {}))
    with garden.open() as store:
        before = load(store.root, store.layout).snapshot.by_path
        subjects = (O, M) if isinstance(edit, Supersede | Qualify) else (M,)
        proposal = draft(Finding("x", "x", subjects, (edit,)), before, {}, (), "proposals").proposal
        assert not already_done(proposal, before)
        garden.memory("p/m", body, **front)
        assert already_done(proposal, load(store.root, store.layout).snapshot.by_path)
        (garden.path / M).unlink()
        assert not already_done(proposal, load(store.root, store.layout).snapshot.by_path)


def test_a_move(garden: Garden) -> None:
    path = garden.memory("p/m")
    garden.memory("p/stays")
    with garden.open() as store:
        before = load(store.root, store.layout).snapshot.by_path
        proposal = draft(Finding("x", "x", (M,), (Move(M, "memory/q/m.md"),)), before, {}, (), "proposals").proposal
        (garden.path / "memory/q").mkdir()
        path.rename(garden.path / "memory/q/m.md")
        assert already_done(proposal, load(store.root, store.layout).snapshot.by_path)
