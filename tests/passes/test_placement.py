"""Files that lie where they do not belong."""

import pytest

from tests.garden import Garden, days_ago
from tests.passes.kit import accept, advice, proposed

DOCUMENT = "\n\n".join(f"## Part {n}\n\n" + f"Paragraph {n} goes on about its own matter. " * 25 for n in range(9))
DAYS = "\n".join(f"## 2026-08-0{n}\nDid something on day {n}.\n" for n in (1, 2, 3))


def test_left_alone(garden: Garden) -> None:
    garden.memory("p/fine", "## 2026-08-01\nOnce.\n")
    garden.memory("p/linked", DAYS)
    garden.memory("p/linking", "[[linked]]\n")
    garden.stage("p/open-work", "No header. Shipped half; the rest is still open.", days=1)
    garden.memory("p/changelog", f"Write it like this:\n\n```\n{DAYS}\n```\n", kind="convention")
    steps = "\n".join(f"# step {n}\n" + "word " * 150 for n in range(9))
    garden.memory("p/setup", f"The setup fails.\n\n~~~sh\n{steps}\n~~~\n")
    for kind in ("decision", "refuted", "gotcha"):
        garden.memory(f"p/2026-08-01-{kind}", "We use a table; a queue was rejected.\n", kind=kind)
    assert proposed(garden, "placement") == []


@pytest.mark.parametrize(
    "body",
    [
        f"The outages of the mailer and what they taught.\n\n{DAYS}",
        f"Lessons:\n\n{DAYS}",
        "\n".join(f"## 2026-08-0{n}\nIt hung on day {n} because of the disk.\n" for n in (1, 2, 3)),
        "\n".join(f"## 2026-08-0{n}\nNever start host {n} before the disk is there.\n" for n in (1, 2, 3)),
    ],
)
def test_dated_cases_of_a_lesson_are_left_alone(garden: Garden, body: str) -> None:
    garden.memory("p/log", body, kind="reference")
    assert proposed(garden, "placement") == []


def test_one_lesson_among_the_days_makes_no_lesson_of_a_journal(garden: Garden) -> None:
    garden.memory("p/log", f"{DAYS}\n## 2026-08-04\nIt hung because of the disk.\n", kind="reference")
    garden.memory("p/late", f"{'What was done on each day. ' * 20}It held lessons.\n\n{DAYS}", kind="reference")
    assert proposed(garden, "placement") == [("memory/p/late.md",), ("memory/p/log.md",)]


@pytest.mark.parametrize("data", [b"A note.\n", b"x" * 1_100_000, b"<<<<<<< a\nOne.\n=======\nTwo.\n>>>>>>> b\n"])
def test_a_file_that_is_there_is_in_the_way_whether_it_was_read_or_not(garden: Garden, data: bytes) -> None:
    garden.memory("p/log", DAYS)
    garden.write("notes/p/log.md", data)
    assert proposed(garden, "placement") == []


def test_a_plain_store_keeps_its_journals_as_it_likes(garden: Garden) -> None:
    garden.write("memory/2026-08-01.md", DAYS)
    assert proposed(garden, "placement") == []


def test_a_long_memory_of_one_piece_and_a_long_runbook_are_left_alone(garden: Garden) -> None:
    garden.memory("p/long", "One word after another. " * 400)
    garden.memory("p/steps", DOCUMENT, kind="runbook")
    assert proposed(garden, "placement") == []


def test_a_store_without_notes_keeps_everything(garden: Garden) -> None:
    garden.settings("[store]\nnotes = []\n")
    garden.memory("p/log", DAYS)
    assert proposed(garden, "placement") == []


def test_a_journal_moves_to_the_notes_without_what_only_a_memory_has(garden: Garden) -> None:
    path = garden.memory("p/log", DAYS, invalid_at="null  # still true", mood="fine", tags="[x, y]")
    data = path.read_bytes()
    assert proposed(garden, "placement") == [("memory/p/log.md",)]
    identity = garden.one("placement").id
    accept(garden, "placement")
    assert not path.exists()
    moved = data.replace(b"kind: gotcha\n", b"").replace(b"invalid_at: null  # still true\n", b"")
    assert garden.memories()["notes/p/log.md"] == moved
    assert garden.run("undo", identity).code == 0
    assert path.read_bytes() == data


def test_the_notes_may_lie_elsewhere(garden: Garden) -> None:
    garden.settings('[store]\nnotes = ["docs/notes"]\n')
    garden.memory("p/log", DAYS)
    assert proposed(garden, "placement") == [("memory/p/log.md",)]
    accept(garden, "placement")
    assert "docs/notes/p/log.md" in garden.memories()


def test_a_document(garden: Garden) -> None:
    garden.memory("p/report", DOCUMENT)
    assert proposed(garden, "placement") == [("memory/p/report.md",)]


def test_a_day_by_its_name(garden: Garden) -> None:
    garden.memory("p/2026-08-01-standup", "What was said.\n", kind="reference")
    assert proposed(garden, "placement") == [("memory/p/2026-08-01-standup.md",)]


@pytest.mark.parametrize(
    "left",
    ["TODO: the pages.", "The pages are not yet written.", "- [ ] pages", "Two pages are left.", "Offen: Seiten."],
)
def test_a_stage_that_says_what_is_open_is_no_milestone(garden: Garden, left: str) -> None:
    garden.memory("p/fine")
    garden.stage("p/launch", f"The new checkout went live on 2026-08-20.\n\n{left}", days=1, body="")
    assert proposed(garden, "placement") == []


def test_a_milestone_filed_as_a_stage(garden: Garden) -> None:
    garden.memory("p/fine")
    garden.stage("p/launch", "The new checkout went live on 2026-08-20.", days=1, body="")
    assert proposed(garden, "placement") == [("memory/p/launch.md",)]


def test_a_global_memory_about_one_project_is_advice(garden: Garden) -> None:
    garden.memory("billing/a")
    garden.memory("search/b")
    garden.memory("_global/g", "How billing is deployed: billing goes first.\n", project=None, updated=days_ago(1))
    assert advice(garden, "placement") == ['global "g" speaks of billing only']
