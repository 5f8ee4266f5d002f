"""Front matter is located by exact span, and setting a key changes that key's value and nothing else."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gardener.text.frontmatter import cut_by_comment, moment, read
from gardener.text.keys import scalar, set_key


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("no front matter", {}),
        ("---\n---\nbody", {}),
        ("---\na: 1\n---\n", {"a": "1"}),
        ("---\r\na: 1\r\n---\r\nb", {"a": "1"}),
        ("\ufeff---\na: 1\n---\n", {"a": "1"}),
        ("---  \na: 1\n...\nb", {"a": "1"}),
        (
            "---\na: no\nb: 1.10\nc: 012\nd: 2026-07-10\ne: null\nf: ~\ng:\nh: ''\n---\n",
            {"a": "no", "b": "1.10", "c": "012", "d": "2026-07-10", "e": None, "f": None, "g": None, "h": ""},
        ),
        ("---\na: [x, 'y']\nb: {c: d}\ne:\n  - f\n---\n", {"a": ["x", "y"], "b": {"c": "d"}, "e": ["f"]}),
        ("---\nmetadata:\n  type: user\n---\n", {"metadata": {"type": "user"}}),
        ("---\nJust a rule above some text.\n\n---\n", {}),
        ("---\n\nA document that begins with a rule.\n", {}),
    ],
)
def test_reads(text: str, fields: dict[str, object]) -> None:
    assert read(text).fields == fields


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ("---\na: 1\na: 2\n---\n", "stands twice", 3),
        ("---\na: &x 1\n---\n", "anchors", 2),
        ("---\na: 1\nb: *x\n---\n", "aliases", 3),
        ("---\na: !!python/object:os.system x\n---\n", "tags", 2),
        ("---\n- a\n- b\n---\n", "not a list of keys", 2),
        ("---\nd: a: b\n---\n", "mapping values", 2),
        ("---\na: 1\nb: `x` y\n---\n", "cannot start any token", 3),
        ("---\na: 1\n", "not closed", 1),
        ("---\na: 1\x00\n---\n", "control characters", 2),
        ("---\ra: 1\r---\rbody", "carriage return", 1),
        ("---\n? [a]\n: b\n---\n", "key is not plain", 2),
        ("---\na: " + "[" * 20 + "]" * 20 + "\n---\n", "nested deeper", 2),
        ("---\n" + "".join(f"k{i}: 1\n" for i in range(3000)) + "---\n", "more than 2,000", None),
        ("---\n" + "".join(f"key{i}: value\n" for i in range(200_000)) + "---\n", "over 64 KiB", 1),
        ("---\nb: \udcff\nb: 2\n---\n", "stands twice", 3),
    ],
)
def test_names_what_does_not_parse(text: str, reason: str, line: int | None) -> None:
    front = read(text)
    assert reason in front.error
    assert line is None or front.error_line == line


def test_what_does_not_parse_is_read_line_by_line() -> None:
    front = read('---\nglobs: **/*.ts\ndescription: "a rule"\n---\n')
    assert front.error
    assert front.fields == {"globs": "**/*.ts", "description": "a rule"}


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        ("description: plain", None),
        ("description: 'quoted' # comment", None),
        ("description: issue #260 in a word", "issue #260 in a word"),
        ("description: see #", "see #"),
    ],
)
def test_a_description_cut_by_a_comment_is_read_whole(line: str, whole: str | None) -> None:
    text = f"---\n{line}\n---\n"
    assert cut_by_comment(text, read(text).entries["description"]) == whole


@pytest.mark.parametrize(
    ("said", "iso"),
    [
        ("2026-07-10", "2026-07-10T00:00:00+00:00"),
        ("2026-07-10T18:00:00Z", "2026-07-10T18:00:00+00:00"),
        ("2026-07-10 18:00", "2026-07-10T18:00:00+00:00"),
        ("2026-07-10T18:00:00+02:00", "2026-07-10T16:00:00+00:00"),
        ("2026-02-30", None),
        ("2026-13-01", None),
        ("yesterday", None),
        ("20260710", None),
        ("9999-12-31T23:59:59-12:00", None),
        ("", None),
        (None, None),
    ],
)
def test_times_as_people_write_them(said: str | None, iso: str | None) -> None:
    found = moment(said)
    assert (found.isoformat() if found else None) == iso


@pytest.mark.parametrize(
    ("before", "key", "value", "after"),
    [
        ("---\na: 1\n---\nx", "a", "2", '---\na: "2"\n---\nx'),
        ("---\na: 1 # c\nb: 2\n---\nx", "a", "new", "---\na: new # c\nb: 2\n---\nx"),
        ("---\na: 'it''s'\n---\n", "a", "it's new", "---\na: 'it''s new'\n---\n"),
        (
            "---\r\ninvalid_at:\r\n---\r\nx",
            "invalid_at",
            "2026-01-01T00:00:00Z",
            "---\r\ninvalid_at: 2026-01-01T00:00:00Z\r\n---\r\nx",
        ),
        (
            "---\nname: a\nextra: 1\n---\n",
            "updated",
            "2026-01-01T00:00:00Z",
            "---\nname: a\nupdated: 2026-01-01T00:00:00Z\nextra: 1\n---\n",
        ),
        ("---\nsource_session: a\n---\n", "invalid_at", None, "---\ninvalid_at: null\nsource_session: a\n---\n"),
        (
            "---\nmetadata:\n  type: user # t\n---\n",
            "metadata.type",
            "project",
            "---\nmetadata:\n  type: project # t\n---\n",
        ),
        ("---\ntags:\n  - x\n  - y\nz: 1\n---\n", "tags", ["a"], '---\ntags: ["a"]\nz: 1\n---\n'),
        ("---\nd: |\n  two\n  lines\nz: 1\n---\n", "d", "one", "---\nd: one\nz: 1\n---\n"),
        ("---\ndescription: cut #here\n---\n", "description", "whole", "---\ndescription: whole\n---\n"),
        ("just text\n", "invalid_at", "2026-01-01", "---\ninvalid_at: 2026-01-01\n---\njust text\n"),
        ("\ufefftext\r\n", "a", "b", "\ufeff---\r\na: b\r\n---\r\ntext\r\n"),
        ("---\nd: a: b\n---\n", "invalid_at", "2026-01-01", "---\nd: a: b\ninvalid_at: 2026-01-01\n---\n"),
        ("---\n---\nx", "a", "b", "---\na: b\n---\nx"),
    ],
)
def test_setting_a_key_changes_that_key_alone(before: str, key: str, value: object, after: str) -> None:
    assert set_key(before, key, value) == after  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("---\na: 1\n", "b"),
        ("---\n{a: 1, b: 2}\n---\n", "c"),
        ("---\na: 1\n---\n", "metadata.type"),
        ("---\r a: 1\r---\r", "b"),
    ],
)
def test_what_cannot_be_changed_safely_is_refused(text: str, key: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        set_key(text, key, "x")


_word = st.text(string.ascii_letters + string.digits + " :#'\"-_.,[]{}é→😀|>&*!%@`\\", min_size=0, max_size=30)
_key = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True)


@given(
    fields=st.dictionaries(_key, _word, max_size=6),
    body=st.text(max_size=40),
    newline=st.sampled_from(["\n", "\r\n"]),
    key=_key,
    value=_word,
    mark=st.sampled_from(["", "\ufeff"]),
)
def test_set_then_read_gives_the_value_and_keeps_the_rest(
    fields: dict[str, str], body: str, newline: str, key: str, value: str, mark: str
) -> None:
    block = "".join(f"{name}: {scalar(said)}  # kept{newline}" for name, said in fields.items())
    text = f"{mark}---{newline}{block}---{newline}{body}"
    changed = set_key(text, key, value)
    front = read(changed)
    assert front.fields == {**fields, key: value}
    assert changed[front.body :] == body
    kept = [line for line in text.split("\n") if not line.startswith(f"{key}:")]
    assert all(line in changed.split("\n") for line in kept)


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_exception(text: str) -> None:
    front = read("---\n" + text)
    assert front.body <= len(text) + 4
