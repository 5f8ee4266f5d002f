"""A run: it proposes and stops, is quiet the second time, and a person's file is a person's."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from gardener.errors import BusyError, NoStoreError, SettingsError
from gardener.model.edit import Archive
from gardener.model.finding import Finding
from gardener.passes import discover
from gardener.passes.base import Pass, PassSettings
from gardener.proposals.answers import Answer
from gardener.review import by_hand
from gardener.tend import passes as running
from tests.garden import NOW, Garden, days_ago


def rot(garden: Garden, number: int = 6) -> None:
    for i in range(number):
        garden.stage(f"p/stage-{i}", "Status: done", days=30 + i, body=f"\nNumber {i} of its own kind.\n")
    garden.memory("p/fine")


def test_tending_changes_no_byte_of_a_memory_or_note(garden: Garden) -> None:
    rot(garden)
    garden.write("notes/p/n.md", "A note.\r\n")
    before = garden.memories()
    garden.tend()
    assert garden.memories() == before
    assert len(garden.pending()) == 6


def test_a_second_run_changes_no_byte_at_all(garden: Garden) -> None:
    rot(garden)
    garden.tend()
    before = garden.bytes()
    garden.tend(NOW + timedelta(minutes=5))
    assert garden.bytes() == before


def test_two_clones_hold_the_same_bytes_and_unrelated_memories_change_none(garden: Garden, tmp_path: Path) -> None:
    rot(garden)
    other = Garden(tmp_path / "other")
    for path, data in garden.memories().items():
        other.write(path, data)
    garden.tend()
    other.tend(NOW + timedelta(hours=3))
    pending = {path: data for path, data in garden.bytes().items() if "/pending/" in path}
    assert pending == {path: data for path, data in other.bytes().items() if "/pending/" in path}
    for i in range(30):
        garden.memory(f"q/other-{i}", f"Nothing like it, number {i}.\n")
    garden.tend(NOW + timedelta(hours=4))
    assert pending == {path: data for path, data in garden.bytes().items() if "/pending/" in path}


def test_the_cap_holds_and_the_rest_is_counted(garden: Garden) -> None:
    rot(garden, 8)
    garden.settings("[limits]\nmax_pending = 3\n")
    result = garden.tend()
    assert len(result.inbox.pending) == 3
    assert sum(row.held_back for row in result.passes) == 5
    oldest_first = {f"memory/p/stage-{i}.md" for i in (7, 6, 5)}
    assert {filed.document.proposal.subjects[0] for filed in result.inbox.pending} == oldest_first


def test_an_open_proposal_is_not_displaced_by_a_better_one(garden: Garden) -> None:
    rot(garden, 3)
    garden.settings("[limits]\nmax_pending = 3\n")
    first = {filed.id for filed in garden.tend().inbox.pending}
    garden.stage("p/much-older", "Status: done", days=900)
    assert {filed.id for filed in garden.tend().inbox.pending} == first


def test_a_pass_has_a_cap_of_its_own_and_a_switch(garden: Garden) -> None:
    rot(garden)
    garden.settings("[passes.stale_stage]\nmax_pending = 2\n")
    assert len(garden.tend().inbox.pending) == 2
    garden.settings("[passes.stale_stage]\nenabled = false\n")
    result = garden.tend()
    assert result.inbox.pending == ()
    assert [row.status for row in result.passes if row.name == "stale_stage"] == ["off"]


def test_a_change_may_add_but_only_the_night_reports(garden: Garden) -> None:
    rot(garden, 2)
    result = garden.tend(mode="propose")
    assert (len(result.inbox.pending), result.report) == (2, "")


def test_refresh_updates_and_withdraws_but_never_adds(garden: Garden) -> None:
    rot(garden, 2)
    assert garden.tend(mode="refresh").inbox.pending == ()
    garden.tend()
    garden.stage("p/stage-0", "Status: done", days=40)
    garden.stage("p/stage-1", "Status: open", days=40)
    garden.stage("p/stage-9", "Status: done", days=40)
    result = garden.tend(mode="refresh")
    assert [filed.document.proposal.subjects for filed in result.inbox.pending] == [("memory/p/stage-0.md",)]
    assert result.report == ""


def test_a_failed_pass_is_named_and_withdraws_nothing(garden: Garden, monkeypatch: pytest.MonkeyPatch) -> None:
    rot(garden, 2)
    garden.tend()

    def fails(snapshot: object, settings: object, now: object) -> list[Finding]:
        raise ZeroDivisionError("a memory's text")

    broken = tuple(replace(one, find=fails) if one.name == "stale_stage" else one for one in discover())
    monkeypatch.setattr(running, "discover", lambda: broken)
    result = garden.tend()
    (row,) = (row for row in result.passes if row.name == "stale_stage")
    assert (row.status, row.kept) == ("failed", 2)
    assert result.partial
    assert "a memory's text" not in row.error
    assert len(garden.pending()) == 2


def test_passes_that_were_not_run_withdraw_nothing(garden: Garden) -> None:
    rot(garden, 2)
    garden.tend()
    garden.tend(only=["staleness"])
    assert len(garden.pending()) == 2


def test_a_file_with_an_answer_belongs_to_the_person(garden: Garden) -> None:
    path = garden.stage("p/s", "Status: done")
    garden.tend()
    filed = garden.one()
    answered = filed.data.replace(b"pending ", b"accept ")
    garden.write(filed.path, answered)
    path.write_text(path.read_text().replace("Status: done", "Status: open"))
    result = garden.tend()
    assert garden.one().data == answered
    assert [one.id for one in result.outcome.waiting] == [filed.id]


def test_a_moved_on_memory_gets_its_proposal_rewritten(garden: Garden) -> None:
    path = garden.stage("p/s", "Status: done")
    garden.tend()
    before = garden.one()
    path.write_text(path.read_text() + "\n- [ ] one more thing\n")
    garden.tend()
    after = garden.one()
    assert after.id == before.id
    assert after.document.code != before.document.code
    assert "one more thing" in after.document.body


def test_a_pending_file_that_was_deleted_stays_away_for_thirty_days(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    garden.tend()
    (garden.path / garden.one().path).unlink()
    assert garden.tend().inbox.pending == ()
    assert garden.tend(NOW + timedelta(days=29)).inbox.pending == ()
    assert len(garden.tend(NOW + timedelta(days=31)).inbox.pending) == 1


def test_a_pending_file_that_went_with_git_comes_back(garden: Garden) -> None:
    garden.git("init", "-q")
    garden.stage("p/s", "Status: done")
    garden.git("add", "memory", "gardener.toml")
    garden.git("commit", "-qm", "one")
    garden.tend()
    garden.git("add", "-A")
    garden.git("commit", "-qm", "two")
    garden.tend()
    garden.git("checkout", "-q", "HEAD~1")
    assert len(garden.tend().inbox.pending) == 1


def test_a_vanished_memory_is_an_alarm_unless_git_took_it(garden: Garden) -> None:
    garden.git("init", "-q")
    garden.memory("p/a", "First.\n")
    garden.git("add", "-A")
    garden.git("commit", "-qm", "one")
    garden.memory("p/b", "Second.\n")
    garden.git("add", "-A")
    garden.git("commit", "-qm", "two")
    garden.tend()
    garden.git("checkout", "-q", "HEAD~1")
    result = garden.tend()
    assert result.alarms == ()
    assert "memory/p/b.md" in result.news[0]
    (garden.path / "memory/p/a.md").unlink()
    garden.memory("p/c", "Third.\n")
    result = garden.tend()
    assert "memory/p/a.md" in result.alarms[0]
    assert b"Look at this first" in garden.bytes()[result.report]


def test_a_renamed_memory_is_no_loss(garden: Garden) -> None:
    path = garden.memory("p/a", "First.\n")
    garden.tend()
    path.rename(path.with_name("z.md"))
    assert garden.tend().alarms == ()


def test_a_store_that_turns_up_empty_or_missing_stops_the_run(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    garden.tend()
    (garden.path / "memory/p/s.md").rename(garden.path / "s.md")
    with pytest.raises(NoStoreError, match="empty now"):
        garden.tend()
    assert len(garden.pending()) == 1
    (garden.path / "memory/p").rmdir()
    (garden.path / "memory").rmdir()
    with pytest.raises(NoStoreError, match="missing"):
        garden.tend()


@pytest.mark.parametrize("name", ["index.lock", "MERGE_HEAD", "CHERRY_PICK_HEAD", "BISECT_LOG", "rebase-merge/x"])
def test_no_run_while_git_is_in_the_middle_of_something(garden: Garden, name: str) -> None:
    garden.git("init", "-q")
    garden.memory("p/a")
    garden.write(f".git/{name}", "")
    with pytest.raises(BusyError, match=name.split("/")[0]):
        garden.tend()


def test_conflict_markers_in_a_memory_are_a_problem_and_its_links_protect(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    garden.memory("p/m", "<<<<<<< ours\n[[s]]\n=======\nx\n>>>>>>> theirs\n")
    result = garden.tend()
    assert "conflict markers" in result.problems[0].reason
    assert garden.pending() == []


def test_a_malformed_proposal_is_named_and_never_in_the_way(garden: Garden) -> None:
    rot(garden, 2)
    garden.tend()
    garden.write("proposals/pending/stale-stage-x-AAAAAA.md", "---\ndecision: accept\n---\n")
    result = garden.tend()
    assert len(result.inbox.malformed) == 1
    assert len(result.inbox.pending) == 2


def test_own_folders_and_links_are_never_read_as_memories(garden: Garden) -> None:
    garden.settings('[store]\nmemory = ["."]\n')
    rot(garden, 2)
    garden.write("elsewhere.txt", "---\nkind: stage\n---\n")
    (garden.path / "memory/p/link.md").symlink_to(garden.path / "elsewhere.txt")
    first = garden.tend()
    second = garden.tend()
    assert len(first.snapshot.memories) == len(second.snapshot.memories) == 3
    assert [problem.kind for problem in second.problems] == ["symlink"]


def test_what_was_done_by_hand_is_filed_as_applied(garden: Garden) -> None:
    path = garden.stage("p/s", "Status: done")
    garden.tend()
    identity = garden.one().id
    path.write_text(path.read_text().replace("---\nStatus", f"invalid_at: {days_ago(0)}\n---\nStatus"))
    garden.tend()
    filed = garden.inbox.by_id[identity]
    assert filed.state == "applied"
    assert filed.document.proposal.decided[-1].by == "by hand"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[limits]\nmax_pendin = 3\n", "limits.max_pendin is not a setting; did you mean limits.max_pending?"),
        ("[passes.stale_stage]\ndayz = 3\n", "passes.stale_stage.dayz is not a setting"),
        ("[passes.stale_stage]\ndays = 'x'\n", "passes.stale_stage.days"),
        ("[passes.stale_stge]\n", "did you mean passes.stale_stage?"),
        ("[schedule]\nnightly = '25:00'\n", "schedule.nightly"),
        ("[schedule]\nevery = 'soon'\n", "schedule.every"),
        ("[store]\nmemory = ['../x']\n", "not a folder inside the store"),
        ("[store]\nproposals = 'memory'\n", "cannot hold both"),
        ("[store\n", "gardener.toml"),
        ("[daemon]\nconfine = 'maybe'\n", "daemon.confine"),
    ],
)
def test_a_wrong_setting_names_its_full_path(garden: Garden, text: str, says: str) -> None:
    garden.memory("p/a")
    garden.settings(text)
    with pytest.raises(SettingsError) as caught:
        garden.tend()
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_pass_is_one_file(garden: Garden, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that a new pass needs is its module: here one is made up, and the rest of the product knows what to do."""

    def find(snapshot: object, settings: object, now: object) -> list[Finding]:
        return [
            Finding("too_short", f'"{one.name}" is short', (one.path,), (Archive(one.path, "short"),))
            for one in snapshot.active  # type: ignore[attr-defined]
            if len(one.body) < 8
        ]

    extra = (*discover(), Pass("too_short", PassSettings, find))
    for module in ("gardener.tend.passes", "gardener.tend.run", "gardener.tend.configure"):
        monkeypatch.setattr(f"{module}.discover", lambda: extra)
    path = garden.memory("p/a", "Tiny.\n")
    before = path.read_bytes()
    garden.tend()
    filed = garden.one("too_short")
    with garden.decider() as decider:
        decider.answer(filed.id, Answer("accept"))
    assert b"> Archived (short) on 2026-09-01" in path.read_bytes()
    from gardener.review.undo import undo

    with garden.decider() as decider:
        undo(decider, filed.id)
    assert path.read_bytes() == before


def test_a_deleted_rejection_still_holds_and_can_be_written_back(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    garden.tend()
    identity = garden.one().id
    with garden.decider() as decider:
        done = decider.answer(identity, Answer("reject"))
    garden.tend()
    text = (garden.path / done.filed).read_bytes()
    (garden.path / done.filed).unlink()
    for _ in range(2):
        result = garden.tend()
        assert result.inbox.pending == ()
        assert identity in result.news[0]
    assert identity in garden.run("doctor", "--recover").text
    assert [(one.id, one.data) for one in garden.inbox.decided] == [(identity, text)]


def test_conflict_markers_in_a_proposal_keep_a_persons_mark_and_are_written_anew_without_one(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    garden.tend()
    filed = garden.one()
    torn = b"<<<<<<< ours\n" + filed.data + b"=======\n" + filed.data + b">>>>>>> theirs\n"
    garden.write(filed.path, torn.replace(b"- [ ] accept", b"- [x] accept", 1))
    before = garden.bytes()[filed.path]
    garden.tend()
    assert garden.bytes()[filed.path] == before
    garden.write(filed.path, torn)
    garden.tend()
    assert garden.one().data == filed.data


def test_a_proposal_a_person_broke_is_not_written_over(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    garden.tend()
    filed = garden.one()
    broken = filed.data.replace(b"reason:", b"reason: no: never")
    garden.write(filed.path, broken)
    result = garden.tend()
    assert garden.bytes()[filed.path] == broken
    assert len(result.inbox.malformed) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [("reason:", "reason: I will ask first"), ("## Why", "A remark of mine.\n\n## Why"), ("- [ ] hide", "- [x] hide")],
)
def test_what_a_person_wrote_in_a_file_stays(garden: Garden, old: str, new: str) -> None:
    garden.stage("p/s", "Status: done")
    garden.tend()
    filed = garden.one()
    text = filed.data.decode().replace(old, new, 1)
    garden.write(filed.path, text)
    for _ in range(2):
        garden.tend()
        assert (garden.path / filed.path).read_text() == text


def test_a_remark_stays_through_what_is_decided_beside_it(garden: Garden) -> None:
    """Re-basing leaves the words, and the next run still takes the file for a person's."""
    garden.memory("p/m", updated=days_ago(400), created=days_ago(500))
    garden.memory("p/n")
    garden.tend()
    filed = garden.one("staleness")
    garden.write(filed.path, filed.data.replace(b"## Why", b"A remark of mine.\n\n## Why", 1))
    with garden.decider() as decider:
        by_hand.qualify(decider, "m", "n")
    assert garden.one("staleness").document.code != filed.document.code
    for _ in range(2):
        garden.tend()
        assert b"A remark of mine." in garden.one("staleness").data


def test_a_folder_that_cannot_be_read_withdraws_nothing_and_is_no_loss(garden: Garden) -> None:
    garden.memory("p/a", "The same words in two files.\n", description="words")
    garden.memory("p/b", "The same words in two files.\n", description="words")
    garden.memory("q/c")
    garden.tend()
    assert len(garden.pending("dedup")) == 1
    with (garden.path / "memory/p/b.md").open("wb") as huge:
        huge.truncate((64 << 20) + 1)
    result = garden.tend()
    assert result.partial
    assert len(garden.pending("dedup")) == 1
    assert result.alarms == ()


def test_a_run_of_one_pass_asks_no_second_question(garden: Garden) -> None:
    garden.memory("p/other")
    garden.stage("p/s", "Status: done", project="q")
    garden.tend()
    assert [one.document.proposal.pass_name for one in garden.pending()] == ["stale_stage"]
    garden.tend(only=["identity"])
    assert [one.document.proposal.pass_name for one in garden.pending()] == ["stale_stage"]


def test_a_finding_for_which_there_is_no_room_costs_no_open_file_its_place(garden: Garden) -> None:
    garden.settings("[limits]\nmax_pending = 1\n")
    garden.memory("p/s", kind="gotcha", project="q")
    first = garden.tend().inbox.pending
    assert len(first) == 1
    garden.memory("p/s", kind="gotcha", project="q", updated=days_ago(300), created=days_ago(400))
    result = garden.tend()
    assert len(result.inbox.pending) == 1
    assert garden.tend().inbox.pending == result.inbox.pending


def test_a_replaced_proposal_counts_once_for_the_cap(garden: Garden) -> None:
    garden.settings("[limits]\nmax_pending = 1\n")
    words = "The same few words about the deploy in several files.\n"
    garden.memory("p/deploy-a", words, description="the deploy")
    garden.memory("p/deploy-b", words, description="the deploy")
    garden.stage("p/s", "Status: done", days=20)
    garden.tend()
    garden.memory("p/deploy-c", words, description="the deploy")
    assert len(garden.tend().inbox.pending) == 1


def test_yaml_that_is_refused_is_named_and_never_written_into(garden: Garden) -> None:
    words = "The same few words about the deploy in both files.\n"
    garden.memory("p/deploy", words, description="what a deploy does")
    garden.write(
        "memory/p/deploy-2.md", f"---\nname: &x deploy\ndescription: what a deploy does\nkind: gotcha\n---\n{words}"
    )
    result = garden.tend()
    assert "anchors" in result.problems[0].reason
    assert garden.pending() == []


def test_a_name_that_is_not_text_is_named_and_the_rest_is_tended(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    (garden.path / "memory/p").joinpath(b"b\xff.md".decode("utf-8", "surrogateescape")).write_text("x\n")
    result = garden.tend()
    assert "not UTF-8" in result.problems[0].reason
    assert len(garden.pending()) == 1


def test_what_an_apply_withdrew_was_not_removed_by_hand(garden: Garden) -> None:
    words = "The same few words about the deploy in both files.\n"
    garden.memory("p/deploy-a", words, description="the deploy")
    path = garden.memory("p/deploy-b", words, description="the deploy", kind="gocha")
    garden.tend(only=["identity"])
    assert len(garden.pending("identity")) == 1
    with garden.decider() as decider:
        from gardener.review import by_hand
        from gardener.review.undo import undo

        done = by_hand.archive(decider, "deploy-b", "old")
        assert garden.pending("identity") == []
        undo(decider, done.id)
    assert b"invalid_at" not in path.read_bytes()
    garden.tend(only=["identity"])
    assert len(garden.pending("identity")) == 1


def test_a_snooze_outlives_a_changed_plan(garden: Garden) -> None:
    path = garden.stage("p/s", "Status: done")
    garden.tend()
    with garden.decider() as decider:
        decider.answer(garden.one().id, Answer("snooze", days=30))
    path.write_text(path.read_text() + "One more line.\n")
    garden.tend()
    assert garden.one().document.proposal.until


def test_a_failed_pass_writes_the_same_report_twice(garden: Garden, monkeypatch: pytest.MonkeyPatch) -> None:
    rot(garden, 2)

    def fails(snapshot: object, settings: object, now: object) -> list[Finding]:
        raise ZeroDivisionError

    broken = tuple(replace(one, find=fails) if one.name == "craft" else one for one in discover())
    monkeypatch.setattr(running, "discover", lambda: broken)
    garden.tend()
    before = garden.bytes()
    garden.tend()
    assert garden.bytes() == before


def test_recovering_writes_over_no_file_a_person_has_to_resolve(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    garden.tend()
    with garden.decider() as decider:
        done = decider.answer(garden.one().id, Answer("reject"), reason="mine")
    garden.tend()
    torn = b"<<<<<<< ours\nmine\n=======\ntheirs\n>>>>>>> theirs\n"
    garden.write(done.filed, torn)
    assert garden.run("doctor", "--recover").code == 4, "it names the file"
    assert (garden.path / done.filed).read_bytes() == torn
