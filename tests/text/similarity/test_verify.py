"""What two texts are to each other: over a hundred rows, each side by side with its near miss."""

import pytest

from tests.text.similarity.made import judged, made, said

LONG = """# Release checklist

Every release is cut from the main branch on a quiet day.
The changelog names each user-visible change in the user's own words.
- Build the wheel in a clean container and install it once.
- Upload the symbols before the binaries, or crash reports stay blank.
- Tell the support rota an hour ahead; they open the incident channel.
The rollback is rehearsed once a quarter by whoever joined last.
"""


def with_line(line: str) -> str:
    return f"{LONG}\n{line}\n"


AT_ODDS = [
    # numbers, ports, sizes
    ("The billing service listens on port 8080.", "The billing service listens on port 9090."),
    ("Retry three times before giving up.", "Retry five times before giving up."),
    ("Retry 3 times before giving up.", "Retry four times before giving up."),
    ("The pool holds 20 connections per worker.", "The pool holds 200 connections per worker."),
    ("Requests time out after 30 seconds.", "Requests time out after 45 seconds."),
    ("Requests time out after 30s.", "Requests time out after 90 seconds."),
    ("The cache may grow to 5 MB.", "The cache may grow to 50 MB."),
    ("Keep logs for 14 days.", "Keep logs for 30 days."),
    ("Coverage has to stay above 80 %.", "Coverage has to stay above 95 %."),
    ("Allow 1,000 rows per batch.", "Allow 10,000 rows per batch."),
    ("The threshold is 0.88 on the cosine.", "The threshold is 0.91 on the cosine."),
    ("Offset the pointer by -5 before reading.", "Offset the pointer by 5 before reading."),
    # dates and times
    ("The freeze starts on October 15.", "The freeze starts on October 16."),
    ("The freeze starts on 2026-10-15.", "The freeze starts on 2026-10-16."),
    ("The nightly job runs at 04:30.", "The nightly job runs at 05:30."),
    ("The review is every Monday.", "The review is every Thursday."),
    ("The report is due in March.", "The report is due in May."),
    ("The backup runs daily.", "The backup runs weekly."),
    ("The second attempt is logged.", "The third attempt is logged."),
    # versions
    ("The plugin needs v1.2 of the host.", "The plugin needs v1.3 of the host."),
    ("Pin the parser to 2.4.1 everywhere.", "Pin the parser to 2.5.0 everywhere."),
    ("Support ends with version 3.11.", "Support ends with version 3.12."),
    # ids, commits
    ("The crash was fixed in #260.", "The crash was fixed in #480."),
    ("The crash was fixed by commit 4f2a9bc1.", "The crash was fixed by commit 9d01e77a."),
    ("Tracked as GRD-1204 on the board.", "Tracked as GRD-1388 on the board."),
    # hosts, urls, paths, flags
    ("The mirror is at 10.0.4.17 inside the network.", "The mirror is at 10.0.4.71 inside the network."),
    ("The database is db.internal:5432 in every zone.", "The database is db.internal:6432 in every zone."),
    (
        "Docs live at https://docs.example.org/v1 for everyone.",
        "Docs live at https://docs.example.org/v2 for everyone.",
    ),
    ("Settings are read from /etc/app/main.conf at start.", "Settings are read from /etc/app/local.conf at start."),
    ("Run the linter with --strict in the hook.", "Run the linter with --relaxed in the hook."),
    # colours, environments
    ("The accent colour is purple.", "The accent colour is cyan."),
    ("The seed data is loaded into staging.", "The seed data is loaded into production."),
    # polarity
    ("The adapter fits the old rack.", "The adapter does not fit the old rack."),
    ("The adapter fits the old rack.", "The adapter doesn't fit the old rack."),
    ("The hook can run twice.", "The hook cannot run twice."),
    ("Sessions are shared between tabs.", "Sessions are never shared between tabs."),
    ("The cache is safe to delete.", "The cache is not safe to delete."),
    ("Uploads need a token.", "Uploads need no token."),
    ("Enable the proxy for builds.", "Disable the proxy for builds."),
    ("Telemetry is enabled by default.", "Telemetry is disabled by default."),
    ("Always squash before merging.", "Never squash before merging."),
    ("Run migrations before the deploy.", "Run migrations after the deploy."),
    ("The flag must be set.", "The flag must not be set."),
    ("Turn the limiter on during imports.", "Turn the limiter off during imports."),
    ("The endpoint is public.", "The endpoint is private."),
    ("The field is required.", "The field is optional."),
    ("Writes are synchronous.", "Writes are asynchronous."),
    ("The parser is strict about commas.", "The parser is lenient about commas."),
    ("Exclude the vendor folder from search.", "Include the vendor folder in search."),
    ("The old dashboard is supported.", "The old dashboard is unsupported."),
    ("Locking is manual here.", "Locking is automatic here."),
    ("Deploys are allowed on Fridays.", "Deploys are forbidden on Fridays."),
    ("All workers restart on a change.", "None of the workers restart on a change."),
    ("Use tabs with the formatter.", "Use tabs without the formatter."),
    ("The result is valid.", "The result is invalid."),
    ("Prefer the batch endpoint for exports.", "Avoid the batch endpoint for exports."),
    ("\u2713 mobile layout works", "\u2717 mobile layout works"),
    ("- [x] rotate the signing key", "- [ ] rotate the signing key"),
    ("Use the legacy importer.", "~~Use the legacy importer.~~"),
    # scope
    ("Run the full suite.", "Run the full suite only."),
    ("Secrets are masked in logs.", "Secrets are masked in logs temporarily."),
    # order and arguments
    ("Copy the data from staging to the archive.", "Copy the data from the archive to staging."),
    ("The client calls the broker.", "The broker calls the client."),
    ("Alice reviews what Bob writes.", "Bob reviews what Alice writes."),
    ("Tests come before the code.", "The code comes before tests."),
    ("The parser depends on the lexer.", "The lexer depends on the parser."),
    ("Only admins may delete a queue.", "Admins may only delete a queue."),
    ("Call Ada Park ( Rui Stone ) at night.", "Call Rui Stone ( Ada Park ) at night."),
    ("Use tabs in makefiles and spaces in scripts.", "Use spaces in makefiles and tabs in scripts."),
    ("For the API use port 80, for the UI use port 90.", "Use port 80 for the UI, use port 90 for the API."),
    ("In makefiles tabs, under scripts spaces.", "Tabs under scripts, spaces in makefiles."),
    ("In Go files use tabs, in Lua files never use tabs.", "Use tabs in Lua files, never use tabs in Go files."),
    ("Before it stop the worker, after it stop the queue.", "Stop the worker after it, stop the queue before it."),
    # one other word
    ("Store sessions in Redis.", "Store sessions in Postgres."),
    ("The owner of the queue is Marta.", "The owner of the queue is Jonas."),
    ("Deploy with Ansible from the bastion.", "Deploy with Terraform from the bastion."),
]


@pytest.mark.parametrize(("a", "b"), AT_ODDS)
def test_never_the_same_alone(a: str, b: str) -> None:
    assert said(a, b).verdict not in {"duplicate", "contained"}
    assert said(b, a).verdict not in {"duplicate", "contained"}


@pytest.mark.parametrize(("a", "b"), AT_ODDS)
def test_never_the_same_within_equal_text(a: str, b: str) -> None:
    """The changed sentence is one of eight equal ones: what it says is not lost by calling the two the same."""
    assert said(with_line(a), with_line(b)).verdict not in {"duplicate", "contained"}


CONFLICTS = [
    ("The billing service listens on port 8080.", "The billing service listens on port 9090."),
    ("Requests time out after 30 seconds.", "Requests time out after 45 seconds."),
    ("The accent colour is purple.", "The accent colour is cyan."),
    ("The freeze starts on October 15.", "The freeze starts on October 16."),
    ("The crash was fixed in #260.", "The crash was fixed in #480."),
    ("The plugin needs v1.2 of the host.", "The plugin needs v1.3 of the host."),
    ("The adapter fits the old rack.", "The adapter does not fit the old rack."),
    ("Telemetry is enabled by default.", "Telemetry is disabled by default."),
    ("Always squash before merging.", "Never squash before merging."),
    ("Run migrations before the deploy.", "Run migrations after the deploy."),
    ("Deploys are allowed on Fridays.", "Deploys are forbidden on Fridays."),
    ("The review is every Monday.", "The review is every Thursday."),
    ("Uploads need a token.", "Uploads need no token."),
    ("Settings are read from /etc/app/main.conf at start.", "Settings are read from /etc/app/local.conf at start."),
]


@pytest.mark.parametrize(("a", "b"), CONFLICTS)
def test_conflict_within_equal_text(a: str, b: str) -> None:
    found = said(with_line(a), with_line(b))
    assert found.verdict == "conflict"
    assert [(one.a.text, one.b.text) for one in found.disputes] == [(a, b)]


@pytest.mark.parametrize(("a", "b"), CONFLICTS)
def test_conflict_alone(a: str, b: str) -> None:
    assert said(a, b).verdict == "conflict"


SAME = [
    ("Keep it short.", "Keep it short."),
    ("Keep the summary short.", "Keep the Summary short"),
    ("Don't commit to main.", "Do not commit to main."),
    ("**Never** push to `main`.", "Never push to main."),
    ("- Build the wheel first.\n- Sign the tag.", "Build the wheel first. Sign the tag."),
    ("1. Build the wheel.\n2. Sign the tag.", "* Build the wheel.\n* Sign the tag."),
    ("Read the \u201cspec\u201d first \u2014 it\u2019s short.", 'Read the "spec" first - it\'s short.'),
    ("Wait 30 seconds before the retry.", "Wait 30s before the retry."),
    ("Retry three times.", "Retry 3 times."),
    ("See [[deploy-notes]] for the order.", "See [[deploy-notes|the notes]] for the order."),
    ("> Quoted advice stays advice.", "Quoted advice stays advice."),
    ("The test suite is slow\non purpose.", "The test suite is slow on purpose."),
    ("# Title\n\nOne fact here.", "## Title\nOne fact here."),
    (
        "\u65e5\u672c\u8a9e\u306e\u6587\u7ae0\u3067\u3059\u3002",
        "\u65e5\u672c\u8a9e\u306e\u6587\u7ae0\u3067\u3059\u3002",
    ),
    ("Die Pr\u00fcfung l\u00e4uft jede Nacht.", "Die Pr\u00fcfung l\u00e4uft jede Nacht"),
    ("Deploy to US-EAST-1 with the en-US texts.", "Deploy to us-east-1 with the en-us texts."),
    ("```\nmake check\n```", "```sh\nmake check\n```"),
    ("Before a release run the linter and the tests.", "Run the linter and the tests before a release."),
    ("The grid is twice as fine in coastal waters.", "In coastal waters the grid is twice as fine."),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_the_same(a: str, b: str) -> None:
    assert said(a, b).verdict == "duplicate"


def test_a_subset_is_contained_not_duplicate() -> None:
    part = "\n".join(LONG.splitlines()[:6])
    for found, smaller in ((said(part, LONG), "a"), (said(LONG, part), "b")):
        assert (found.verdict, found.smaller) == ("contained", smaller)


def test_a_word_put_for_another_in_two_places_makes_a_variant() -> None:
    text = "Restart {0} after a deploy. The queue of {0} drains by itself. Nobody may page the {0} owner at night."
    found = said(text.format("ledger"), text.format("search"))
    assert found.verdict == "variant"
    assert found.because == "where one says ledger, the other says search"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Until May the upload limit was 5 MB.", "The upload limit is 50 MB."),
        ("Use tabs in makefiles; two spaces in scripts.", "Use two spaces in scripts; tabs in makefiles."),
        ("Originally the review had been every Monday.", "The review is every Thursday."),
        ("Data of the EU region is kept for 30 days.", "Data of the US region is kept for 90 days."),
        ("M\u00fcssen Sicherungen heute gepr\u00fcft werden.", "Heute gepr\u00fcft werden m\u00fcssen Sicherungen."),
    ],
)
def test_what_was_is_elsewhere_or_only_moved_is_no_conflict(a: str, b: str) -> None:
    assert said(a, b).verdict != "conflict"
    assert said(with_line(a), with_line(b)).disputes == ()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Always show knots first.", "Never show knots first."),
        ("The relay is active low.", "The relay is active high."),
    ],
)
def test_opposites_in_description_and_body_are_no_two_subjects(a: str, b: str) -> None:
    one, two = (made(f"p/{name}", text, description=text) for name, text in (("note", a), ("memo", b)))
    assert judged(one, two).verdict == "conflict"


def test_a_description_may_go_on_where_the_body_is_the_same() -> None:
    body = "Deck plans lie in the cache for six hours.\n"
    short = made("p/note", body, description="Deck plans are cached for six hours")
    longer = made(
        "p/memo", body + "A refit empties it.\n", description="Deck plans are cached for six hours; a refit purges"
    )
    limited = made("p/memo", body, description="Deck plans are cached for six hours, except at sea")
    assert (judged(short, longer).verdict, judged(short, longer).smaller) == ("contained", "a")
    assert judged(short, limited).verdict not in {"duplicate", "contained"}
    narrow = made("p/memo", body, description="Deck plans are cached for six hours if the purser agrees")
    assert judged(short, narrow).verdict not in {"duplicate", "contained"}


def test_what_was_announced_still_contradicts() -> None:
    a, b = (f"The freeze that was announced holds until {day} May for the shop." for day in (12, 19))
    assert said(a, b).verdict == "conflict"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("restart-billing", "restart-payments"),
        ("phase-2-notes", "phase-3-notes"),
        ("2026-05-01-standup", "2026-05-02-standup"),
        ("sprint-12", "sprint-13"),
    ],
)
def test_names_that_count_or_name_another_subject_make_a_variant(a: str, b: str) -> None:
    first, second = (made(f"p/{name}", f"# {name}\n\n{LONG}Ask the {name.split('-')[-1]} owner.\n") for name in (a, b))
    assert judged(first, second).verdict == "variant"


def test_an_equal_text_under_another_name_is_a_copy() -> None:
    assert judged(made("p/release-checklist", LONG), made("p/release-checklist-2", LONG)).verdict == "duplicate"


UNRELATED = [
    ("", ""),
    ("", LONG),
    ("***\n---\n", "---\n"),
    ("```\nx = 1\n```", "```\nimport os\nprint(os.sep)\n```"),
    ("Never log tokens.", LONG),
    ("\u65e5\u672c\u8a9e\u306e\u6587\u7ae0\u3067\u3059\u3002", "\u4eca\u65e5\u306f\u6674\u308c\u3067\u3059\u3002"),
    ("\U0001f600 \U0001f680", "\U0001f389"),
]


@pytest.mark.parametrize(("a", "b"), UNRELATED)
def test_nothing_is_claimed(a: str, b: str) -> None:
    assert said(a, b).verdict == "related"


def test_a_huge_body_is_looked_at_within_bounds() -> None:
    lines = [f"Line {number} is about topic {number % 997} and nothing else at all." for number in range(5_000)]
    a, b = "\n\n".join(lines), "\n\n".join([*lines[:-1], "The last line is another one."])
    assert said(a, b).verdict in {"duplicate", "contained"}
    assert said(a, "One short line.").verdict == "related"


def test_a_negation_before_a_repeated_run_is_not_a_repeat() -> None:
    a = "The mirror serves every package of the release."
    b = f"It is no longer true that the mirror serves every package of the release. {LONG}"
    assert said(a, b).verdict not in {"duplicate", "contained"}


def test_titles_that_name_two_things_make_a_variant() -> None:
    a, b = made("p/one", f"# Incident #260\n\n{LONG}"), made("p/two", f"# Incident #480\n\n{LONG}")
    assert judged(a, b).because == "their titles name #260 and #480"


def test_several_other_references_make_a_variant() -> None:
    text = f"{LONG}Read src/{{0}}/main.py before the change.\nThe owner of src/{{0}}/ui.py signs it off.\n"
    found = said(text.format("ledger"), text.format("search"))
    assert found.verdict == "variant"


def test_a_list_in_another_order_is_no_dispute() -> None:
    found = said(with_line("Ask billing, search, and mobile."), with_line("Ask mobile, billing, and search."))
    assert found.verdict != "conflict"
    assert found.disputes == ()


def test_a_short_form_is_no_other_word() -> None:
    text = "\n".join(f"Rule {number} of the house asks for {word} first." for number, word in enumerate(LONG.split()))
    found = said(f"{text}\nCheck authentication before the call.", f"{text}\nCheck auth before the call.")
    assert found.verdict == "duplicate"


def test_drift_in_a_long_text_is_allowed_and_shown_as_a_loss() -> None:
    text = "\n".join(f"Rule {number} of the house asks for {word} first." for number, word in enumerate(LONG.split()))
    a, b = f"{text}\nThe panel frame is drawn once.", f"{text}\nThe panel chrome is drawn once."
    assert said(a, b).verdict == "duplicate"
    assert (
        said(f"{LONG}\nThe panel frame is drawn once.", f"{LONG}\nThe panel chrome is drawn once.").verdict == "related"
    )
