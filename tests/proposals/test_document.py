"""A proposal file: what is written is read back, and only the strict parts count."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gardener.model.edit import (
    Append,
    Archive,
    Edit,
    Move,
    Qualify,
    Redact,
    Replace,
    Restore,
    SetField,
    Supersede,
    members_of,
)
from gardener.model.proposal import Base, Decided, Proposal
from gardener.proposals.document import Change, Document, parse, write
from gardener.proposals.grammar import read_base, read_edit, write_base, write_edit
from gardener.proposals.identity import ALPHABET, file_name, id_of, letter, plan_code, proposal_id

_odd = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
_part = _odd.filter(lambda text: text not in {".", ".."} and "/" not in text and "\0" not in text)
_path = st.lists(_part, min_size=1, max_size=3).map("/".join) | st.from_regex(r"memory/[a-z]{1,8}\.md", fullmatch=True)
_value = st.none() | st.booleans() | st.integers() | _odd | st.lists(_odd, max_size=3)
_reason = st.text(string.ascii_letters + " .:", min_size=1, max_size=20).map(str.strip).filter(bool)

EDITS = st.one_of(
    st.builds(Supersede, _path, _path),
    st.builds(Qualify, _path, _path),
    st.builds(Archive, _path, _reason.map(lambda text: " ".join(text.split()))),
    st.builds(Restore, _path),
    st.builds(SetField, _path, st.from_regex(r"[a-z_]{1,9}(\.[a-z]{1,5})?", fullmatch=True), _value),
    st.builds(Replace, _path, st.integers(1, 9999), _odd, st.none() | _odd),
    st.builds(Append, _path, _odd),
    st.builds(Move, _path, _path),
    st.builds(Redact, _path, st.integers(1, 99), st.integers(1, 99), st.integers(1, 99), st.just("api-key")),
)


@given(EDITS)
def test_every_edit_is_one_line_and_back(edit: Edit) -> None:
    line = write_edit(edit)
    assert line.isprintable()
    assert read_edit(line) == edit


@given(_path, st.booleans())
def test_every_base_is_one_line_and_back(path: str, index: bool) -> None:
    base = Base("0" * 64, path, index)
    assert read_base(write_base(base)) == base


@pytest.mark.parametrize(
    "line",
    [
        "delete memory/a.md",
        "supersede memory/a.md",
        "supersede ../a.md by memory/b.md",
        "supersede /etc/passwd by memory/b.md",
        "archive memory/a.md:",
        'replace memory/a.md 3: "x" -> 4',
        "append memory/a.md: null",
        "set memory/a.md key = {",
        'move "memory/../../a.md" to memory/b.md',
        "restore memory/a.md; rm -rf /",
        "",
    ],
)
def test_anything_else_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="."):  # noqa: RUF043
        read_edit(line)


@given(
    edits=st.lists(EDITS, min_size=1, max_size=4).map(tuple),
    reason=_odd,
    decision=st.sampled_from(["pending", "accept", "accept B,C", "reject"]),
    hunk=st.lists(st.text(max_size=10), max_size=3).map(tuple),
)
def test_a_file_says_what_was_written(
    edits: tuple[Edit, ...], reason: str, decision: str, hunk: tuple[str, ...]
) -> None:
    base = (Base("ab" * 32, "memory/a.md"), Base("cd" * 32, "memory/MEMORY.md", index=True))
    entry = Decided("apply", "ann", "2026-01-01T00:00:00Z", "12345678", (("A", "B"),), {"a": ("x", "y")})
    one = Proposal(
        "1E5678", "dedup", "safe", base, edits, decision=decision, reason=reason.strip(), until="2026-01-01T00:00:00Z",
        earlier="accept 12345678, text changed", rejecting="still true", decided=(entry,), summary="A [title]",
    )  # fmt: skip
    code = plan_code("dedup", base, edits, ())
    change = Change("memory/a.md", "1" * 64, "2" * 64, ((3, hunk, ("new\n", "\udcff")),), "notes/a.md")
    body = f"# A \\[title\\]\n\n- [ ] accept `{code}`\n- [x] reject: no `{code}`\n"
    document = Document(one, code, code, body, changes=(change,))
    found = parse(write(document))
    assert found.proposal.edits == edits
    assert found.proposal.base == base
    assert found.proposal.decided == (entry,)
    assert found.changes == (change,)
    assert found.proposal.ticks == (("reject: no", code),)
    assert (found.proposal.summary, found.proposal.decision) == ("A [title]", decision)
    assert found.proposal.reason == reason.strip()
    assert write(found) == write(document)


GOOD = """---
decision: pending 7069a445
gardener: 1
id: DVD76V
pass: dedup
risk: judgement
edits:
  - supersede memory/b.md by memory/a.md
base: |
  {a}  memory/a.md
  {b}  memory/b.md
---
# Title

- [ ] accept `7069a445`
""".format(a="a" * 64, b="b" * 64)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("gardener: 1", "gardener: 2", "another version"),
        ("risk: judgement", "risk: none", "risk"),
        ("id: DVD76V", "id: ../../x", "id or pass"),
        ("pass: dedup", "pass: dedup\npass: links", "stands twice"),
        ("pass: dedup", "pass: dedup\nextra: 1", "extra"),
        ("pass: dedup", "pass: &x dedup", "anchors"),
        ("memory/b.md by", "../b.md by", "inside the store"),
        ("supersede memory/b.md by memory/a.md", "run me", "not an edit"),
        ("# Title", "<<<<<<< ours\n# Title\n=======\n>>>>>>> theirs", "conflict markers"),
        ("base: |\n", "base: ''\n", "YAML|parse|mapping|expected"),
        ("---\ndecision", "decision", "no front matter"),
    ],
)
def test_what_is_not_strict_is_refused_with_a_reason(old: str, new: str, says: str) -> None:
    assert parse(GOOD).proposal.id == "DVD76V"
    with pytest.raises(ValueError, match=says):
        parse(GOOD.replace(old, new, 1))


def test_crlf_and_a_byte_order_mark_do_not_matter() -> None:
    assert parse("\ufeff" + GOOD.replace("\n", "\r\n")).proposal.edits == parse(GOOD).proposal.edits


def test_ids_go_on_where_they_were_used_up() -> None:
    first = proposal_id("dedup", "lifecycle", ["b", "a"], [])
    assert first == proposal_id("dedup", "lifecycle", ["a", "b"], ["OTHER1"])
    assert len(first) == 6
    assert set(first) <= set(ALPHABET)
    second = proposal_id("dedup", "lifecycle", ["a", "b"], [first])
    assert second not in {first, proposal_id("dedup", "lifecycle", ["a", "b"], [first, second])}


def test_names() -> None:
    assert file_name("dedup", "Ünder_score & more", "DVD76V") == "dedup-nder-score-more-DVD76V.md"
    assert id_of("x/dedup-a-DVD76V.md") == "DVD76V"
    assert [letter(i) for i in (0, 25, 26, 701, 702)] == ["A", "Z", "AA", "ZZ", "AAA"]


def test_a_fold_into_the_kept_memory_is_decided_with_its_member() -> None:
    b, c = Supersede("b", "a"), Supersede("c", "a")
    assert members_of((b, Append("a", "x"), c)) == ((b, Append("a", "x")), (c,))
