"""Memory text cannot leave its quote, and shows what it hides."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gardener.text.quote import inline, json_text, plain, quoted, unescaped, visible

_any = st.text(st.characters(exclude_categories=()), max_size=80)


def test_ordinary_text_is_shown_as_it_is() -> None:
    assert visible("naïve – 日本語 🙂 שלום") == "naïve – 日本語 🙂 שלום"


def test_hidden_characters_become_escapes() -> None:
    assert visible("a\u200bb\x1b[31m\u202e\u2028\udcff\t") == "a\\u200bb\\u001b[31m\\u202e\\u2028\\xff\\t"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("stale_stage, R&D, a: b and 12_3 stay as they are", None),
        ("_x_ and __y", r"\_x\_ and \_\_y"),
        ("a &#x202e; b &lt;i&gt;", r"a \&#x202e; b \&lt;i\&gt;"),
        ("https://x.example www.x.example", r"https\://x.example www\.x.example"),
        ("a | b `c` [d](e) <f> *g* ~h~ \\", r"a \| b \`c\` \[d\](e) \<f\> \*g\* \~h\~ \\"),
    ],
)
def test_nothing_inline_is_markup(text: str, shown: str | None) -> None:
    assert inline(text) == (shown or text)
    assert unescaped(inline(text)) == text


@given(_any)
def test_nothing_unseen_is_left(text: str) -> None:
    for shown in (visible(text), inline(text), plain(text)):
        assert all(unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"} for c in shown)


@given(_any)
def test_json_hides_nothing_and_says_the_same(text: str) -> None:
    shown = json_text([text])
    assert json.loads(shown) == [text]
    assert all(unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"} for c in shown)


@given(_any)
def test_every_line_of_a_quote_begins_as_one(text: str) -> None:
    assert all(line == ">" or line.startswith("> ") for line in quoted(text).split("\n"))
