"""A proposal file: strict front matter, boxes, and text for a person. Only the first two are ever read back."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any, Literal

import frontmatter
import msgspec
import yaml
from frontmatter.default_handlers import YAMLHandler

from gardener.model.finding import Choice
from gardener.model.proposal import Base, Decided, Proposal
from gardener.proposals.grammar import read_base, read_edit, to_json, write_base, write_edit
from gardener.proposals.identity import plan_code
from gardener.text.keys import scalar
from gardener.text.quote import unescaped
from gardener.text.yaml_spans import Failure, Reader

VERSION = "1"
MAX_NODES = 200_000
CODE = re.compile(r"[0-9a-f]{8}")
_BOX = re.compile(r"^- \[([ xX])\] (.+?)(?: `([0-9a-f]{8})`)?[ \t]*\r?$", re.MULTILINE)
_TITLE = re.compile(r"^# (.+?)[ \t]*\r?$", re.MULTILINE)
_CONFLICT = re.compile(r"^(?:<{7}|>{7}|={7})(?: |\r?$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Change:
    """What an apply did to one file. `hunks` are (first line, lines before, lines after) with their endings,
    the lines counted in the file before; None where the old text was wiped. `to` is where a move took it.
    """

    path: str
    before: str
    after: str
    hunks: tuple[tuple[int, tuple[str, ...], tuple[str, ...]], ...] | None
    to: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file. `code` is the one on its decision line, `plan` the one its plan really has."""

    proposal: Proposal
    code: str
    plan: str
    body: str
    boxes: tuple[tuple[bool, str, str], ...] = ()
    changes: tuple[Change, ...] = ()

    @property
    def edited(self) -> bool:
        """Whether a person edited the plan: every mark agrees on a code the plan does not have."""
        return self.code != self.plan and all(code == self.code for _, _, code in self.boxes)

    @property
    def owned(self) -> bool:
        """Whether the file belongs to a person: an answer, a tick, or an edited plan."""
        answered = self.proposal.decision.split(" ")[0] != "pending"
        return answered or bool(self.proposal.ticks) or self.edited


class ConflictError(ValueError):
    """The file holds git's conflict markers."""


class _Choice(msgspec.Struct, forbid_unknown_fields=True):
    says: str
    edits: list[str] | None = None


class _Decided(msgspec.Struct, forbid_unknown_fields=True):
    did: Literal["apply", "reject", "keep", "hide", "undone"]
    by: str
    at: str
    code: str
    declined: list[list[str]] = []
    seen: dict[str, list[str]] = {}


class _Header(msgspec.Struct, forbid_unknown_fields=True, rename={"pass_name": "pass"}):
    decision: str
    gardener: str
    id: str
    pass_name: str
    risk: Literal["safe", "judgement", "lossy"]
    base: str
    reason: str | None = None
    until: str | None = None
    earlier: str | None = None
    rejecting: str | None = None
    edits: list[str] | None = None
    choices: dict[str, _Choice] | None = None
    decided: list[_Decided] = []
    changes: list[str] = []


class _Strict(YAMLHandler):
    """Every scalar stays text; a key twice, a tag, an anchor or a second document is refused."""

    def load(self, fm: str, **_: object) -> Any:
        reader = Reader(yaml.parse(fm, Loader=yaml.CSafeLoader), fm, max_nodes=MAX_NODES)
        return {key: value[0] for key, value in reader.top().items() if "." not in key}


_HANDLER = _Strict()


def parse(text: str) -> Document:
    """The document a file holds. Raises ValueError with one line of reason; nothing is guessed."""
    if _CONFLICT.search(text):
        raise ConflictError("holds git conflict markers; resolve them first")
    try:
        header, body = frontmatter.parse(text.removeprefix("\ufeff"), handler=_HANDLER)
        if not header:
            raise ValueError("has no front matter")
        head = msgspec.convert(header, _Header)
        return _document(head, body)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None
    except Failure as failure:
        raise ValueError(f"line {failure.line}: {failure.reason}") from None
    except yaml.YAMLError as error:
        raise ValueError(f"front matter does not parse: {str(error).splitlines()[0]}") from None


def _document(head: _Header, body: str) -> Document:
    if head.gardener != VERSION:
        raise ValueError(f"written by another version of gardener ({head.gardener})")
    if not re.fullmatch(r"[0-9A-Z]{6}", head.id) or not re.fullmatch(r"[a-z_]+", head.pass_name):
        raise ValueError("id or pass is not a name gardener gives")
    decision, code = _split_decision(head.decision)
    found = _BOX.findall(body)
    # A tick keeps its weight where its code was lost: it is somebody's, and it is refused by name.
    boxes = tuple((mark != " ", label, code) for mark, label, code in found if code or mark != " ")
    title = _TITLE.search(body)
    proposal = Proposal(
        id=head.id,
        pass_name=head.pass_name,
        risk=head.risk,
        base=tuple(read_base(line) for line in head.base.splitlines() if line.strip()),
        edits=tuple(read_edit(line) for line in head.edits or ()),
        choices=tuple(_read_choice(letter, one) for letter, one in (head.choices or {}).items()),
        summary=unescaped(title.group(1)) if title else "",
        decision=decision,
        reason=head.reason or "",
        until=head.until or "",
        earlier=head.earlier or "",
        rejecting=head.rejecting or "",
        ticks=tuple((label, code) for ticked, label, code in boxes if ticked),
        decided=tuple(_read_decided(one) for one in head.decided),
    )
    if not (proposal.base and (proposal.edits or proposal.choices)):
        raise ValueError("names no base or no edits")
    plan = plan_code(proposal.pass_name, proposal.base, proposal.edits, proposal.choices)
    return Document(proposal, code, plan, body, boxes, tuple(_read_change(line) for line in head.changes))


def _split_decision(line: str) -> tuple[str, str]:
    words = line.split()
    if words and CODE.fullmatch(words[-1]):
        return " ".join(words[:-1]), words[-1]
    return " ".join(words), ""


def _read_choice(letter: str, one: _Choice) -> Choice:
    if not re.fullmatch(r"[a-z]", letter):
        raise ValueError(f"choice {letter!r} is not one small letter")
    return Choice(letter, one.says, tuple(read_edit(line) for line in one.edits or ()))


def _read_decided(one: _Decided) -> Decided:
    seen = {key: (value[0], value[1]) for key, value in one.seen.items() if len(value) == 2}
    return Decided(one.did, one.by, one.at, one.code, tuple(tuple(pair) for pair in one.declined), seen)


def _read_change(line: str) -> Change:
    try:
        raw = json.loads(line)
        hunks = raw.get("hunks")
        parsed = None if hunks is None else tuple((int(at), tuple(old), tuple(new)) for at, old, new in hunks)
        return Change(str(raw["path"]), str(raw["before"]), str(raw["after"]), parsed, str(raw.get("to", "")))
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"changes: {error}") from None


def write(document: Document) -> str:
    """The file's text. The body goes out as it came in, the front matter in one fixed order."""
    one = document.proposal
    hint = f'  # put {_hint(one)} or snooze 14d for "pending"' if one.decision == "pending" else ""
    lines = ["---", f"decision: {one.decision} {document.code}{hint}", f"reason: {_text(one.reason)}".rstrip()]
    lines += [f"{key}: {_text(value)}" for key, value in (("until", one.until), ("earlier", one.earlier)) if value]
    lines += [f"gardener: {VERSION}", f"id: {_text(one.id)}", f"pass: {one.pass_name}", f"risk: {one.risk}"]
    if one.rejecting:
        lines.append(f"rejecting: {_text(one.rejecting)}")
    if one.choices:
        lines.append("choices:")
        for choice in one.choices:
            lines += [f"  {choice.letter}:", f"    says: {_text(choice.says)}"]
            lines += ["    edits:", *(f"      - {_text(write_edit(e))}" for e in choice.edits)] if choice.edits else []
    if one.edits:
        lines += ["edits:", *(f"  - {_text(write_edit(edit))}" for edit in one.edits)]
    lines += ["base: |", *(f"  {write_base(base)}" for base in one.base)]
    if one.decided:
        lines += ["decided:", *(f"  - {_flow(entry)}" for entry in one.decided)]
    if document.changes:
        lines += ["changes:", *(f"  - {_single(_change_json(change))}" for change in document.changes)]
    return "\n".join([*lines, "---", document.body.strip("\n"), ""])


def _hint(proposal: Proposal) -> str:
    accept = "accept with a letter" if proposal.choices else "accept"
    return f"{accept}, reject, hide"


def _text(value: str) -> str:
    """A scalar, in single quotes rather than double ones where it holds JSON."""
    if not value:
        return ""
    plain = scalar(value)
    return _single(value) if plain.startswith('"') and value.isprintable() else plain


def _single(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _flow(entry: Decided) -> str:
    raw: dict[str, Any] = {"did": entry.did, "by": entry.by, "at": entry.at, "code": entry.code}
    if entry.declined:
        raw["declined"] = [list(pair) for pair in entry.declined]
    if entry.seen:
        raw["seen"] = {key: list(value) for key, value in entry.seen.items()}
    return to_json(raw)


def _change_json(change: Change) -> str:
    raw: dict[str, Any] = {"path": change.path, "before": change.before, "after": change.after}
    if change.to:
        raw["to"] = change.to
    raw["hunks"] = None if change.hunks is None else [[at, list(old), list(new)] for at, old, new in change.hunks]
    return to_json(raw)


def recoded(document: Document, base: tuple[Base, ...]) -> Document:
    """The same document against new bases: its text unchanged, the code on every mark moved along."""
    one = replace(document.proposal, base=base)
    plan = plan_code(one.pass_name, one.base, one.edits, one.choices)
    body = document.body.replace(f"`{document.code}`", f"`{plan}`")
    boxes = tuple((ticked, label, plan) for ticked, label, _ in document.boxes)
    return replace(document, proposal=one, code=plan, plan=plan, body=body, boxes=boxes)
