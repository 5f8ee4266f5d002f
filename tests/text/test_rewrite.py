"""From edits to bytes: exactly the lines an edit says, whatever the file's habits."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gardener.errors import StaleError
from gardener.formats import claude_code, read_memory, seamless
from gardener.formats.base import Format, Source
from gardener.model.edit import Append, Archive, Edit, Move, Qualify, Redact, Replace, Restore, SetField, Supersede
from gardener.model.memory import Memory
from gardener.review.hunks import hunks, undone
from gardener.text.rewrite import rewrite

NOW = datetime(2026, 9, 1, 12, 0, 0, tzinfo=UTC)
STAMP = "2026-09-01T12:00:00Z"


def memory(text: str, path: str = "memory/p/old.md", form: Format = seamless.FORMAT) -> Memory:
    return read_memory(Source(path, "memory", text.encode("utf-8", "surrogateescape")), form)[0]


TOKEN = "gh" + "p_" + "a1B2" * 9
OLD = "---\nid: 01OLD\nname: old # kept\nx: 'y'\n---\nBody.\n"
NEW = memory("---\nid: 01NEW\nname: new\n---\nNew.\n", "memory/p/new.md")


def after(text: str, *edits: Edit, form: Format = seamless.FORMAT) -> str:
    one = memory(text, form=form)
    (change,) = rewrite(edits, {one.path: one, NEW.path: NEW}, NOW)
    assert change.after is not None
    return change.after.decode("utf-8", "surrogateescape")


@pytest.mark.parametrize(
    ("text", "edit", "expected"),
    [
        (
            OLD,
            Supersede("memory/p/old.md", "memory/p/new.md"),
            f"---\nid: 01OLD\nname: old # kept\nupdated: {STAMP}\ninvalid_at: {STAMP}\n"
            "superseded_by: 01NEW\nx: 'y'\n---\n"
            "Body.\n\n> Superseded by p/new (01NEW) on 2026-09-01\n",
        ),
        (
            "---\r\nname: old\r\ninvalid_at: null\r\nupdated: 2026-01-01\r\n---\r\nBody.",
            Archive("memory/p/old.md", "stage done"),
            f"---\r\nname: old\r\ninvalid_at: {STAMP}\r\nupdated: {STAMP}\r\n---\r\nBody.\r\n\r\n"
            "> Archived (stage done) on 2026-09-01",
        ),
        (OLD, Qualify("memory/p/old.md", "memory/p/new.md"), OLD + "\n> Qualified by new (2026-09-01)\n"),
        (OLD, SetField("memory/p/old.md", "x", "z"), OLD.replace("'y'", "'z'")),
        (OLD, Replace("memory/p/old.md", 6, "Body.", "One\nTwo"), OLD.replace("Body.", "One\nTwo")),
        (OLD, Replace("memory/p/old.md", 6, "Body.", None), OLD.replace("Body.\n", "")),
        ("a\r\nb\r\n", Replace("memory/p/old.md", 1, "a", "c\nd"), "c\r\nd\r\nb\r\n"),
        (OLD, Append("memory/p/old.md", "More."), OLD + "\nMore.\n"),
        (OLD + "\n", Append("memory/p/old.md", "More."), OLD + "\nMore.\n"),
        (
            f"{OLD}k: {TOKEN}\n",
            Redact("memory/p/old.md", 7, 4, 3 + len(TOKEN), "github-token"),
            f"{OLD}k: [redacted github-token]\n",
        ),
        ("\ufeffplain\udcff", Append("memory/p/old.md", "x"), "\ufeffplain\udcff\n\nx"),
    ],
)
def test_exactly_these_bytes(text: str, edit: Edit, expected: str) -> None:
    assert after(text, edit) == expected


def test_line_numbers_are_those_of_the_file_as_it_was() -> None:
    text = "a\nb\nc\n"
    edits = (Replace("memory/p/old.md", 1, "a", "A\nA2"), Replace("memory/p/old.md", 3, "c", None))
    assert after(text, *edits) == "A\nA2\nb\n"


def test_a_format_whose_readers_ignore_invalid_at_marks_the_description() -> None:
    text = "---\nname: old\ndescription: how it is # really\ntype: user\n---\nBody.\n"
    edit = Supersede("memory/p/old.md", "memory/p/new.md")
    result = after(text, edit, form=claude_code.FORMAT)
    assert 'description: "[superseded by new] how it is # really"\n' in result
    assert "superseded_by: p/new\n" in result
    assert "> Superseded by p/new on 2026-09-01\n" in result


def test_a_move_is_a_new_file_and_a_removal() -> None:
    one = memory(OLD)
    new, old = rewrite((Move(one.path, "notes/p/old.md"),), {one.path: one}, NOW)
    assert (new.path, new.before, new.after) == ("notes/p/old.md", None, one.data)
    assert (old.path, old.before, old.after) == (one.path, one.data, None)


def test_restore_empties_the_fields_and_takes_the_tombstone() -> None:
    retired = after(OLD, Supersede("memory/p/old.md", "memory/p/new.md"))
    back = after(retired, Restore("memory/p/old.md"))
    assert "invalid_at: null\nsuperseded_by: null\n" in back
    assert back.endswith("---\nBody.\n")


TOMB = f"> Archived (done) on {STAMP[:10]}"


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("Body.\n", "Body.\n"),
        ("Such as:\n\n> Archived (x) on 2019-01-01\n\nSo.\n", "Such as:\n\n> Archived (x) on 2019-01-01\n\nSo.\n"),
        (f"```\n{TOMB}\n```\n", f"```\n{TOMB}\n```\n"),
        (f"It says `{TOMB}` then.\n", f"It says `{TOMB}` then.\n"),
        (f"> A quoted line\n{TOMB}\nand more.\n", f"> A quoted line\n{TOMB}\nand more.\n"),
        (f"Body.\n\n{TOMB}\n", "Body.\n"),
        (f"Body.\n\n{TOMB}", "Body."),
        (f"{TOMB}\n", ""),
        (f"Body.\n\n{TOMB}\n\nAdded later.\n", "Body.\n\nAdded later.\n"),
        (f"Body.\n\n{TOMB}\nAdded later.\n", "Body.\n\nAdded later.\n"),
        (f"Body.\r\n\r\n{TOMB}\r\n\r\nLater.\r\n", "Body.\r\n\r\nLater.\r\n"),
        (
            f"Body.\n\n> Qualified by x (2026-01-01)\n{TOMB}\n\nLater.\n",
            "Body.\n\n> Qualified by x (2026-01-01)\n\nLater.\n",
        ),
        (f"```\n{TOMB}\n```\n\n{TOMB}\n\nLater.\n\n```\nx\n```\n", f"```\n{TOMB}\n```\n\nLater.\n\n```\nx\n```\n"),
    ],
)
def test_restore_takes_the_tombstone_wherever_it_stands_and_nothing_else(body: str, left: str) -> None:
    text = OLD.replace("x:", f"invalid_at: {STAMP}\nx:").replace("Body.\n", body)
    back = after(text, Restore("memory/p/old.md"))
    assert back.partition("\n---\n")[2] == left


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        (OLD, Supersede("memory/p/old.md", "memory/p/old.md")),
        (OLD, Supersede("memory/p/old.md", "memory/p/nowhere.md")),
        (OLD.replace("x:", f"invalid_at: {STAMP}\nx:"), Archive("memory/p/old.md", "again")),
        (OLD, Restore("memory/p/old.md")),
        (OLD, Replace("memory/p/old.md", 6, "Another body.", "x")),
        (OLD, Replace("memory/p/old.md", 99, "", "x")),
        (OLD, Redact("memory/p/old.md", 6, 1, 99, "token")),
        (OLD, Redact("memory/p/old.md", 6, 1, 4, "token")),
        ("---\nname: never closed\n", Archive("memory/p/old.md", "x")),
    ],
)
def test_what_does_not_fit_is_refused(text: str, edit: Edit) -> None:
    with pytest.raises(StaleError):
        after(text, edit)


_line = st.text("abc -#[]>\u2028é", max_size=8)
_file = st.lists(_line, max_size=8).map("\n".join) | st.lists(_line, max_size=8).map("\r\n".join)


@given(before=_file, later=_file)
def test_what_was_done_can_be_taken_back_to_the_byte(before: str, later: str) -> None:
    a, b = before.encode(), later.encode()
    assert undone(b, hunks(a, b), "x") == a


@given(body=_file, newline=st.sampled_from(["\n", "\r\n"]), end=st.sampled_from(["", "\n"]))
def test_retiring_any_body_can_be_taken_back(body: str, newline: str, end: str) -> None:
    text = f"---{newline}name: old{newline}---{newline}{body}{end}"
    retired = after(text, Archive("memory/p/old.md", "x"))
    assert undone(retired.encode(), hunks(text.encode(), retired.encode()), "x").decode() == text
    assert retired.startswith(f"---{newline}name: old{newline}")
