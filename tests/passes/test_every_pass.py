"""What holds for every pass that is discovered, one store with a case for each."""

import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from gardener.config import parse
from gardener.errors import GardenerError, SettingsError
from gardener.model.edit import paths_of
from gardener.model.finding import Finding
from gardener.model.snapshot import Snapshot
from gardener.passes import TABLE, discover, docstring
from gardener.passes.base import Pass
from gardener.proposals.answers import Answer, members
from gardener.proposals.document import parse as parse_document
from gardener.proposals.document import write
from gardener.review.undo import undo
from gardener.storage.load import load
from gardener.tend.configure import configured
from gardener.text.rewrite import rewrite
from tests.garden import NOW, Garden, days_ago, ulid, words
from tests.passes.kit import graph

SHIPPED = Path(__file__).parents[2] / "store"
PASSES = pytest.mark.parametrize("one", discover(), ids=lambda one: one.name)
ADVICE_ONLY = {"craft", "kind_shape"}


def demo(garden: Garden) -> Garden:
    """The embedded store, whose demonstration holds a case for each pass."""
    for part in ("memory", "agent", "notes"):
        shutil.copytree(SHIPPED / part, garden.path / part, dirs_exist_ok=True)
    garden.settings((SHIPPED / "gardener.toml").read_text())
    return garden


def findings(one: Pass, snapshot: Snapshot) -> list[Finding]:
    return list(one.find(snapshot, one.settings(), NOW))


def snapshot_of(garden: Garden) -> Snapshot:
    with garden.open() as store:
        return load(store.root, store.layout).snapshot


def test_the_table_names_every_pass() -> None:
    assert [one.name for one in discover()] == list(TABLE)


@PASSES
def test_it_explains_itself_under_three_headings(one: Pass) -> None:
    text = docstring(one.name)
    places = [text.index(f"\n{heading}\n") for heading in ("What it finds", "Why it matters", "What it proposes")]
    assert places == sorted(places)
    assert len(text.strip().splitlines()[0]) <= 90


@PASSES
def test_it_is_silent_on_an_empty_and_on_a_healthy_store(one: Pass, garden: Garden) -> None:
    assert findings(one, Snapshot()) == []
    garden.memory("p/boot-order", "The indexer hangs when the store is down; start the store first.\n")
    garden.memory("p/queue", "Jobs are queued in a table because that is one system less.\n", kind="decision")
    garden.stage("p/work", "Status: open", days=2)
    garden.write("notes/p/plan.md", "A plan that links to [[queue]].\n")
    assert findings(one, snapshot_of(garden)) == []


@PASSES
def test_it_finds_the_same_in_any_order_of_files_and_only_about_its_subjects(one: Pass, garden: Garden) -> None:
    snapshot = snapshot_of(demo(garden))
    found = findings(one, snapshot)
    assert found, "the demonstration store holds a case for each pass"
    shuffled = list(snapshot.memories)
    random.Random(5).shuffle(shuffled)
    again = findings(one, replace(snapshot, memories=tuple(shuffled)))
    assert sorted(map(repr, again)) == sorted(map(repr, found))
    for finding in found:
        assert set(finding.subjects) <= set(snapshot.by_path)
        edits = (*finding.edits, *(edit for choice in finding.choices for edit in choice.edits))
        assert set(paths_of(edits)) <= set(finding.subjects)
        assert finding.pass_name == one.name
        assert 0 <= finding.score <= 1
        assert "\n" not in finding.summary


@PASSES
@pytest.mark.parametrize("line", ["nonsense = 1", "enabled = 3", "max_pending = 'x'"])
def test_its_settings_are_validated(one: Pass, line: str) -> None:
    with pytest.raises(SettingsError, match=rf"passes\.{one.name}\.(?:nonsense|enabled|max_pending)"):
        configured(parse(f"[passes.{one.name}]\n{line}\n").passes)


@PASSES
def test_its_proposals_survive_write_and_read(one: Pass, garden: Garden) -> None:
    demo(garden).tend()
    for filed in garden.pending(one.name):
        text = filed.data.decode()
        assert write(parse_document(text)) == text


@PASSES
def test_applying_removes_the_finding_raises_no_new_one_and_undo_brings_it_back(one: Pass, garden: Garden) -> None:
    demo(garden).tend(only=[one.name])
    filed = garden.pending(one.name)
    if one.name in ADVICE_ONLY:
        assert filed == []
        return
    before = garden.memories()
    first = filed[0].document.proposal
    answer = (
        Answer("choose", choice=first.choices[-1].letter) if first.choices else Answer("accept", tuple(members(first)))
    )
    with garden.decider() as decider:
        decider.answer(filed[0].id, answer)
    result = garden.tend(only=[one.name])
    asked = {path for other in result.inbox.pending for path in other.document.proposal.subjects}
    targets = {edit.path for edit in first.edits}
    assert not targets & asked
    assert len(result.inbox.pending) == len(filed) - 1
    with garden.decider() as decider:
        if first.risk == "lossy":
            with pytest.raises(GardenerError, match="cannot be undone"):
                undo(decider, filed[0].id)
            return
        undo(decider, filed[0].id)
    assert garden.memories() == before
    assert len(garden.tend(only=[one.name]).inbox.pending) == len(filed)


def cases(garden: Garden) -> None:
    """Beside the demonstration: what a repair of one thing must not turn into the next question."""
    gone = days_ago(10)
    for number, (name, by) in enumerate((("c1", 2), ("c2", 3), ("c3", 4), ("c4", 5))):
        line = f"> Superseded by p/c{number + 2} ({ulid(by)}) on {gone[:10]}"
        keys = {"invalid_at": gone, "superseded_by": ulid(by), "updated": gone, "id": ulid(number + 1)}
        garden.memory(f"p/{name}", f"{words(name)}\n{line}\n", **keys)
    garden.memory("p/c5", id=ulid(5))
    garden.memory("p/bonn", id=ulid(7))
    graph(garden, "p/berlin", associations=f"  - relation: supersedes\n    target: {ulid(7)}\n")
    about = "The move of the billing service to the new cluster goes on and takes longer than was planned by the lead. "
    body = "".join(words(f"line {n}") for n in range(10)) + "Status: open\n\nMore.\n"
    garden.memory("p/moving", body, kind="stage", description=f'"{about}{about}"'.replace(' "', '"'))


def asked(snapshot: Snapshot) -> dict[str, set[tuple[str, tuple[str, ...]]]]:
    """The summary and subjects of everything each pass finds."""
    return {one.name: {(found.summary, found.subjects) for found in findings(one, snapshot)} for one in discover()}


@PASSES
def test_no_answer_raises_a_question_that_was_not_there(one: Pass, garden: Garden) -> None:
    cases(demo(garden))
    snapshot = snapshot_of(garden)
    before = asked(snapshot)
    files = garden.memories()
    proposed = [found for found in findings(one, snapshot) if found.edits or found.choices]
    for found in proposed:
        for edits in (found.edits, *(choice.edits for choice in found.choices)):
            if not edits:
                continue
            for change in rewrite(edits, snapshot.by_path, NOW):
                path = garden.path / change.path
                if change.after is None:
                    path.unlink()
                else:
                    garden.write(change.path, change.after)
            pair = frozenset({tuple(sorted(found.subjects)[:2])} if found.choices else {})  # as the decision records it
            after = asked(replace(snapshot_of(garden), settled=pair))
            changed = set(paths_of(edits))
            again = [subjects for _, subjects in after[one.name] if changed & set(subjects)]
            fresh = {name: after[name] - before[name] for name in after if after[name] - before[name]}
            assert (found.summary, again, fresh) == (found.summary, [], {})
            for path in garden.memories().keys() - files.keys():
                (garden.path / path).unlink()
            for path, data in files.items():
                garden.write(path, data)
