"""The shipped store reviewed to the end at a real terminal: every key, killed half way, gone on with."""

import re
from datetime import timedelta

from tests.garden import NOW, Garden
from tests.person import Person
from tests.test_store import FOUND, shipped

__all__ = ["shipped"]

LATER = NOW + timedelta(days=100)
EDITOR = "sed -i -e 's/^reason:$/reason: said in the editor/' -e 's/^The indexer/The indexer/'"

OUTCOME = {
    "stale_stage": "apply",
    "hidden_text": "apply",
    "index": "apply",
    "links": "reject",
    "conflict": "apply",
    "dedup": "apply",
    "refuted_echo": "keep",
    "description": "reject",
    "correction": "hide",
    "supersession": "apply",
    "staleness": "keep",
    "identity": "apply",
    "associations": "apply",
    "placement": "apply",
    "unknown_status": "apply",
    "importance": "apply",
    "secrets": "apply",
}
"""What becomes of each pass's one proposal; the one of `expiry` sleeps."""


def at(garden: Garden) -> Person:
    return Person(garden, "review", GARDENER_NOW=LATER.isoformat(), VISUAL=EDITOR)


def find(person: Person, name: str) -> None:
    """Go to the proposal of a pass."""
    person.press("/pass: " + name + "\n")
    person.sees(f"] {name} ")


def outcome(garden: Garden) -> dict[str, str]:
    """What became of each pass's proposal, those that were taken back left out."""
    last = {one.document.proposal.pass_name: one.document.proposal.decided[-1].did for one in garden.inbox.decided}
    return {name: did for name, did in last.items() if did != "undone"}


def retired(garden: Garden) -> set[str]:
    return {
        path.rsplit("/", 1)[-1].removesuffix(".md")
        for path, data in garden.memories().items()
        if re.search(rb"(?m)^invalid_at: 2026-12-10", data)
    }


def first_half(person: Person) -> None:
    """Up to a choice that is picked and not yet answered."""
    person.sees("[1/18] stale_stage")
    for key in ("\r", "\x1b", "h", "l"):
        person.press(key)
        person.waits()
    person.press("?")
    person.sees("any key goes back")
    person.press("?")
    person.sees("? help")
    for _ in range(3):
        person.press("d")
        person.sees("? help")
    person.press("j")
    person.sees("[2/18]")
    person.press("k")
    person.sees("[1/18]")
    person.press("o")
    person.sees("? help")
    person.press("e")
    person.sees("? help")
    person.press("y")
    person.sees("[1/17]")
    person.press("u")
    person.sees("Undone")
    find(person, "stale_stage")
    person.press("y")
    person.sees("/17]")
    find(person, "hidden_text")
    person.press("y")
    person.sees("/16]")
    find(person, "index")
    person.press("Y1\n")
    person.sees("/15]")
    find(person, "links")
    person.press("N1\n")
    person.sees("/14]")
    find(person, "conflict")
    person.press("y")
    person.sees("Pick an answer first")
    person.press("3")
    person.sees("3 (x) qualify")


def second_half(person: Person) -> None:
    person.sees("[1/14]")
    find(person, "conflict")
    person.press("3y")
    person.sees("/13]")
    find(person, "dedup")
    person.sees("Only B says (1 of 5 sentences)")
    person.press("xB\n")
    person.sees("B, kept  indexer-waits-for-chroma")
    person.press("xA\n")
    person.sees("A, kept")
    assert "Only memory/demo/indexer-waits-for-chroma.md says" in person.sees("│ Seen again on the staging host.")
    person.press("f")
    person.sees("Back to the plan")
    person.press("f")
    person.sees("The plan is changed")
    person.press("y")
    person.sees("/12]")
    find(person, "refuted_echo")
    person.press("1y")
    person.sees("/11]")
    find(person, "description")
    person.press("n")
    person.sees("4 not worth it")
    person.press("\x1b")
    person.waits()
    person.press("n4")
    person.sees("/10]")
    find(person, "correction")
    person.press("H")
    person.sees("/9]")
    find(person, "expiry")
    person.press("z3")
    person.sees("/8]")
    find(person, "supersession")
    person.press("2y")
    person.sees("/7]")
    find(person, "staleness")
    person.press("n1")
    person.sees("/6]")
    find(person, "unknown_status")
    person.press("4y")
    person.sees("/5]")
    find(person, "secrets")
    person.press("Y")
    person.sees("answered one by one")
    person.press("s")
    person.sees("/5]")


def test_the_shipped_store_is_reviewed_to_the_end(shipped: Garden) -> None:
    shipped.write(".git/HEAD", "ref: refs/heads/main\n")
    shipped.tend(LATER)
    before = shipped.memories()
    with at(shipped) as person:
        first_half(person)
        person.process.kill()
    assert outcome(shipped) == {name: OUTCOME[name] for name in ("stale_stage", "hidden_text", "index", "links")}
    with at(shipped) as person:
        second_half(person)
        for left in (4, 3, 2):
            person.press("y")
            person.sees(f"/{left}]")
        person.press("y")
        text = person.sees("memory proposals'")
        assert person.leaves() == 0
    git = text.split("\n")[-2] if text.endswith("\n") else text.split("\n")[-1]
    assert git.startswith("git add -A memory/demo/api-is-versioned.md ")
    assert git.endswith(" proposals && git commit -m 'Review 13 memory proposals'"), "one line, however long"
    with at(shipped) as person:
        person.sees("[1/1] secrets")
        person.press("q")
        person.sees("1 still open")
        assert person.leaves() == 0
    with at(shipped) as person:
        person.sees("[1/1] secrets")
        person.press("y")
        assert "Applied 1" in person.sees("git commit")
        assert person.leaves() == 0

    assert outcome(shipped) == OUTCOME
    assert set(FOUND) == {*OUTCOME, "expiry"}
    assert retired(shipped) == {"billing-migration", "indexer-waits-for-chroma", "session-store-first"}
    (asleep,) = shipped.pending()
    assert asleep.document.proposal.until.startswith("2026-12-24")
    assert shipped.run("review", now=LATER).err.startswith("Nothing to decide")
    now = shipped.memories()
    text = {path.rsplit("/", 1)[-1]: data.decode() for path, data in now.items()}
    assert "Seen again on the staging host." in text["chroma-boot-order.md"]
    assert "> Qualified by api-port-of-the-service (2026-12-10)" in text["api-port.md"]
    assert "[redacted password]" in text["report-login.md"]
    assert "**Status:** done\n**Status before:** " in text["search-rewrite.md"]
    untouched = ("deploy-window", "invoice-rounding", "metrics-port", "weekly-export", "freeze", "shared-collection")
    for path, data in before.items():
        if path.rsplit("/", 1)[-1].removesuffix(".md") in untouched or "/gardener/" in path:
            assert now[path] == data, path
    reasons = {one.document.proposal.pass_name: one.document.proposal.reason for one in shipped.inbox.decided}
    assert reasons["description"] == "not worth it"
    assert reasons["staleness"] == "not true"
