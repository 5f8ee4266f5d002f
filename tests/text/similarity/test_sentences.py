"""Markdown cut into what it says."""

import pytest

from gardener.text.similarity.sentences import sentences
from gardener.text.similarity.words import fold, kind_of, squeezed, stem, tokens

CUT = [
    ("", []),
    ("---\n***\n\n| --- | :-: |\n", []),
    ("One. Two! Three?", ["One.", "Two!", "Three?"]),
    ("A line\nthat goes on. Next one.", ["A line that goes on.", "Next one."]),
    ("Use it, e.g. Make. Not otherwise.", ["Use it, e.g. Make.", "Not otherwise."]),
    ("# Head\ntext", ["Head", "text"]),
    ("- one\n- two\n  goes on\n1. three", ["one", "two goes on", "three"]),
    ("| a | b |\n| - | - |\n| 1 | 2 |", ["a | b", "1 | 2"]),
    ("> quoted\n> on", ["quoted on"]),
    ("```py\nx = 1\n\ny = 2\n```\nafter", ["x = 1", "y = 2", "after"]),
    ("~~~\n```\n~~~\nafter", ["```", "after"]),
    ("> Superseded by p/b (01K) on 2026-05-01\nleft", ["left"]),
    ("- [x] done\n- [ ] open", ["\u2713 done", "\u2610 open"]),
    ("v1.2 is out. It is fine.", ["v1.2 is out.", "It is fine."]),
    ("\u4e00\u53e5\u3002\u4e8c\u53e5\u3002", ["\u4e00\u53e5\u3002", "\u4e8c\u53e5\u3002"]),
    ("crlf one\r\n\r\ncrlf two\r\n", ["crlf one", "crlf two"]),
]


@pytest.mark.parametrize(("text", "said"), CUT)
def test_cut(text: str, said: list[str]) -> None:
    assert [one.text for one in sentences(text)] == said


def test_lines_are_where_a_sentence_starts() -> None:
    text = "# Head\n\nOne. Two\ngoes on. Three.\n\n- item\n```\ncode\n```\n"
    assert [(one.text, one.line) for one in sentences(text)] == [
        ("Head", 0),
        ("One.", 2),
        ("Two goes on.", 2),
        ("Three.", 3),
        ("item", 5),
        ("code", 7),
    ]


TOKENS = [
    ("Don't use the API", "do not use api"),
    ("30s and 5 MB, 80 %", "30 sec 5 mb 80"),
    ("see #260, GRD-12, v1.2.3", "see #260 grd-12 v1.2.3"),
    ("at 10:30 on 2026-01-02", "at 10:30 on 2026-01-02"),
    ("src/app/main.py and ~/x", "src/app/main.py ~/x"),
    ("--dry-run on db.local:5432", "--dry-run on db.local:5432"),
    ("10.0.0.1:80 https://a.b/c?d=1.", "10.0.0.1:80 https://a.b/c?d=1"),
    ("tests testing tested", "test test test"),
    ("twenty-one or three", "20 1 or 3"),
    ("commit 4f2a9bc1 is -5", "commit 4f2a9bc1 is -5"),
    ("snake_case Next.js", "snake_case next.js"),
    ("a <= b -> c", "<= b -> c"),
]


@pytest.mark.parametrize(("text", "want"), TOKENS)
def test_tokens(text: str, want: str) -> None:
    assert " ".join(tokens(fold(text))) == want


def test_fold_keeps_what_carries_meaning() -> None:
    assert fold("**Bold** and *it*, `code`") == "bold and it, code"
    assert fold("rm *.log in src/*, 2 * 3") == "rm *.log in src/*, 2 * 3"
    assert fold("~~gone~~") == "\u2717 gone"
    assert fold("[[name#part|shown]] [text](a.md)") == "name text a.md"


def test_kinds_and_stems() -> None:
    assert [kind_of(word) for word in ("8080", "v1.2", "#3", "word", "a/b", "2026-01-02")] == [
        "number",
        "version",
        "ident",
        "",
        "path",
        "date",
    ]
    assert [stem(word) for word in ("policies", "boxes", "class", "status", "running", "failed", "is")] == [
        "policy",
        "box",
        "class",
        "status",
        "run",
        "fail",
        "is",
    ]
    assert squeezed("Next.js") == squeezed("next-JS") == "nextjs"
