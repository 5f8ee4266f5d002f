"""Memories that say the same."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from gardener.model.edit import Append, Supersede
from gardener.model.finding import Finding
from gardener.model.memory import Memory
from gardener.model.snapshot import Answer, Snapshot
from gardener.passes.dedup import DedupSettings, find
from gardener.text.similarity.align import Text
from tests.text.similarity.made import made

NOW = datetime(2026, 9, 1, 12, tzinfo=UTC)
RELEASE = """Every release is cut from the main branch on a quiet day.
The changelog names each user-visible change in the user's own words.
- Build the wheel in a clean container and install it once.
- Upload the symbols before the binaries, or crash reports stay blank.
- Tell the support rota an hour ahead; they open the incident channel.
"""
MORE = (
    RELEASE
    + "The rollback is rehearsed once a quarter by whoever joined last.\n"
    + "Nobody releases while the status page is yellow.\n"
)
OTHERS = tuple(
    made(f"p/other-{number}", f"{subject} keeps its {thing} in {place}, and {person} looks after it.\n")
    for number, (subject, thing, place, person) in enumerate(
        [
            ("The billing service", "ledger", "a separate schema", "Marta"),
            ("The mobile client", "offline queue", "the keychain", "Jonas"),
            ("Search", "synonyms", "a checked-in file", "nobody"),
            ("The gateway", "rate limits", "memory", "the platform team"),
            ("Telemetry", "raw events", "cold storage", "a nightly job"),
        ]
    )
)


def found(*memories: Memory, settings: DedupSettings | None = None, **more: Any) -> list[Finding]:
    return list(find(Snapshot(memories=(*memories, *OTHERS), **more), settings or DedupSettings(), NOW))


def runbooks() -> Iterable[Memory]:
    for number, service in enumerate(
        "ledger search mobile growth billing media identity pricing routing reports".split()
    ):
        for half in ("api", "worker"):
            tail = f"Restart `{service}-{half}` on port {8000 + number}.\nPage the {service} owner.\n"
            text = f"# Restart {service} {half}\n\n{MORE}{tail}"
            yield made(f"p/restart-{service}-{half}", text)


def test_left_alone() -> None:
    assert found() == []
    assert found(made("p/a", ""), made("p/b", "")) == []
    assert found(*runbooks()) == []
    assert found(made("p/a", RELEASE), made("q/a", RELEASE)) == [], "two projects never pair"
    assert found(made("p/a", RELEASE), made("p/b", MORE, invalid_at="2026-01-01T00:00:00Z")) == [], "nor do the retired"
    assert found(made("p/a", RELEASE), made("p/b", RELEASE.replace("an hour", "two hours"))) == []
    assert found(made("p/a", RELEASE), made("p/b", RELEASE.replace("before the", "after the"))) == []


def test_a_subset_goes_and_nothing_it_says_is_lost() -> None:
    (one,) = found(made("p/short", RELEASE), made("p/long", MORE))
    assert one.edits == (Supersede("memory/p/short.md", "memory/p/long.md"),)
    assert one.subjects == ("memory/p/long.md", "memory/p/short.md")
    assert one.summary == '"short" is already in "long"'
    assert [(loss.total, loss.sentences) for loss in one.losses] == [(5, ())]
    assert "A is kept rather than B: it says more (61 words against 45)." in one.why
    assert abs(sum(value for _, value in one.parts) - one.score) < 1e-9


def test_every_sentence_that_only_the_retired_one_says_is_shown() -> None:
    own = "Symbols of old releases are kept for a year.\n"
    retired = made("p/short", RELEASE + own, description="How we release")
    (one,) = found(retired, made("p/long", MORE + MORE.replace("release", "hotfix")))
    (loss,) = one.losses
    assert loss.sentences == ("How we release", own.strip())
    kept = Text("", MORE).keys
    spoken = [sentence for sentence in Text(retired.description, retired.body).sentences if sentence.key not in kept]
    assert tuple(sentence.text for sentence in spoken) == loss.sentences


def test_fold_appends_what_would_be_lost() -> None:
    own = "Symbols of old releases are kept for a year."
    edits = found(made("p/short", RELEASE + own), made("p/long", MORE), settings=DedupSettings(fold=True))[0].edits
    assert edits == (Supersede("memory/p/short.md", "memory/p/long.md"), Append("memory/p/long.md", own))


def test_copies_are_one_group_around_the_kept_one() -> None:
    (one,) = found(*(made(f"p/{name}", MORE) for name in ("c", "a", "b")))
    assert one.subjects == ("memory/p/a.md", "memory/p/b.md", "memory/p/c.md")
    assert len(one.edits) == 2


DAY = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("a", "b", "because"),
    [
        ({"kind": "constraint"}, {"favorite": True}, "it is a constraint"),
        ({"kind": "convention"}, {"favorite": True}, "it is a convention"),
        ({"favorite": True}, {"updated": DAY}, "it is a favourite"),
        ({"updated": DAY}, {"created": DAY.replace(year=2025)}, "as full as the other and newer (2026-01-01)"),
        ({}, {}, "the two are equally full, and one has to stay"),
    ],
)
def test_who_stays(a: dict[str, Any], b: dict[str, Any], because: str) -> None:
    for first, second in (("a", "b"), ("z", "b")) if a or b else (("a", "b"),):
        (one,) = found(made(f"p/{first}", MORE, **a), made(f"p/{second}", MORE, **b))
        assert one.subjects[0] == f"memory/p/{first}.md"
        assert f"A is kept rather than B: {because}." in one.why


def test_the_more_linked_stays() -> None:
    link = made("p/link", "See [[z]] for releases of the gateway.\n")
    (one,) = found(made("p/a", MORE), made("p/z", MORE), link)
    assert one.subjects[0] == "memory/p/z.md"


def test_what_never_goes() -> None:
    constraint = made("p/short", RELEASE, kind="constraint")
    assert found(constraint, made("p/long", MORE, kind="gotcha")) == []
    assert found(made("_global/short", RELEASE), made("p/long", MORE)) == [], "other projects read the global one"
    fuller = made("p/copy", f"{RELEASE} See the board.")
    assert found(fuller, made("_global/one", RELEASE)) == [], "what it has more is not in the global one"
    assert found(made("p/short", RELEASE, favorite=True), made("p/long", MORE)) == []
    assert found(made("p/a", MORE, kind="refuted"), made("p/b", MORE, kind="decision")) == []


def test_a_project_memory_that_repeats_a_global_one_goes() -> None:
    (same,) = found(made("p/copy", RELEASE), made("_global/one", RELEASE))
    assert same.subjects == ("memory/_global/one.md", "memory/p/copy.md")
    assert any("every project reads it" in why for why in same.why)
    (one,) = found(made("p/short", RELEASE), made("_global/long", MORE))
    assert one.edits == (Supersede("memory/p/short.md", "memory/_global/long.md"),)


def test_settled_pairs_drop_out_before_grouping() -> None:
    copies = [made(f"p/{name}", MORE) for name in "abc"]
    settled = frozenset({("memory/p/a.md", "memory/p/c.md")})
    (one,) = found(*copies, settled=settled)
    assert one.edits == (Supersede("memory/p/b.md", "memory/p/a.md"),)


def test_a_merge_result_is_merged_again_only_with_new_text() -> None:
    kept = made("p/long", MORE)
    assert found(made("p/short", RELEASE), kept, merged={kept.path: kept.sha256}) == []
    assert len(found(made("p/short", RELEASE), kept, merged={kept.path: "0" * 64})) == 1


ONE = made("p/one", "Two sessions on one checkout share the index, so each commit may sweep the other's staged work.\n")
TWO = made("p/two", "Stage and commit in a single step: what lies staged can leave in somebody else's commit.\n")


def answer(word: str, a: Memory = ONE, b: Memory = TWO, **more: Any) -> Answer:
    return replace(Answer(a.path, b.path, a.sha256, b.sha256, word, "Kim"), **more)


@pytest.mark.parametrize("word", ["conflict", "supersedes", "related", "different"])
def test_other_words_of_a_judge_merge_nothing(word: str) -> None:
    assert found(ONE, TWO, answers=(answer(word),)) == []


def test_a_judge_who_read_both_counts() -> None:
    (one,) = found(ONE, TWO, answers=(answer("contained"),))
    assert one.edits == (Supersede(ONE.path, TWO.path),)
    assert one.score == pytest.approx(sum(value for _, value in one.parts))
    assert any("Kim called the two contained." in line for line in one.why)
    assert len(found(ONE, TWO, answers=(answer("same"),))) == 1


def test_a_judge_is_not_heard_on_other_texts_or_when_torn() -> None:
    assert found(ONE, TWO, answers=(answer("same", a_sha256="0" * 64),)) == []
    assert found(ONE, TWO, answers=(answer("same"), answer("related"))) == []
    assert found(ONE, TWO, answers=(answer("contained"), answer("contained", TWO, ONE))) == []


def test_guards_hold_against_a_judge() -> None:
    constraint = replace(ONE, kind="constraint")
    assert found(constraint, TWO, answers=(answer("contained"),)) == []
    stranger = replace(TWO, project="q")
    assert found(ONE, stranger, answers=(answer("same"),)) == []
    a, b = made("p/x", "The pool holds 20 connections.\n"), made("p/y", "The pool holds 50 connections.\n")
    assert found(a, b, answers=(answer("same", a, b),)) == []


def test_a_judge_can_also_say_that_the_texts_mislead() -> None:
    a, b = made("p/short", RELEASE), made("p/long", MORE)
    assert found(a, b, answers=(answer("different", a, b),)) == []


def test_the_front_matter_of_all_is_told() -> None:
    a = made("p/long", MORE, tags=("x",), created=DAY, fields={"source_session": "s1"})
    b = made("p/short", RELEASE, tags=("y",), created=DAY.replace(year=2024), fields={"source_session": "s2"})
    why = found(a, b)[0].why
    assert "Tags of all together: x, y." in why
    assert "Earliest created: 2024-01-01." in why
    assert "Sources of all together: s1, s2." in why


PUSHED = "Pushing to the release branch by force rewrites what the mirror fetched; it then has to be reset by hand."


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("Do not force push to the release branch", True),
        ("Always force push to the release branch", False),
        ("Force push to the release branch", False),
        ("Nobody may force push to the release branch", False),
    ],
)
def test_one_denial_is_as_good_as_another(other: str, *, same: bool) -> None:
    a = made("p/a", PUSHED, description="Never force push to the release branch")
    assert bool(found(a, made("p/b", PUSHED, description=other))) is same


def test_one_body_under_two_descriptions_is_one_memory() -> None:
    steps = "1. `make api`\n2. wait for the health check\n3. `make workers`\n4. `make web`\n"
    a = made("p/deploy-order", steps, description="Deploy the api first, then the workers, then the web app")
    (one,) = found(a, made("p/deploy-sequence", steps, description="The order of a deploy"))
    assert one.edits == (Supersede("memory/p/deploy-sequence.md", "memory/p/deploy-order.md"),)
    other = made("p/invoice-export", steps, description="The order of an invoice export, which invoices go by")
    assert found(a, other) == []
