"""What must hold for any bytes whatever, by the door they come in at. A check raises AssertionError, or anything.

`tests.proofs.fuzz` looks for bytes that break one, guided by coverage; the suite tries some at random.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from pathlib import Path

from gardener import config
from gardener.errors import SettingsError, StaleError
from gardener.formats import FORMATS, decode, read_memory
from gardener.formats.base import Format, Source
from gardener.model.edit import Append, Archive, Edit, Qualify, SetField, Supersede, paths_of
from gardener.model.memory import Memory
from gardener.model.snapshot import Snapshot
from gardener.passes import discover
from gardener.proposals import document, grammar
from gardener.proposals.answers import read_answer
from gardener.proposals.draft import draft, grouped, text_of
from gardener.report import read_history, write_history
from gardener.review.hunks import hunks, undone
from gardener.tend.configure import configured
from gardener.tend.passes import hear
from gardener.text.links import read_links
from gardener.text.quote import inline, plain, quoted, visible
from gardener.text.rewrite import rewrite
from gardener.text.secrets import find_secrets, mask, values
from gardener.text.similarity.sentences import sentences
from gardener.text.stage import read_stage

NOW = datetime(2026, 9, 1, 12, 0, 0, tzinfo=UTC)
PATH, OTHER = "memory/p/a.md", "memory/p/other.md"
STAMPED = {"invalid_at", "superseded_by", "updated", "modified", "description", "metadata"}
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}

Check = Callable[[bytes], object]


def memory(data: bytes) -> None:
    """A memory file is read, or named as a problem; retiring it changes the stamps alone and is undone to the byte."""
    form = FORMATS[data[0] % len(FORMATS)] if data else FORMATS[0]
    one, problems = read_memory(Source(PATH, "memory", data[1:]), form)
    assert one.data == data[1:]
    assert decode(one.data).encode("utf-8", "surrogateescape") == one.data
    for problem in problems:
        assert problem.path == PATH
        assert problem.reason
    other = _other()
    edits: tuple[Edit, ...] = (
        Archive(PATH, "stage done"),
        Supersede(PATH, OTHER),
        Qualify(PATH, OTHER),
        SetField(PATH, "description", "one: 'two' # three"),
        Append(PATH, "More."),
    )
    for edit in edits:
        _rewritten(one, edit, other, form)


def _rewritten(one: Memory, edit: Edit, other: Memory, form: Format) -> None:
    try:
        (change,) = rewrite((edit,), {PATH: one, OTHER: other}, NOW)
    except StaleError:
        return
    assert change.after is not None
    assert undone(change.after, hunks(one.data, change.after), PATH) == one.data
    again, _ = read_memory(Source(PATH, "memory", change.after), form)
    if isinstance(edit, SetField):
        assert again.body == one.body
    else:
        assert again.body.startswith(one.body)
    if isinstance(edit, Archive | Supersede) and one.has_front_matter and one.parsed:
        assert not again.active
    if one.parsed:
        kept = {key: value for key, value in one.fields.items() if key not in STAMPED}
        assert kept == {key: again.fields.get(key) for key in kept}


def proposal(data: bytes) -> None:
    """A proposal file is refused with one line, or read, and then it survives being written and read again."""
    try:
        found = document.parse(data.decode("utf-8"))
    except ValueError:
        return
    read_answer(found)
    again = document.parse(document.write(found))
    assert again.plan == found.plan
    assert (again.proposal.edits, again.proposal.base) == (found.proposal.edits, found.proposal.base)
    assert (again.proposal.choices, again.proposal.decided) == (found.proposal.choices, found.proposal.decided)
    assert again.changes == found.changes
    assert read_answer(again) == read_answer(found)


def line(data: bytes) -> None:
    """An edit or base line is refused, or is the same when written and read again, and stays in the store."""
    text = data.decode("utf-8", "replace")
    with suppress(ValueError):
        edit = grammar.read_edit(text)
        assert grammar.read_edit(_one_line(grammar.write_edit(edit))) == edit
        assert all(_inside(path) for path in paths_of((edit,)))
    with suppress(ValueError):
        base = grammar.read_base(text)
        assert grammar.read_base(_one_line(grammar.write_base(base))) == base
        assert _inside(base.path)


def _one_line(written: str) -> str:
    assert len(written.splitlines()) == 1
    return written


def _inside(path: str) -> bool:
    return not path.startswith("/") and ".." not in path.split("/")


def text(data: bytes) -> None:
    """What is quoted stays quoted, shows no control code and no credential; reading prose never fails."""
    given = decode(data)
    masked = mask(given)
    assert not find_secrets(masked)
    for shown in (quoted(given), inline(given), plain(given), visible(given)):
        assert all(c == "\n" or unicodedata.category(c) not in _UNSEEN for c in shown)
    for secret in find_secrets(given):
        value = given[secret.start : secret.end]
        if len(value) >= 8 and value not in secret.kind:
            assert all(value not in shown for shown in (masked, quoted(given), inline(given), plain(given)))
    assert all(one.startswith(">") for one in quoted(given).split("\n"))
    assert "\n" not in inline(given) + plain(given) + visible(given)
    for link in read_links(given):
        assert 1 <= link.line <= given.count("\n") + 1
    read_stage(given)
    sentences(given)


def settings(data: bytes) -> None:
    """Settings are read or refused; lines of history that cannot be read are passed over."""
    given = data.decode("utf-8", "replace")
    with suppress(SettingsError):
        config.parse(given)
    history = read_history(given)
    written = "".join(f"{one.line()}\n" for one in history)
    assert read_history(written) == history
    if history:
        assert read_history(write_history(history, history[-1])) == history


def passes(data: bytes) -> None:
    """All passes look at a store of three such files: none fails, and every proposal is unanswered when read back."""
    parts = [*data.split(b"\x00\x00", 2), b"", b""][:3]
    memories = tuple(
        read_memory(Source(f"memory/p/{name}.md", "memory", part), FORMATS[0])[0]
        for name, part in zip("abc", parts, strict=True)
    )
    by_path = {one.path: one for one in memories}
    heard = hear(Snapshot(memories), configured({}), NOW)
    assert "failed" not in heard.status.values(), heard.errors
    known = [value for one in memories for value in values(decode(one.data)) if len(value) >= 8]
    for finding in grouped(heard.findings):
        if not finding.edits and not finding.choices:
            continue
        made = draft(finding, by_path, {}, (), "proposals")
        shown = text_of(made, by_path)
        back = document.parse(shown)
        assert read_answer(back) is None
        assert not back.owned
        assert back.proposal.edits == made.proposal.edits
        about = {value for path in finding.subjects for value in values(decode(by_path[path].data))}
        assert not [value for value in known if value in about and value in shown]
        assert all(edit.path in finding.subjects for edit in finding.edits)


CHECKS: dict[str, Check] = {check.__name__: check for check in (memory, proposal, line, text, settings, passes)}


@cache
def _other() -> Memory:
    source = Source(OTHER, "memory", b"---\nid: 01K00000000000000000000001\nname: other\n---\nOther.\n")
    return read_memory(source, FORMATS[0])[0]


@cache
def seeds(name: str) -> list[bytes]:
    """Real files to start from: the shipped store's, and what a proposal of it looks like."""
    store = Path(__file__).parents[2] / "store"
    memories = [path.read_bytes() for path in sorted(store.rglob("*.md"))]
    match name:
        case "memory":
            return [bytes([number]) + data for data in memories for number in range(len(FORMATS))]
        case "passes":
            return [a + b"\x00\x00" + b for a, b in pairwise(memories)]
        case "settings":
            return [(store / "gardener.toml").read_bytes(), _HISTORY]
        case "line":
            return [one.encode() for one in _LINES]
        case "proposal":
            return [_proposal(data) for data in memories if _proposal(data)]
        case _:
            return memories


_HISTORY = (
    b'{"date": "2026-07-10", "active": 1, "notes": 0, "pending": ["AAAAAA"], "decided": 0, "problems": 0, "passes": {}}'
)
_LINES = (
    "supersede memory/p/a.md by memory/p/b.md",
    "qualify memory/p/a.md by memory/p/b.md",
    "archive memory/p/a.md: stage done",
    "restore memory/p/a.md",
    'set "memory/p/a b.md" name = "x"',
    'replace memory/p/a.md 3: "x" -> null',
    'append memory/p/a.md: "x"',
    "move memory/p/a.md to notes/p/a.md",
    "redact memory/p/a.md 3:1-9 token",
    "0" * 64 + "  memory/p/a.md#line",
)


def _proposal(data: bytes) -> bytes:
    one = read_memory(Source(PATH, "memory", data), FORMATS[0])[0]
    snapshot = Snapshot((one,))
    for each in discover():
        for finding in each.find(snapshot, each.settings(), NOW):
            if finding.edits or finding.choices:
                return text_of(draft(finding, {PATH: one}, {}, (), "proposals"), {PATH: one}).encode()
    return b""
