"""Faults of writing: mended where that takes no knowledge, else said."""

import pytest

from tests.garden import Garden
from tests.passes.kit import accept, advice, graph, proposed

TAIL = " The rest of the text is plain and says what it is about in English."


@pytest.mark.parametrize(
    "body",
    [
        "Invoices are closed on the first of the month by the batch host.",
        'The error text is "please try again tomorrow" and it comes from the proxy.',
        "Gestern wurde der Export geändert, und der Nutzer hat gesagt, dass er morgen läuft.",
        "The adapters are make-it-work-today code and go with the next host of the export.",
        "Run `date --date=yesterday` for the file name of the export.",
    ],
)
def test_left_alone(garden: Garden, body: str) -> None:
    graph(garden, "p/m", body + (TAIL if "Gestern" not in body else "\n"), description="d")
    graph(garden, "p/event", "Yesterday the export failed." + TAIL, type="event", importance="0.4")
    garden.memory("p/lifecycle", "Yesterday the export failed." + TAIL)
    assert advice(garden, "craft") == []
    assert proposed(garden, "craft") == []


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("The export failed yesterday and was started again.", "unknown now"),
        ("The user asked for shorter answers in the reviews.", "sums up a chat"),
        ("Please read this before touching the vector store.", "speaks to the reader"),
        ("Some background: it all began with the move of the host.", "comes to its point late"),
        ("The export was started again for the third time.", "counts along"),
        ("This memory describes how the export is run by hand.", "talk about itself"),
        ("I think that the export is locked by the other job.", "guesses"),
        ("It is started by the batch host at four in the morning.", "what it is about"),
        ("> The export failed.\n> It was started again.\n> It is the third time.\n", "quotation"),
    ],
)
def test_faults(garden: Garden, body: str, says: str) -> None:
    graph(
        garden,
        "p/m",
        body if body.startswith(">") else body + TAIL,
        description="how the export of the invoices is run on the host",
    )
    found = advice(garden, "craft")
    assert len(found) == 1
    assert says in found[0]


def test_it_can_be_asked_for_everywhere(garden: Garden) -> None:
    garden.settings("[passes.craft]\neverywhere = true\n")
    garden.memory("p/lifecycle", "The export failed yesterday." + TAIL)
    assert len(advice(garden, "craft")) == 1


@pytest.mark.parametrize(
    ("line", "mended"),
    [
        ("Remember that the store starts before the indexer.", "The store starts before the indexer."),
        ("Please note: the store starts before the indexer.", "The store starts before the indexer."),
        (
            "The export failed yesterday and was started again.",
            "The export failed on 2026-08-11 and was started again.",
        ),
        ("Tomorrow the host is moved, as of today.", "On 2026-08-13 the host is moved, as of 2026-08-12."),
        ("Since yesterday the host of the export is down.", "Since 2026-08-11 the host of the export is down."),
        ("Remember that user_id is the key of the table.", "user_id is the key of the table."),
        ("Note that kubectl is pinned to the cluster.", "kubectl is pinned to the cluster."),
    ],
)
def test_what_can_be_mended_without_knowing_more(garden: Garden, line: str, mended: str) -> None:
    day = "2026-08-12T12:00:00Z"
    graph(
        garden,
        "p/m",
        f"# Export\r\n\r\n{line}\r\nAll of it is in English and says what it is.\r\n",
        created=day,
        updated=day,
    )
    assert proposed(garden, "craft") == [("memory/p/m.md",)]
    accept(garden, "craft")
    assert f"\r\n{mended}\r\n".encode() in garden.memories()["memory/p/m.md"]
    assert proposed(garden, "craft") == []


@pytest.mark.parametrize(
    ("body", "updated"),
    [
        ("The export failed yesterday and was started again.", "2026-08-20T12:00:00Z"),
        ('The mail says "see you tomorrow" and is in the archive of the list.', "2026-08-12T12:00:00Z"),
        ("Run `at tomorrow` for the export of the list on the host.", "2026-08-12T12:00:00Z"),
        ("Note the order: the store is first and the indexer is second.", "2026-08-12T12:00:00Z"),
        ("Note to reviewers: the API of the host is not to be changed.", "2026-08-12T12:00:00Z"),
        *(
            (text, "2026-08-12T12:00:00Z")
            for text in (
                "Call datetime.today() for the name of the report.",
                "It is at reports/today/index on the share of the host.",
                "See [[today]] for the list of the day.",
                "See [today](today.md) for the list that is made today.",
                "USA Today is the paper of the team.",
                "The paper is called Today by the team.",
                "The deploy was moved to yesterday evening by the team.",
                "The deploy of yesterday evening was moved by the team.",
                "Today is the day of the release for the team.",
                "The meeting of the team is today at 10 in the hall.",
                "For today the list of the team is empty.",
                "Today counts as the day of the release for the team.",
                "The lists of today and tomorrow are on the board.",
                "The tool has the flags today, tomorrow and week.",
                "The value is today_utc in the table, or today-1 for the day before.",
                "The value is $today or #today or today=1 in the table.",
                "    today = now() is the first line of the script.",
            )
        ),
        ("The export of yesterday's list is kept on the host for a day.", "2026-08-12T12:00:00Z"),
    ],
)
def test_what_is_not_mended(garden: Garden, body: str, updated: str) -> None:
    graph(garden, "p/m", body + TAIL, created="2026-08-12T12:00:00Z", updated=updated)
    assert proposed(garden, "craft") == []
