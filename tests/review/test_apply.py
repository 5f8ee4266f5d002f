"""Applying: byte-exact, all or nothing, undoable, and only what a person said."""

from datetime import timedelta

import pytest

from gardener.errors import PartialError, StaleError, UsageError
from gardener.model.edit import Append, Move, Replace, SetField, Supersede
from gardener.model.finding import Choice, Finding
from gardener.proposals.answers import Answer
from gardener.proposals.draft import draft, text_of
from gardener.review import by_hand
from gardener.review.undo import restore, undo
from gardener.storage.commit import record
from gardener.storage.load import load
from tests.garden import NOW, Garden, days_ago, ulid
from tests.storage.test_commit import between

STAMP = "2026-09-01T12:00:00Z"


def propose(garden: Garden, finding: Finding) -> str:
    """Put a finding of the test's own into pending, as a run would; its id."""
    with garden.open() as store:
        snapshot = load(store.root, store.layout).snapshot
        lines = {line.target: (line,) for line in snapshot.index_lines}
        one = draft(finding, snapshot.by_path, lines, {f.id for f in garden.inbox.decided}, "proposals")
        garden.write(one.path, text_of(one, snapshot.by_path))
        return one.proposal.id


def four_copies(garden: Garden) -> str:
    for name in "abcd":
        garden.memory(f"p/{name}", "The same text in each of them.\n", id=ulid(ord(name)))
    edits = tuple(Supersede(f"memory/p/{name}.md", "memory/p/a.md") for name in "bcd")
    subjects = tuple(f"memory/p/{name}.md" for name in "abcd")
    return propose(garden, Finding("dedup", "four copies", subjects, edits))


def test_accepting_a_group_leaves_one_active_and_every_other_byte_as_it_was(garden: Garden) -> None:
    identity = four_copies(garden)
    before = garden.memories()
    with garden.decider() as decider:
        done = decider.answer(identity, Answer("accept"))
    assert done.paths == ("memory/p/b.md", "memory/p/c.md", "memory/p/d.md")
    after = garden.memories()
    assert after["memory/p/a.md"] == before["memory/p/a.md"]
    for name in "bcd":
        old, new = before[f"memory/p/{name}.md"].decode(), after[f"memory/p/{name}.md"].decode()
        stamped = old.replace(
            f"updated: {days_ago(1)}\n", f"updated: {STAMP}\ninvalid_at: {STAMP}\nsuperseded_by: {ulid(97)}\n"
        )
        assert new == stamped + f"\n> Superseded by p/a ({ulid(97)}) on 2026-09-01\n"


def test_undo_gives_back_the_bytes_and_the_finding_under_its_next_id(garden: Garden) -> None:
    identity = four_copies(garden)
    before = garden.memories()
    with garden.decider() as decider:
        decider.answer(identity, Answer("accept"))
        undo(decider, identity)
    assert garden.memories() == before
    again = garden.one()
    assert again.id != identity
    assert again.document.plan == again.document.code
    with garden.decider() as decider, pytest.raises(UsageError, match=again.id):
        undo(decider, identity)


def test_an_unticked_box_keeps_that_one_and_is_not_asked_again(garden: Garden) -> None:
    identity = four_copies(garden)
    filed = garden.inbox.by_id[identity]
    text = filed.data.decode().replace("- [ ] retire B", "- [x] retire B").replace("- [ ] retire D", "- [x] retire D")
    garden.write(filed.path, text)
    before = garden.memories()
    with garden.decider() as decider:
        decider.decided(identity)
    after = garden.memories()
    assert {path for path in before if before[path] != after[path]} == {"memory/p/b.md", "memory/p/d.md"}
    assert garden.tend().snapshot.settled == {("memory/p/a.md", "memory/p/c.md")}


def test_claude_code_index_and_description_agree_and_both_are_undone(garden: Garden) -> None:
    for name in ("one", "two"):
        garden.write(f"memory/{name}.md", f"---\nname: {name}\ndescription: about {name}\ntype: user\n---\nText.\n")
    garden.write("memory/MEMORY.md", "# Index\r\n- [one](one.md) first\r\n- [two](two.md) second\r\n")
    before = garden.memories()
    edits = (Supersede("memory/two.md", "memory/one.md"),)
    identity = propose(garden, Finding("dedup", "copies", ("memory/one.md", "memory/two.md"), edits))
    with garden.decider() as decider:
        decider.answer(identity, Answer("accept"))
    after = garden.memories()
    assert after["memory/MEMORY.md"] == b"# Index\r\n- [one](one.md) first\r\n"
    assert b'description: "[superseded by one] about two"\n' in after["memory/two.md"]
    with garden.decider() as decider:
        undo(decider, identity)
    assert garden.memories() == before


def test_another_line_of_the_index_may_change_but_not_the_pinned_one(garden: Garden) -> None:
    for name in ("one", "two"):
        garden.write(f"memory/{name}.md", f"---\nname: {name}\ndescription: about {name}\ntype: user\n---\nText.\n")
    garden.write("memory/MEMORY.md", "- [one](one.md) first\n- [two](two.md) second\n")
    edits = (Supersede("memory/two.md", "memory/one.md"),)
    identity = propose(garden, Finding("dedup", "copies", ("memory/one.md", "memory/two.md"), edits))
    garden.write("memory/MEMORY.md", "New line.\n- [one](one.md) FIRST\n- [two](two.md) changed\n")
    with garden.decider() as decider, pytest.raises(StaleError, match="index line"):
        decider.answer(identity, Answer("accept"))
    garden.write("memory/MEMORY.md", "New line.\n- [one](one.md) FIRST\n- [two](two.md) second\n")
    with garden.decider() as decider:
        decider.answer(identity, Answer("accept"))
    assert garden.memories()["memory/MEMORY.md"] == b"New line.\n- [one](one.md) FIRST\n"


def test_an_edited_target_refuses_and_touches_nothing(garden: Garden) -> None:
    identity = four_copies(garden)
    garden.memory("p/c", "Another text now.\n", id=ulid(ord("c")))
    before = garden.bytes()
    with garden.decider() as decider, pytest.raises(StaleError, match=r"memory/p/c\.md"):
        decider.answer(identity, Answer("accept"))
    assert garden.bytes() == before


def test_a_voided_answer_is_emptied_and_named(garden: Garden) -> None:
    identity = four_copies(garden)
    filed = garden.inbox.by_id[identity]
    garden.write(filed.path, filed.data.replace(b"pending ", b"accept ", 1))
    garden.memory("p/c", "Another text now.\n", id=ulid(ord("c")))
    before = garden.memories()
    with garden.decider() as decider, pytest.raises(StaleError):
        decider.decided(identity)
    assert garden.memories() == before
    voided = garden.inbox.by_id[identity].document
    assert not voided.owned
    assert voided.proposal.earlier == f"accept {voided.code}, text changed"


def test_members_of_independent_repairs_are_decided_alone(garden: Garden) -> None:
    garden.memory("p/with-id")
    for name in "ab":
        garden.memory(f"p/{name}", id=None)
    garden.tend()
    identity = garden.one("identity").id
    garden.memory("p/a", "Changed.\n", id=None)
    with garden.decider() as decider, pytest.raises(PartialError, match="A changed"):
        decider.answer(identity, Answer("accept"))
    assert b"\nid: " not in garden.memories()["memory/p/a.md"]
    assert b"\nid: " in garden.memories()["memory/p/b.md"]


def test_an_archive_looks_again_for_links(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    garden.tend()
    garden.memory("p/m", "see [[s]]\n")
    with garden.decider() as decider, pytest.raises(StaleError, match="links to it now"):
        decider.answer(garden.one().id, Answer("accept"))


def test_siblings_are_rebased_withdrawn_or_emptied(garden: Garden) -> None:
    a, b, c = (f"memory/p/{name}.md" for name in "abc")
    for name in "abc":
        garden.memory(f"p/{name}", f"Text {name}.\n")
    goes = propose(garden, Finding("dedup", "b is a", (a, b), (Supersede(b, a),)))
    moot = propose(garden, Finding("staleness", "b is old", (b,), (SetField(b, "kind", "runbook"),)))
    kept = propose(garden, Finding("description", "a says little", (a,), (SetField(a, "description", "More."),)))
    other = propose(garden, Finding("description", "c says little", (c,), (SetField(c, "description", "More."),)))
    with garden.decider() as decider:
        decider.answer(goes, Answer("accept"))
    left = garden.inbox.by_id
    assert moot not in left
    assert left[kept].state == left[other].state == "pending"
    with garden.decider() as decider:
        decider.answer(kept, Answer("accept"))
    assert b"description: More.\n" in garden.memories()[a]


def test_a_choice_is_never_taken_bare_and_keep_both_is_an_answer(garden: Garden) -> None:
    a, b = "memory/p/a.md", "memory/p/b.md"
    garden.memory("p/a", "Port 1.\n")
    garden.memory("p/b", "Port 2.\n")
    choices = (Choice("a", "keep both"), Choice("b", "b replaces a", (Supersede(a, b),)))
    identity = propose(garden, Finding("conflict", "which port", (a, b), choices=choices))
    with garden.decider() as decider:
        with pytest.raises(UsageError, match="choice"):
            decider.answer(identity, Answer("accept"))
        assert decider.answer(identity, Answer("choose", choice="a")).did == "keep"
    filed = garden.inbox.by_id[identity]
    assert (filed.state, filed.document.proposal.decided[-1].did) == ("rejected", "keep")
    assert garden.tend().snapshot.settled == {(a, b)}


def test_a_move_keeps_every_byte_and_is_undone(garden: Garden) -> None:
    path = garden.memory("p/journal", "A day.\r\n\r\nAnother.")
    data = path.read_bytes()
    move = Move("memory/p/journal.md", "notes/p/journal.md")
    identity = propose(garden, Finding("placement", "a journal", ("memory/p/journal.md",), (move,)))
    garden.memory("p/fine", "Stays.\n")
    with garden.decider() as decider:
        decider.answer(identity, Answer("accept"))
        assert not path.exists()
        assert garden.memories()["notes/p/journal.md"] == data
        assert garden.tend().alarms == ()
        undo(decider, identity)
    assert path.read_bytes() == data
    assert "notes/p/journal.md" not in garden.memories()


def test_undo_takes_back_its_own_lines_where_the_file_moved_on(garden: Garden) -> None:
    path = garden.memory("p/a", "One.\nTwo.\n")
    line = path.read_text().split("\n").index("One.") + 1
    edit = Replace("memory/p/a.md", line, "One.", "ONE.")
    identity = propose(garden, Finding("links", "fix", ("memory/p/a.md",), (edit,)))
    with garden.decider() as decider:
        decider.answer(identity, Answer("accept"))
    path.write_text("\ufeff" + path.read_text().replace("Two.", "Written since.\nTwo."))
    with garden.decider() as decider:
        undo(decider, identity)
    assert "---\nOne.\nWritten since.\nTwo.\n" in path.read_text()


def test_undo_refuses_where_its_lines_were_changed(garden: Garden) -> None:
    path = garden.memory("p/a", "One.\n")
    identity = propose(garden, Finding("craft", "more", ("memory/p/a.md",), (Append("memory/p/a.md", "Added."),)))
    with garden.decider() as decider:
        decider.answer(identity, Answer("accept"))
    path.write_text(path.read_text().replace("Added.", "Changed."))
    before = garden.bytes()
    with garden.decider() as decider, pytest.raises(StaleError, match="changed since"):
        undo(decider, identity)
    assert garden.bytes() == before


def test_by_hand_is_the_same_path_with_a_record_and_an_undo(garden: Garden) -> None:
    garden.memory("p/a", "Old way.\n")
    garden.memory("p/b", "New way.\n")
    garden.memory("p/c", "Other.\n")
    before = garden.memories()
    with garden.decider() as decider:
        done = [by_hand.supersede(decider, "a", "p/b"), by_hand.archive(decider, "memory/p/c.md", "not needed")]
        with pytest.raises(StaleError, match="already inactive"):
            by_hand.archive(decider, "p/c", "twice")
        with pytest.raises(UsageError, match="itself"):
            by_hand.supersede(decider, "b", "b")
        for one in reversed(done):
            undo(decider, one.id)
    assert garden.memories() == before


def test_restore_is_exact_where_a_record_exists_and_settles_the_pair(garden: Garden) -> None:
    identity = four_copies(garden)
    before = garden.memories()
    with garden.decider() as decider:
        decider.answer(identity, Answer("accept"))
        restore(decider, "p/c")
        assert garden.memories()["memory/p/c.md"] == before["memory/p/c.md"]
        with pytest.raises(UsageError, match="active"):
            restore(decider, "p/c")
    assert ("memory/p/a.md", "memory/p/c.md") in garden.tend().snapshot.settled


def test_restore_without_a_record_takes_the_stamps_away(garden: Garden) -> None:
    path = garden.memory("p/a", "Text.\n\n> Archived (old) on 2026-01-01\n", invalid_at=days_ago(9))
    with garden.decider() as decider:
        restore(decider, "a")
    text = path.read_text()
    assert "invalid_at: null\n---\nText.\n" in text
    assert text.endswith("---\nText.\n")


def test_a_rejection_holds_until_the_text_really_changes(garden: Garden) -> None:
    words = " ".join(f"word{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(200))
    path = garden.stage("p/s", "Status: done", body=f"\n{words}\n")
    garden.tend()
    with garden.decider() as decider:
        decider.answer(garden.one().id, Answer("reject"), reason="still needed")
    text = path.read_text()
    path.write_text(text.replace("wordaa", "changed"))
    assert garden.tend().inbox.pending == ()
    path.write_text(text + " ".join(f"fresh{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(60)))
    assert len(garden.tend().inbox.pending) == 1


def test_a_rejection_lapses_when_a_value_changes_and_a_hidden_one_never(garden: Garden) -> None:
    path = garden.stage("p/s", "Status: done", body="\nPort 8080.\n")
    garden.tend()
    first = garden.one().id
    with garden.decider() as decider:
        decider.answer(first, Answer("reject"))
    path.write_text(path.read_text().replace("8080", "9090"))
    garden.tend()
    second = garden.one().id
    assert second != first
    with garden.decider() as decider:
        decider.answer(second, Answer("hide"))
    path.write_text(path.read_text().replace("9090", "7070") + "Much more text.\n" * 5)
    assert garden.tend().inbox.pending == ()


def test_a_rejection_follows_a_renamed_memory(garden: Garden) -> None:
    path = garden.stage("p/s", "Status: done", name="s")
    garden.tend()
    with garden.decider() as decider:
        decider.answer(garden.one().id, Answer("hide"))
    path.rename(path.with_name("t.md"))
    assert [one.document.proposal.pass_name for one in garden.tend().inbox.pending] == ["identity"]


def test_a_snooze_comes_back_once(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    garden.tend()
    with garden.decider() as decider:
        decider.answer(garden.one().id, Answer("snooze", days=14))
    filed = garden.one()
    assert filed.document.proposal.until == "2026-09-15T12:00:00Z"
    garden.tend(NOW + timedelta(days=13))
    assert garden.one().data == filed.data
    garden.tend(NOW + timedelta(days=15))
    assert garden.one().data == filed.data


def test_a_repair_that_shifts_lines_cannot_mislead_a_redaction(garden: Garden) -> None:
    token = "gh" + "p_" + "a1B2" * 9
    garden.memory("p/with-id")
    path = garden.memory("p/m", f"Must not be lost.\nuse {token} here\n", id=None)
    identity = propose(
        garden, Finding("identity", "no id", ("memory/p/m.md",), (SetField("memory/p/m.md", "id", ulid(5)),))
    )
    garden.tend(only=["secrets"])
    redaction = garden.one("secrets").id
    with garden.decider() as decider:
        decider.answer(identity, Answer("accept"))
    assert redaction not in garden.inbox.by_id, "its line numbers are those of another text now"
    garden.tend()
    with garden.decider() as decider:
        decider.answer(garden.one("secrets").id, Answer("accept"))
    assert path.read_text().endswith("Must not be lost.\nuse [redacted github-token] here\n")


@pytest.mark.parametrize("mark", ["accept deadbeef", "archive it all: my own plan"])
def test_applying_a_sibling_makes_no_foreign_mark_valid(garden: Garden, mark: str) -> None:
    a, b = "memory/p/a.md", "memory/p/b.md"
    garden.memory("p/a", "One.\n")
    garden.memory("p/b", "Two.\n")
    kept = propose(garden, Finding("dedup", "b is a", (a, b), (Supersede(b, a),)))
    other = propose(garden, Finding("identity", "kind", (a,), (SetField(a, "kind", "runbook"),)))
    filed = garden.inbox.by_id[kept]
    old = f"pending {filed.document.code}" if mark.startswith("accept") else f"supersede {b} by {a}"
    new = mark if mark.startswith("accept") else f"'archive {b}: my own plan'"
    garden.write(filed.path, filed.data.decode().replace(old, new))
    before = garden.bytes()[filed.path]
    with garden.decider() as decider:
        decider.answer(other, Answer("accept"))
    assert garden.bytes()[filed.path] == before
    assert garden.run("apply", "--decided").code in {2, 3}
    assert b"invalid_at" not in garden.memories()[b]


def test_a_refusal_too_is_about_the_text_that_was_shown(garden: Garden) -> None:
    identity = four_copies(garden)
    garden.memory("p/c", "Another text now.\n", id=ulid(ord("c")))
    with garden.decider() as decider, pytest.raises(StaleError):
        decider.answer(identity, Answer("reject"))
    with garden.decider() as decider:
        assert decider.answer(identity, Answer("hide")).did == "hide"


def test_undo_refuses_where_its_lines_stand_in_another_order(garden: Garden) -> None:
    path = garden.stage("p/s", "Status: done")
    garden.tend()
    identity = garden.one().id
    with garden.decider() as decider:
        decider.answer(identity, Answer("accept"))
    lines = path.read_text().split("\n")
    moved = next(line for line in lines if line.startswith("invalid_at"))
    lines.remove(moved)
    path.write_text("\n".join([lines[0], moved, *lines[1:]]))
    before = garden.bytes()
    with garden.decider() as decider, pytest.raises(StaleError):
        undo(decider, identity)
    assert garden.bytes() == before


def test_an_answer_that_cannot_be_carried_out_is_emptied_so_that_tend_looks_again(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    garden.tend()
    filed = garden.one()
    garden.write(filed.path, filed.data.replace(b"pending ", b"accept ", 1))
    garden.memory("p/m", "see [[s]]\n")
    with garden.decider() as decider, pytest.raises(StaleError):
        decider.decided(filed.id)
    garden.tend()
    assert garden.pending() == []


def test_taking_back_what_was_done_by_hand_asks_no_question(garden: Garden) -> None:
    garden.memory("p/a")
    garden.memory("p/b")
    with garden.decider() as decider:
        undo(decider, by_hand.archive(decider, "a", "old").id)
    assert garden.pending() == []


def test_restoring_a_listed_memory_lists_it_again(garden: Garden) -> None:
    for name in ("one", "two"):
        garden.write(
            f"memory/{name}.md", f"---\nname: {name}\ndescription: about {name}\ntype: user\n---\nText {name}.\n"
        )
    garden.write("memory/MEMORY.md", "- [one](one.md) first\n- [two](two.md) second\n")
    with garden.decider() as decider:
        by_hand.archive(decider, "one", "old")
        restore(decider, "one")
    assert sorted(garden.memories()["memory/MEMORY.md"].decode().splitlines()) == [
        "- [one](one.md) first",
        "- [two](two.md) second",
    ]


def test_what_a_program_went_on_writing_is_named(garden: Garden, monkeypatch: pytest.MonkeyPatch) -> None:
    """It gets hold of the old version after it was looked at for the last time, and appends to that."""
    path = garden.stage("p/s", "Status: done")
    garden.tend()
    old = path.stat().st_ino

    def append() -> None:
        (displaced,) = (one for one in garden.path.rglob("*") if one.stat().st_ino == old)
        with displaced.open("ab") as late:
            late.write(b"Late.\n")

    between(monkeypatch, record, "enter", append, 2)
    with garden.decider() as decider:
        done = decider.answer(garden.one().id, Answer("accept"))
    (kept,) = (garden.path / "proposals/conflicts").iterdir()
    assert kept.read_bytes().endswith(b"Late.\n")
    assert any(kept.name in notice for notice in done.notices)
