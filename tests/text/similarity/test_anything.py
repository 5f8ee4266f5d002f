"""Any text at all: nothing crashes, nothing runs away, and a text is always the same as itself."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gardener.model.snapshot import Snapshot
from gardener.text.similarity.align import Text
from gardener.text.similarity.correcting import corrections
from gardener.text.similarity.dispute import differing, marked, nearest_sentences
from gardener.text.similarity.keeping import loss
from gardener.text.similarity.pairs import compare
from gardener.text.similarity.sentences import sentences
from gardener.text.similarity.terms import nearest_to, vector
from tests.text.similarity.made import made, said

PIECES = st.sampled_from(
    "not never 8080 9090 v1.2 #260 `code` **bold** ~~gone~~ [[link]] [text](a/b.md) - [ ] | a ``` > # Head 1.".split()
    + "2026-01-02 deploys fits enabled disabled purple . ! \u65e5\u672c \u00fcber \U0001f600".split()
    + ["\n", "\n\n", "\u200b", "\u2028", "\x00", "\udc80", ""]
)
TEXTS = st.lists(PIECES, max_size=40).map(" ".join) | st.text(st.characters(exclude_categories=["Cs"]), max_size=80)


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS)
def test_any_two_texts(a: str, b: str) -> None:
    there, back = said(a, b), said(b, a)
    assert there.verdict == back.verdict or "duplicate" not in {there.verdict, back.verdict}
    assert said(a, a).verdict == ("duplicate" if sentences(a) else "related")
    assert 0 <= there.a_in_b <= 1 + 1e-9
    assert 0 <= there.proved <= 1 + 1e-9
    assert marked(a, b).replace("«", "").replace("»", "") == " ".join(a.split()).replace("«", "").replace("»", "")
    differing(a, b)
    nearest_sentences(Text("", a), Text("", b))


@settings(max_examples=80, deadline=None)
@given(TEXTS, TEXTS)
def test_what_is_not_literally_kept_is_shown(kept: str, retired: str) -> None:
    one, other = Text("", kept), Text("", retired)
    lost = set(loss(one, other, "p").sentences)
    assert all(sentence.key in one.keys or sentence.text in lost for sentence in other.sentences)


@settings(max_examples=30, deadline=None)
@given(st.lists(TEXTS, max_size=6))
def test_any_store(texts: list[str]) -> None:
    memories = tuple(made(f"p/m{number}", text) for number, text in enumerate(texts))
    compared = compare(Snapshot(memories=memories))
    compared.undecided(0.9)
    index = {memory.path: vector(memory) for memory in memories}
    for memory in memories:
        nearest_to(index[memory.path], index)
        list(corrections(memory))


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "a-",
        "-",
        "|",
        "| ",
        "*",
        "[[",
        "](",
        "~~",
        "`",
        "\"'",
        ". ",
        "0f",
        "a.",
        "/a",
        "n't",
        "(",
        "\u65e5",
        " ",
        "#1",
    ],
)
def test_a_hundred_thousand_of_anything(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    for body in (text, text + "x", f"One sentence. {text}\nand on"):
        memory = made("p/a", body)
        said(body, "One short sentence about the queue.")
        list(corrections(memory))
        vector(memory)
