"""The report of real runs: written where something changed, and true to the store."""

from datetime import timedelta

import pytest

from gardener.model.edit import Move, Replace
from gardener.model.finding import Finding
from gardener.proposals.answers import Answer
from tests.garden import NOW, Garden, days_ago, words
from tests.review.test_apply import propose

LATER = NOW + timedelta(days=1)


def written(garden: Garden) -> str:
    """The newest report."""
    return max(garden.path.glob("reports/*.md")).read_text()


def test_nothing_changed_nothing_written(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    garden.tend()
    before = garden.bytes()
    for now in (NOW, LATER, NOW + timedelta(days=30)):
        assert garden.tend(now).report == ""
        assert garden.bytes() == before


def test_a_change_of_confinement_is_told_once_and_only_a_change(garden: Garden) -> None:
    garden.memory("p/a")
    for level in ("", "full", "full", ""):
        garden.tend(confinement=level)
    before = garden.bytes()
    assert not any(b"confinement" in data for data in before.values())
    assert garden.tend(LATER, confinement="none", mode="refresh").report == ""
    assert garden.bytes() == before
    assert garden.tend(LATER, confinement="none").report == "reports/2026-09-02.md"
    assert "confinement changed from full to none" in written(garden)
    before = garden.bytes()
    assert garden.tend(LATER + timedelta(days=1), confinement="none").report == ""
    assert garden.bytes() == before


def test_a_loss_that_a_refresh_saw_is_told_at_night_and_all_that_day(garden: Garden) -> None:
    for name in "abc":
        path = garden.memory(f"p/{name}")
    garden.tend()
    path.unlink()
    assert garden.tend(mode="refresh").report == ""
    told = b"Something is missing that nobody decided on"
    assert told in garden.run("report", now=LATER).out, "printed without being written, and not for the last time"
    assert garden.tend(LATER).report
    assert told in garden.run("report", now=LATER).out
    assert "memory/p/c.md" in written(garden)
    garden.memory("p/d")
    garden.tend(LATER)
    assert "| Active | 3 |" in written(garden)
    assert "memory/p/c.md" in written(garden), "the day's report is written anew, and still says it"
    garden.memory("p/e")
    garden.tend(LATER + timedelta(days=1))
    assert "memory/p/c.md" not in written(garden)


def test_a_report_says_what_became_of_the_last_ones_proposals(garden: Garden) -> None:
    for name in "abc":
        garden.stage(f"p/{name}", "Status: done", days=30, body=f"\n{words(name)}")
    garden.tend()
    a, b, c = garden.pending("stale_stage")
    with garden.decider() as decider:
        decider.answer(a.id, Answer("accept"))
        decider.answer(b.id, Answer("reject"))
    garden.stage("p/c", "Status: open", days=1, body=f"\n{words('c')}")
    garden.stage("p/d", "Status: done", days=30, body=f"\n{words('d')}")
    garden.tend(LATER)
    said = written(garden)
    assert f"1 applied: [{a.id}](../proposals/applied/" in said
    assert f"1 rejected: [{b.id}](../proposals/rejected/" in said
    assert f"1 withdrawn, since their memories changed: {c.id}" in said
    assert f"1 new proposal: [{garden.one('stale_stage').id}](../proposals/pending/" in said
    assert "active memories: 3 → 3" not in said
    assert "Accepted this week: stale_stage 1 of 2." in said


def test_tokens_are_those_a_briefing_would_lose(garden: Garden) -> None:
    garden.memory("p/old", "Body.\n", updated=days_ago(200), description="x" * 93)
    garden.memory("p/new", "Body.\n", description="y" * 93)
    garden.tend()
    assert "save about 25 of the 50 tokens" in written(garden), "name, colon, blank and description, four to a token"


def test_tokens_of_what_moves_away_count_and_of_what_cannot_be_applied_do_not(garden: Garden) -> None:
    moved, moved_on = "memory/p/moved.md", "memory/p/moved-on.md"
    for name in ("moved", "moved-on"):
        garden.memory(f"p/{name}", "Body.\n", description="x" * 80)
    move = propose(garden, Finding("placement", "a journal", (moved,), (Move(moved, "notes/p/moved.md"),)))
    stale = propose(garden, Finding("links", "a link", (moved_on,), (Replace(moved_on, 10, "Another line.", None),)))
    for identity in (move, stale):
        filed = garden.inbox.by_id[identity]
        garden.write(filed.path, filed.data.decode().replace("- [ ] accept", "- [x] accept"))
    garden.tend()
    assert "save about 22 of the 45 tokens" in written(garden)


@pytest.mark.parametrize(
    ("mark", "listed", "verdict"),
    [
        ("pending CODE", "Decide first", "1 proposal waits for a decision."),
        ("reject CODE", "Decided, not applied", "1 answer waits to be applied."),
        ("perhaps CODE", "Problems", "1 file has a problem."),
        ("reject", "Problems", "1 file has a problem."),
    ],
)
@pytest.mark.parametrize("snoozed", [False, True])
def test_an_answer_that_cannot_be_read_is_a_problem_and_waits_for_nothing(
    garden: Garden, mark: str, listed: str, verdict: str, snoozed: bool
) -> None:
    garden.stage("p/s", "Status: done")
    garden.tend()
    if snoozed:
        garden.run("snooze", garden.one().id, "--for", "3d")
    filed = garden.one()
    line = f"decision: pending {filed.document.code}"
    garden.write(
        filed.path, filed.data.decode().replace(line, f"decision: {mark.replace('CODE', filed.document.code)}")
    )
    (garden.path / "reports/history.jsonl").unlink()
    garden.tend()
    places = {part.split("\n")[0]: part for part in written(garden).split("\n## ")}
    if snoozed and "pending" in mark:
        assert "Nothing to decide and nothing wrong." in written(garden)
        return
    assert filed.path.rsplit("/", 1)[-1] in places.pop(listed)
    kept = [name for name in places if filed.id in places[name]]
    assert kept in ([], ["What the scores are made of"])
    assert verdict in written(garden)


def test_only_look_alikes_written_since_the_last_report_are_new(garden: Garden) -> None:
    garden.settings("[passes.dedup]\nbar = 0.95\n")
    text = "The tunnel of the staging cluster closes after ten idle minutes, and the deploy job hangs.\n"
    garden.memory("p/tunnel-idle", text)
    garden.memory("p/tunnel-hang", "The deploy job hangs when the staging cluster has closed its idle tunnel.\n")
    garden.tend()
    assert "tunnel-hang](../memory/p/tunnel-hang.md) and [p/tunnel-idle](" in written(garden)
    garden.memory("p/other", updated="2026-09-03T10:00:00Z")
    garden.tend(NOW + timedelta(days=3))
    assert "tunnel-hang.md) and [p/tunnel-idle](" not in written(garden)
    garden.memory("p/tunnel-idle", text + "It reopens by itself.\n", updated="2026-09-05T10:00:00Z")
    garden.memory("p/another", updated="2026-09-05T10:00:00Z")
    garden.tend(NOW + timedelta(days=5))
    assert "tunnel-hang](../memory/p/tunnel-hang.md) and [p/tunnel-idle](" in written(garden)


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Auckland"])
def test_the_day_is_the_local_one(garden: Garden, zone: str) -> None:
    from zoneinfo import ZoneInfo

    garden.stage("p/s", "Status: done")
    garden.tend()
    with garden.decider() as decider:
        decider.answer(garden.one().id, Answer("accept"))
    report = garden.tend((NOW + timedelta(hours=3)).astimezone(ZoneInfo(zone))).report
    assert report == ("reports/2026-09-01.md" if zone == "UTC" else "reports/2026-09-02.md")
    assert "| Decided | 1 |" in written(garden)
