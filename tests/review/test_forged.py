"""Forged decisions: what a hostile memory says, and what a hostile change to a proposal file does. None has an effect.

Each text goes into every place of a memory that a proposal may show. Each forgery is one change to a real proposal.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from gardener.cli import commands
from gardener.errors import GardenerError
from gardener.passes import TABLE
from gardener.proposals.answers import read_answer
from gardener.proposals.inbox import Filed
from tests.garden import NOW, Garden, days_ago
from tests.review.test_answers import choice, group

TEXTS = (
    # a decision line, as text, as front matter, in a fence, and behind every break of a line there is
    "decision: accept {code}",
    "---\ndecision: accept {code}\n---",
    "---\ndecision: accept {code}\ngardener: 1\nid: {id}\npass: stale_stage\nrisk: safe\n---\n# forged",
    "...\n---\ndecision: accept {code}\n",
    "```yaml\ndecision: accept {code}\n```",
    "~~~\ndecision: accept {code}\n~~~",
    "\rdecision: accept {code}",
    "\x0bdecision: accept {code}",
    "\x0cdecision: accept {code}",
    "\x85decision: accept {code}",
    "\u2028decision: accept {code}",
    "\u2029decision: accept {code}",
    "\x1cdecision: accept {code}",
    "\r\n---\r\ndecision: accept {code}\r\n---\r\n",
    "\ufeff---\ndecision: accept {code}\n---",
    "<!-- decision: accept {code} -->",
    "reason: accepted by ann",
    "until: 2020-01-01T00:00:00Z",
    "decided:\n  - {{did: apply, by: ann, at: 2026-01-01T00:00:00Z, code: {code}}}",
    # boxes: ticked, in lists, in quotes, in other scripts' brackets, with and without a code
    "- [x] accept `{code}`",
    "- [X] accept `{code}`",
    "* [x] accept `{code}`",
    "1. [x] accept `{code}`",
    "> - [x] accept `{code}`",
    "\n\n- [x] accept `{code}`\n\n",
    "\r- [x] accept `{code}`",
    "\u2028- [x] accept `{code}`",
    "\x85- [x] accept `{code}`",
    "\x0c- [x] accept `{code}`",
    "- [x] accept",
    "- [x] reject `{code}`",
    "- [x] hide: never ask again `{code}`",
    "- [x] retire B `{code}`",
    "- [x] retire A `{code}`\n- [x] retire B `{code}`",
    "- [x] a: keep both `{code}`",
    "- [x] b: the other `{code}`",
    "- [ ] accept `{code}`",
    "```\n- [x] accept `{code}`\n```",
    "<details>\n\n- [x] accept `{code}`\n\n</details>",
    "<input type=checkbox checked> accept {code}",
    "\u202e- [x] accept `{code}`\u202c",
    "\u200b- [x] accept `{code}`",
    # leaving the quote or the line
    "</blockquote>\n- [x] accept `{code}`",
    "\\\n- [x] accept `{code}`",
    "``````\n- [x] accept `{code}`\n``````",
    "]( ../x )\n- [x] accept `{code}`",
    "$(touch forged) `touch forged`",
    "[[../../outside]] [x](../../../outside.md) [y](/etc/passwd)",
    "![x](https://example.org/pixel.png)",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "\x1b]0;forged\x07\x1b[2J\x1b[31maccept {code}\x1b[0m",
    "\x9b31maccept",
    # the plan: edits, bases, and git's own syntax
    "edits:\n  - archive memory/p/victim.md: forged",
    "  - supersede memory/p/victim.md by memory/p/forged.md",
    "base: |\n  0000000000000000000000000000000000000000000000000000000000000000  memory/p/victim.md",
    "choices:\n  a:\n    says: forged\n    edits:\n      - archive memory/p/victim.md: forged",
    "# Retire memory/p/victim.md",
    "## What happens\nNothing. Accept this.",
    "diff --git a/memory/p/victim.md b/memory/p/victim.md\n--- a/memory/p/victim.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-x",
    "<<<<<<< ours\n- [ ] accept `{code}`\n=======\n- [x] accept `{code}`\n>>>>>>> theirs",
    "&#10;- [x] accept `{code}`",
    "%0A- [x] accept `{code}`",
    "\\n- [x] accept `{code}`",
    "{{{{ decision }}}} ${{decision}} %(decision)s",
    "\udcff- [x] accept `{code}`",
    "\x00- [x] accept `{code}`",
)


def scalar(text: str) -> str:
    """As YAML: every odd character escaped, so that the value really holds it."""
    return '"' + "".join(c if c.isalnum() or c in " -" else f"\\U{ord(c):08x}" for c in text) + '"'


def in_body(garden: Garden, name: str, text: str) -> None:
    garden.stage(f"p/{name}", "Status: done", body=f"\nNext:\n- [ ] {name} {text}\n\n{text}\n")


def in_first_line(garden: Garden, name: str, text: str) -> None:
    garden.memory(f"p/{name}", f"{text}\n", kind="stage", updated=days_ago(40), created=days_ago(50))


def in_status(garden: Garden, name: str, text: str) -> None:
    garden.stage(f"p/{name}", f"Status: {name} {text}")


def in_description(garden: Garden, name: str, text: str) -> None:
    garden.memory(f"p/{name}", updated=days_ago(400), created=days_ago(500), description=scalar(f"{name} {text}"))


def in_twins(garden: Garden, name: str, text: str) -> None:
    same = "\n\n".join(f"The {name} relay number {n} listens on its own port and waits." for n in range(9))
    for twin, more in (("a", ""), ("b", f"\n\n{text}\n\nOnly this one says so.\n")):
        garden.memory(f"p/{name}-{twin}", same + more + "\n", description=f"how the {name} relays wait")


def in_key(garden: Garden, name: str, text: str) -> None:
    garden.memory(
        f"p/{name}", kind=scalar(text), tags=f"[{scalar(text)}]", updated=days_ago(400), created=days_ago(500)
    )


def in_file_name(garden: Garden, name: str, text: str) -> None:
    odd = re.sub(r"[/\x00]", " ", text)[:60]
    plain = garden.memory(f"p/{name}", updated=days_ago(400), created=days_ago(500))
    plain.rename(plain.with_name(f"{name} {odd}.md"))


PLACES = (in_body, in_first_line, in_status, in_description, in_twins, in_key, in_file_name)


def run(garden: Garden, *arguments: str) -> tuple[int, str]:
    shared = ["--store", str(garden.path), "--now", NOW.isoformat()]
    done = CliRunner().invoke(commands, [*shared, *arguments])
    if isinstance(done.exception, GardenerError):
        return done.exception.exit_code, f"{done.output}{done.exception}"
    if isinstance(done.exception, OSError):  # as gardener.__main__ says it
        return 4, f"{done.output}{done.exception}"
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done.exit_code, done.output


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_no_memory_decides(garden: Garden, place: Callable[[Garden, str, str], None]) -> None:
    unlimited = "".join(f"[passes.{name}]\nmax_pending = 10000\n" for name in TABLE)
    garden.settings(f"[limits]\nmax_pending = 10000\n{unlimited}")
    garden.stage("p/victim", "Status: done")
    garden.tend()
    victim = garden.one("stale_stage")
    for number, text in enumerate(TEXTS):
        place(garden, f"zq{number}", text.format(code=victim.document.code, id=victim.id))
    before = garden.memories()
    garden.tend()
    inbox = garden.inbox
    assert not inbox.malformed
    for filed in inbox.pending:
        document = filed.document
        assert read_answer(document) is None, filed.path
        assert not document.owned
        assert document.code == document.plan
        assert all(code == document.plan and not ticked for ticked, _, code in document.boxes)
        assert "memory/p/victim.md" not in document.proposal.subjects or filed.id == victim.id
        assert all(part == "\n" or part.isprintable() for part in filed.data.decode())
    written = b"".join(filed.data for filed in inbox.pending)
    shown = sum(b"zq%d" % number in written for number in range(len(TEXTS)))
    assert shown >= len(TEXTS) * 0.9  # the attempt was really made: a proposal speaks of that memory
    code, said = run(garden, "apply", "--decided")
    assert (code, "1m" in said and "\x1b" in said) == (0, False)
    assert garden.memories() == before
    assert len(garden.inbox.decided) == 0
    assert not list(garden.path.parent.rglob("forged"))


Forgery = Callable[[str, Filed], str]


def swap(old: str, new: str, count: int = 1) -> Forgery:
    """Replace `old` by `new`, both with {code} and {id} filled in; it must be there."""

    def forge(text: str, filed: Filed) -> str:
        code = filed.document.code
        was, becomes = (part.replace("{code}", code).replace("{id}", filed.id) for part in (old, new))
        assert was in text
        return text.replace(was, becomes, count)

    return forge


def after(line: str, more: str) -> Forgery:
    """`more` as the lines behind `line`."""
    return swap(line, f"{line}\n{more}")


def first(text: str) -> Forgery:
    return lambda old, _: text + old


PENDING = "decision: pending {code}"
TICKED = "- [x] retire B `{code}`"
BOX = "- [ ] retire B `{code}`"
FORGERIES: dict[str, Forgery] = {
    "accept without a code": swap(PENDING, "decision: accept"),
    "accept with another code": swap(PENDING, "decision: accept 00000000"),
    "a short code": swap(PENDING, "decision: accept 0000"),
    "a code in capitals": lambda text, one: text.replace(
        f"pending {one.document.code}", f"accept {'A' + one.document.code.upper()[1:]}", 1
    ),
    "two codes": swap(PENDING, "decision: accept 00000000 00000000"),
    "the code first": swap(PENDING, "decision: {code} accept"),
    "an unknown word": swap(PENDING, "decision: approve {code}"),
    "an empty decision": swap(PENDING, "decision:"),
    "a list for a decision": swap(PENDING, "decision: [accept, {code}]"),
    "a map for a decision": swap(PENDING, "decision: {accept: {code}}"),
    "the decision twice": after(PENDING, "decision: accept {code}"),
    "a key twice": after(PENDING, "risk: safe"),
    "an unknown key": after(PENDING, "auto: true"),
    "a tag": swap(PENDING, "decision: !!str accept {code}"),
    "an anchor": swap(PENDING, "decision: &x accept {code}"),
    "an alias": swap(PENDING, "reason: &x accept {code}\ndecision: *x"),
    "a merge key": after(PENDING, "<<: {decision: accept}"),
    "a second document": swap("---\ndecision", "---\ndecision: accept {code}\n---\ndecision"),
    "front matter before it": first("---\ndecision: accept 00000000\n---\n"),
    "text before it": first("decision: accept\n"),
    "a folded decision": swap(PENDING, "decision: >-\n  accept\n  00000000"),
    "a block of decisions": swap(PENDING, "decision: |\n  pending {code}\n  accept 00000000"),
    "accept and reject": swap(PENDING, "decision: accept reject {code}"),
    "a member that is not there": swap(PENDING, "decision: accept Z {code}"),
    "the kept one as a member": swap(PENDING, "decision: accept A {code}"),
    "a choice where there is none": swap(PENDING, "decision: accept 1 {code}"),
    "look-alike letters": swap(PENDING, "decision: \u0430ccept {code}"),
    "hidden letters": swap(PENDING, "decision: acc\u200bept {code}"),
    "wide letters": swap(PENDING, "decision: \uff41\uff43\uff43\uff45\uff50\uff54 {code}"),
    "a tick without a code": swap(BOX, "- [x] retire B"),
    "a tick with another code": swap(BOX, "- [x] retire B `00000000`"),
    "a tick for nobody": swap(BOX, "- [x] retire Z `{code}`"),
    "a tick for the kept one": swap(BOX, "- [x] retire A `{code}`"),
    "a tick that says nothing": swap(BOX, "- [x] `{code}`"),
    "a tick for a word of ours": swap(BOX, "- [x] supersede everything `{code}`"),
    "a tick and a rejection": swap(f"{BOX}", f"{TICKED}\n- [x] reject `{{code}}`"),
    "a tick against the line": lambda text, one: swap(BOX, TICKED)(
        swap(PENDING, "decision: reject {code}")(text, one), one
    ),
    "a tick in a quote": swap(BOX, "> - [x] retire B `{code}`"),
    "a tick in an inner list": swap(BOX, "  - [x] retire B `{code}`"),
    "a tick with another mark": swap(BOX, "- [*] retire B `{code}`"),
    "a tick with two marks": swap(BOX, "- [xx] retire B `{code}`"),
    "a tick in other brackets": swap(BOX, "- \uff3bx\uff3d retire B `{code}`"),
    "a tick in the front matter": after(PENDING, "earlier: '- [x] retire B `{code}`'"),
    "an edit that was not shown": swap("memory/p/d.md by memory/p/a.md", "memory/p/other.md by memory/p/a.md"),
    "a move out of the store": swap("supersede memory/p/d.md by memory/p/a.md", "move memory/p/d.md to ../d.md"),
    "an absolute path": swap("supersede memory/p/d.md by memory/p/a.md", "move memory/p/d.md to /tmp/d.md"),
    "an own folder": swap("supersede memory/p/d.md by memory/p/a.md", "move memory/p/d.md to .git/hooks/d"),
    "an unknown edit": swap("supersede memory/p/d.md by memory/p/a.md", "delete memory/p/d.md"),
    "a command for an edit": swap("supersede memory/p/d.md by memory/p/a.md", "'run: rm -rf /'"),
    "another kept one": swap("supersede memory/p/d.md by memory/p/a.md", "supersede memory/p/a.md by memory/p/d.md"),
    "an edit twice": after(
        "  - supersede memory/p/b.md by memory/p/a.md", "  - supersede memory/p/b.md by memory/p/c.md"
    ),
    "itself": swap("supersede memory/p/d.md by memory/p/a.md", "supersede memory/p/d.md by memory/p/d.md"),
    "no edits": lambda text, _: re.sub(r"edits:\n(  - .*\n)+", "", text),
    "no base": lambda text, _: re.sub(r"base: \|\n(  .*\n)+", "base: ''\n", text),
    "a base of another file": swap("  memory/p/b.md\n", "  memory/p/other.md\n"),
    "a base hash of nothing": lambda text, _: re.sub(r"[0-9a-f]{64}(  memory/p/b)", "0" * 64 + r"\1", text),
    "a base outside": swap("  memory/p/b.md\n", "  ../../outside.md\n"),
    "another pass": swap("pass: dedup", "pass: secrets"),
    "a pass that is a path": swap("pass: dedup", "pass: ../dedup"),
    "a lower risk": swap("risk: judgement", "risk: none"),
    "another id": swap("id: {id}", "id: AAAAAA"),
    "an id that is a path": swap("id: {id}", "id: ../../x"),
    "another version": swap("gardener: 1", "gardener: 2"),
    "said to be decided": after(
        PENDING, "decided:\n  - {did: apply, by: ann, at: '2026-01-01T00:00:00Z', code: {code}}"
    ),
    "changes to undo": after(
        PENDING, 'changes:\n  - \'{"path": "memory/p/other.md", "before": "", "after": "", "hunks": []}\''
    ),
    "conflict markers": swap(
        PENDING, "<<<<<<< ours\ndecision: pending {code}\n=======\ndecision: accept {code}\n>>>>>>> x"
    ),
    "no closing fence": lambda text, _: text.replace("\n---\n", "\n", 1),
    "not text": lambda text, _: "\x00\x01" + text,
    "empty": lambda _text, _one: "",
    "endless nesting": swap(PENDING, "decision: " + "[" * 5000),
}
FORGED_CHOICES: dict[str, Forgery] = {
    "a bare accept": swap(PENDING, "decision: accept {code}"),
    "a choice that is not there": swap(PENDING, "decision: accept z {code}"),
    "two choices": swap(PENDING, "decision: accept a,b {code}"),
    "a choice without a code": swap(PENDING, "decision: accept b"),
    "a letter of two": swap("  b:\n", "  bb:\n"),
    "an edit slipped into the harmless choice": swap(
        "says: keep both", "says: keep both\n    edits: [archive memory/p/a.md: x]"
    ),
    "two ticks": lambda text, _: text.replace("- [ ] ", "- [x] ", 2),
    "a choice of no name": swap("says: b wins", "sayz: b wins"),
}
FORGED = len(TEXTS) * len(PLACES) + len(FORGERIES) + len(FORGED_CHOICES)
"""How many attempts there are."""


@pytest.mark.parametrize(("make", "forgeries"), [(group, FORGERIES), (choice, FORGED_CHOICES)], ids=["group", "choice"])
def test_no_forged_file_decides(garden: Garden, make: Callable[[Garden], Filed], forgeries: dict[str, Forgery]) -> None:
    garden.memory("p/other")
    filed = make(garden)
    before = garden.memories()
    for name, forge in forgeries.items():
        text = filed.data.decode()
        forged = forge(text, filed)
        assert forged != text, name
        garden.write(filed.path, forged.encode("utf-8", "surrogateescape"))
        code, said = run(garden, "apply", "--decided")
        assert garden.memories() == before, name
        assert garden.inbox.decided == [] or not garden.inbox.decided, name
        assert "\x1b" not in said
        assert code in {0, 2, 3, 4}, (name, code, said)
        for folder in ("applied", "rejected"):
            for path in (garden.path / "proposals" / folder).glob("*.md"):
                raise AssertionError(f"{name}: {path}")
    garden.write(
        filed.path,
        swap(PENDING, "decision: accept b {code}" if make is choice else "decision: accept {code}")(
            filed.data.decode(), filed
        ),
    )
    assert run(garden, "apply", "--decided")[0] == 0  # and the honest answer still counts
    assert garden.memories() != before


def test_a_decision_for_one_store_decides_nothing_in_another(garden: Garden, tmp_path: Path) -> None:
    """The same question about other bytes has another code."""
    filed = group(garden)
    other = Garden(tmp_path / "other")
    other.settings("")
    theirs = group(other)
    other.write(other.path / "memory/p/b.md", (other.path / "memory/p/b.md").read_bytes() + b"More.\n")
    other.tend()
    accepted = swap(PENDING, "decision: accept {code}")(filed.data.decode(), filed)
    other.write(theirs.path, accepted)
    before = other.memories()
    assert run(other, "apply", "--decided")[0] == 3
    assert other.memories() == before
