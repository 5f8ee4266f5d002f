"""Candidates, scores and what a judge is asked."""

from datetime import UTC, datetime

from gardener.model.snapshot import Snapshot
from gardener.text.similarity.candidates import Counts, nearest, terms
from gardener.text.similarity.pairs import compare
from gardener.text.similarity.score import Features, parts_of, total
from gardener.text.similarity.terms import Vector, hints, nearest_to, new_claims, vector
from tests.passes.test_dedup import MORE, ONE, OTHERS, RELEASE, TWO, answer
from tests.text.similarity.made import made

NOW = datetime(2026, 9, 1, tzinfo=UTC)


def test_terms_are_folded_words() -> None:
    assert terms(b"The API-key, v1.2!") == [b"the", b"api", b"key", b"v1", b"2"]
    assert terms("\u00dcber \u65e5\u672c".encode()) == ["\u00fcber".encode(), "\u65e5".encode(), "\u672c".encode()]
    assert terms(b"") == []


def test_too_little_to_compare() -> None:
    assert nearest(Counts(), 0) == []
    assert nearest(Counts().add([(b"", b"one text")]), 1) == []
    assert nearest(Counts().add([(b"", b""), (b"", b"")]), 2) == []


def test_only_pairs_of_the_own_part_are_named() -> None:
    texts = [(b"", f"shared words about topic {number // 2} and more of it".encode()) for number in range(8)]
    for near in nearest(Counts().add(texts), 3):
        assert near.b >= 5


def test_one_computation_serves_every_pass() -> None:
    snapshot = Snapshot(memories=(ONE, TWO, *OTHERS))
    assert compare(snapshot) is compare(snapshot)


def test_a_judge_sees_each_pair_once_and_not_what_is_proven_or_answered() -> None:
    memories = (made("p/short", RELEASE), made("p/long", MORE), ONE, TWO, *OTHERS)
    asked = compare(Snapshot(memories=memories)).undecided(0.9)
    keys = [(pair.a, pair.b) for pair in asked]
    assert len(keys) == len(set(keys)) <= 1.5 * len(memories)
    assert ("memory/p/long.md", "memory/p/short.md") not in keys
    assert (ONE.path, TWO.path) in keys
    left = compare(Snapshot(memories=memories, answers=(answer("related"),))).undecided(0.9)
    assert (ONE.path, TWO.path) not in [(pair.a, pair.b) for pair in left]


def test_one_that_says_the_other_is_over_is_asked_first() -> None:
    old = made("p/0104-never-push", "Nobody pushes to the main branch by hand.\n")
    new = made("p/0200-guard", "The guard is gone.\n\nThe old rule 104 is superseded by this.\n")
    first = compare(Snapshot(memories=(old, new, *OTHERS))).undecided(0.9)[0]
    assert (first.a, first.b, first.pointed) == (old.path, new.path, True)


def test_parts_add_up_and_stay_within_bounds() -> None:
    for features in (Features(0, 0, 0, 0, 1), Features(1, 1, 1, 1, 0), Features(0.5, 0.2, 0.9, 0.4, 0)):
        assert abs(sum(value for _, value in parts_of(features)) - total(features)) < 1e-9
        assert 0 <= total(features) <= 1


def test_hashed_terms_find_the_nearest_without_a_word_of_the_text() -> None:
    memories = {memory.path: memory for memory in (made("p/long", MORE), ONE, *OTHERS)}
    packed = {path: vector(memory).packed() for path, memory in memories.items()}
    assert not any(b"release" in data for data in packed.values())
    index = {path: Vector.unpacked(data) for path, data in packed.items()}
    new = made("p/new", RELEASE)
    best = nearest_to(vector(new), index)
    assert best[0][0] == "memory/p/long.md"
    told = hints(new, [(memories[path], cosine) for path, cosine in best])
    assert (told[0].judgement.verdict, told[0].judgement.smaller) == ("contained", "a")
    assert nearest_to(vector(made("p/empty", "")), index) == []


def test_a_new_claim_in_an_old_place_is_told() -> None:
    old = made("p/a", MORE + "The service listens on port 8080.\n")
    assert new_claims(old, made("p/a", MORE + "The service listens on port 8080.\nIt logs too.\n")) == ()
    (claim,) = new_claims(old, made("p/a", MORE + "The service listens on port 9090.\n"))
    assert (claim.a.text, claim.b.text) == ("The service listens on port 8080.", "The service listens on port 9090.")
    assert len(new_claims(old, made("p/a", MORE.replace("before the", "after the")))) == 1
