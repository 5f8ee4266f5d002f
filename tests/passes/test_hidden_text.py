"""Text that a reader cannot see."""

import pytest

from tests.garden import Garden
from tests.passes.kit import accept, advice, proposed


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "tab\there, CRLF next\r",
        "family 👨‍👩‍👧 and flag 🏴󠁧󠁢󠁥󠁮󠁧󠁿 and heart ❤️",
        "שלום \u200e(abc)\u200f עולם",
        "می‌خواهم",
        "क्‍ष",
        "日本語 한국어 ไทย",
        "naïve café",
    ],
)
def test_left_alone(garden: Garden, text: str) -> None:
    garden.memory("p/m", f"{text}\n")
    garden.write("memory/p/marked.md", "\ufeffPlain text after a byte-order mark.\n")
    assert proposed(garden, "hidden_text") == []


@pytest.mark.parametrize(
    "hidden",
    ["\u200b", "\u2060", "\u202e", "\u2066", "\u200d", "\u200e", "\U000e0041", "\x08", "\x1b", "\x9b", "\ufeff"],
)
def test_hidden_characters_are_shown_as_escapes_and_removed(garden: Garden, hidden: str) -> None:
    path = garden.memory("p/m", f"First line.\r\nign{hidden}ore this\n")
    assert proposed(garden, "hidden_text") == [("memory/p/m.md",)]
    filed = garden.one("hidden_text")
    assert hidden not in filed.data.decode()
    assert "\\u" in filed.data.decode() or "\\x" in filed.data.decode()
    accept(garden, "hidden_text")
    assert b"First line.\r\nignore this\n" in path.read_bytes()
    assert proposed(garden, "hidden_text") == []


def test_a_control_character_in_a_path_is_written_back_as_the_escape_it_was(garden: Garden) -> None:
    path = garden.memory("p/m", "Tools lie in `C:\\tools\bin` and `%HOME%\\.cargo\form`.\n")
    garden.tend()
    accept(garden, "hidden_text")
    assert "Tools lie in `C:\\tools\\bin` and `%HOME%\\.cargo\\form`.\n" in path.read_text()


def test_a_text_about_the_character_it_holds_is_only_advised_on(garden: Garden) -> None:
    garden.memory("p/m", "A zero-width space `\u200b` (U+200B) ends up in the name.\n")
    assert proposed(garden, "hidden_text") == []
    assert advice(garden, "hidden_text") == ['"m" holds the hidden characters it speaks of in line 10']
    garden.memory("p/m", "A zero-width space `\u200b` (U+200B) and another\u2060 one.\n")
    assert proposed(garden, "hidden_text") == [("memory/p/m.md",)]


@pytest.mark.parametrize(
    "text",
    [
        "Pay \u202ereversed\u202c here. The dot is \\x2e and the comma \\x2c.",
        "Pay \u202ereversed\u202c here (U+202E and U+202C).",
        "Tags \U000e0041 are U+E0041, tag latin capital letter a.",
        "Two zero\u200bwidth words, split at \\x0b.",
    ],
)
def test_a_text_does_not_excuse_what_it_does_not_name_or_what_deceives(garden: Garden, text: str) -> None:
    garden.memory("p/m", f"{text}\n")
    assert proposed(garden, "hidden_text") == [("memory/p/m.md",)]


def test_a_name_in_look_alike_letters_is_advice(garden: Garden) -> None:
    garden.memory("p/api-port", name="api-port")
    garden.memory("p/other", name="аpi-port")
    assert "imitates" in advice(garden, "hidden_text")[0]
