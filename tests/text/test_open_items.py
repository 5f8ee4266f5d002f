"""What is still to be done in a text: what is finished first, then what is open or may be."""

import pytest

from gardener.text.open_items import open_items


@pytest.mark.parametrize(
    "body",
    [
        "",
        "The export is live. Ann wrote the docs on Monday.",
        "Status: done\nGate: ai\n\nMerged, deployed and closed.",
        "- [x] built\n- [X] documented\n* [-] dropped: the old colours",
        "## Next\n",
        "## Next\n- [x] docs\n  by Ann, in two parts\n- ✅ tests\n- ~~colours~~",
        "## Remaining\n\nNone.\n\n## Notes\nThe job runs at four.",
        "## Remaining\n- nothing\n",
        "## Remaining (none)\n",
        "## No open items\nAll of it is merged.",
        "Remaining: none",
        "**Remaining:** nothing left.",
        "TODO: -",
        "- TODO: n/a",
        "| Remaining | none |",
        "Offen: nichts mehr.",
        "Keine offenen Punkte.",
        "Nothing left.",
        "All 12 of 12 tables were moved; coverage is 100 %.",
        "Shipped on 2026-05-01 in v2.1, see PR #12.",
        "Status: done (2026-05-01)\n\nMerged.",
        "Nothing is left to do.",
        "No open questions. No follow-ups, no TODOs.",
        "Open questions: none known.",
        "There are no remaining tasks.",
        "The docs are not pending any more and the page no longer waits for Ann.",
        "- [x] docs, still missing in May",
        "Next:\n- [x] docs\n\nThe job runs at four.",
        "Next:\n- [x] docs\nNotes:\n- the job runs at four",
        "### Next\n- [x] a\n## How it works\n- a queue per region",
        "Gate: human\n\nThe gate was passed on 2026-03-04.",
        "Gate: human\n\nThe human gate has been approved by Ann.",
        "Gate: passed",
        "**Remaining**: none",
        "Remaining (none)",
        "No one is waiting for it; no part is untested.",
        "Nextcloud keeps the files; the left column holds names.",
        "See https://example.org/todos-of-others for the format.",
    ],
)
def test_finished(body: str) -> None:
    assert list(open_items(body)) == []


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("- [ ] docs\n1. [ ] tests\n> * [~] pages\n[ ] tools\n☐ lamps", [0, 1, 2, 3, 4]),
        ("Remaining: write to the helpdesk.", [0]),
        ("TODO: drop the column", [0]),
        ("- TODO: drop the column", [0]),
        ("TODO - drop the column", [0]),
        ("# TODO drop the column", [0]),
        ("- TODO", [0]),
        ("**Remaining:** pages", [0]),
        ("| Remaining | pages |", [0]),
        ("Still open: the pages", [0]),
        ("**Remaining**: pages", [0]),
        ("- `Next` — pages", [0]),
        ("## Remaining (pages, lamps)", [0]),
        ("Pages: open\n| lamps | offen |", [0, 1]),
        ("- ⏳ pages\n❌ lamps", [0, 1]),
        ("The pages are not reviewed.", [0]),
        ("Nobody has read the pages.", [0]),
        ("The lamps are untested. The page needs review.", [0]),
        ("## Remaining: pages\n- and lamps", [0, 1]),
        ("## Next\n\nDrop the column\nand the view.", [2, 3]),
        ("Left to do:\n- pages", [1]),
        ("- Next:\n  - pages", [1]),
        ("What's left:\n\n- pages\n- lamps", [2, 3]),
        ("## What’s left\n- pages", [1]),
        ("## Outstanding\n- pages", [1]),
        ("## Known gaps\n- pages", [1]),
        ("## Follow-ups\n- pages\n- follow-ups", [1, 2]),
        ("## Open questions for Ann\n- which pages", [1]),
        ("## Remaining work (2)\n- pages", [1]),
        ("## TODO before launch\n- pages", [1]),
        ("**Open issues**\n- pages", [1]),
        ("Remaining\n---------\n- pages", [2]),
        ("## Offen\n- Seiten", [1]),
        ("## Noch offen\n- Seiten", [1]),
        ("## Nächste Schritte\n- Seiten", [1]),
        ("## Offene Punkte\n- Seiten", [1]),
        ("## 🚧 Remaining\n- pages", [1]),
        ("## 3. Remaining\n- pages", [1]),
        ("### 2.1 Next steps\n- pages", [1]),
        ("## Remaining\n\n### Pages\n- the first\n\n## Done\n- lamps", [3]),
        ("## Remaining\nPages:\n- the first", [2]),
        ("Next:\n- pages\n\nThe job runs at four.\n- a queue", [1]),
        ("## Next\n- [x] docs\n- pages", [2]),
        ("Done except for the pages.", [0]),
        ("Everything is live, apart from the pages.", [0]),
        ("The pages are not yet written.", [0]),
        ("There is no page yet.", [0]),
        ("The pages have yet to be written.", [0]),
        ("The job runs.\nTwo pages are still missing.", [1]),
        ("Ann must read the pages before we open.", [0]),
        ("The pages need to be checked.", [0]),
        ("The pages haven't been read.", [0]),
        ("Not read and waits for Ann.", [0]),
        ("The review is pending.", [0]),
        ("The next step is the page.\nSomeone should read it.\nTo be continued", [0, 1, 2]),
        ("Known issue: the page flickers", [0]),
        ("Two pages remain.", [0]),
        ("The job runs. " * 200 + "Two pages are still missing.", [0]),
        ("Two pages are left.", [0]),
        ("We will drop the column next month.", [0]),
        ("Die Seiten fehlen.", [0]),
        ("Die Seiten sind noch nicht fertig.", [0]),
        ("Fertig bis auf die Seiten.", [0]),
        ("Status: done\nGate: human\n\nMerged.", [1]),
        ("Gate: Ann\n", [0]),
        ("Gate: human\n\nThe gate has not been passed.", [0, 2]),
        ("Gate: human\n\nThe gate will be passed on Monday.", [0, 2]),
        ("Ann has not passed it; the gate is open.", [0]),
    ],
)
def test_open(body: str, told: list[int]) -> None:
    lines = body.split("\n")
    assert list(open_items(body)) == [(at, lines[at].strip()) for at in told]


@pytest.mark.parametrize(
    "much", ["-", " ", "*", "still ", "not ", "TODO\n", "[[", "> ", "is left open ", "a: ", "Next ("]
)
def test_much_of_anything_is_read_to_its_end(much: str) -> None:
    """It ends at all: what grows with the square of its length would take hours."""
    body = "Status: done\n" + much * (150_000 // len(much)) + "x"
    assert all(at >= 1 for at, _ in open_items(body))


DOUBTFUL = (
    """
Nothing is left except the docs.|Nothing left but the docs.|No TODOs besides the docs.|- [  ] docs
- ( ) docs|- [o] docs|__TODO__ docs|TO DO docs|XXX retries fail.|Mobile is WIP.|All but one of the tables moved.
Two of three services moved.|2 of 5 services moved.|Not everything is deployed.|3 items left.|Docs: 80% done.
Docs partially done.|The code is done; not the docs.|Progress: 2/3|What remains is the cleanup.
Somebody has to delete the bucket.|Don't forget the bucket.|Remember to rotate the key.|Needs a rollback plan.
Next, write the docs.|Action items|Docs will follow.|Docs were deferred.|The bucket awaits deletion.
Requires a person at the desk.|Please delete the bucket.|Still no docs.|Not verified on the mirror.
Docs were never written.|The rollout is planned for Monday.|Migration half complete.|Nicht fertig: Mobile.
Rest: Doku|Als N\u00e4chstes: Doku|Wartet auf Ann.|Blocked: yes
""".replace("\n", "|")
    .strip("|")
    .split("|")
)


@pytest.mark.parametrize("line", DOUBTFUL)
def test_what_is_doubtful_counts_as_open(line: str) -> None:
    assert [at for at, _ in open_items(f"Status: done\n\n{line}")] == [2]


@pytest.mark.parametrize("header", ["done?", "~done", "done\u2026", "done \u274c", "\u2610 done"])
def test_a_header_in_doubt_is_open(header: str) -> None:
    assert [at for at, _ in open_items(f"Status: {header}\n\nMerged.")] == [0]
    assert [at for at, _ in open_items("Status: done\nStatus: open\n\nMerged.")] == [1]
