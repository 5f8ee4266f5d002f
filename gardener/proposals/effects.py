"""What a proposal would do, said to a person: lifecycle edits in words, others as quoted lines before and after."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import assert_never

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
    partner,
)
from gardener.model.memory import Memory
from gardener.model.proposal import Proposal
from gardener.text.keys import scalar
from gardener.text.lifecycle import is_marked, tombstone
from gardener.text.quote import inline, quoted
from gardener.text.secrets import masker


def effects(proposal: Proposal, memories: Mapping[str, Memory], letters: Mapping[str, str]) -> Iterator[str]:
    """Markdown, a line or a few for each edit and choice. `letters` names each path."""
    yield from _said_now(proposal, letters)
    for choice in proposal.choices:
        done = "\n".join(_sentences(choice.edits, memories, letters, brief=True)) or "Nothing changes."
        yield re.sub(r"\n(?=[^\n])", "\n  ", f"- **{choice.letter}:** {done}").rstrip()
    if proposal.choices:
        yield ""
    yield from _sentences(proposal.edits, memories, letters)
    if proposal.risk == "lossy":
        yield "The old text is not kept anywhere by gardener; this cannot be undone. Git history may still hold it."
    else:
        yield f"Nothing is deleted. `gardener undo {proposal.id}` restores every byte."


def _said_now(proposal: Proposal, letters: Mapping[str, str]) -> Iterator[str]:
    """The lines that the choices would change, each once."""
    edits = [edit for choice in proposal.choices for edit in choice.edits if isinstance(edit, Replace)]
    for path, line, old in dict.fromkeys((edit.path, edit.line, edit.old) for edit in edits):
        yield "\n".join([f"Line {line} of {letters.get(path, '?')} says now", quoted(old), ""])


def _sentences(
    edits: tuple[Edit, ...], memories: Mapping[str, Memory], letters: Mapping[str, str], *, brief: bool = False
) -> Iterator[str]:
    """What each edit does. `brief` leaves out what a line said before."""
    retired: dict[str, list[str]] = {}
    for edit in edits:
        if isinstance(edit, Supersede):
            retired.setdefault(edit.by, []).append(letters[edit.path])
    for by, gone in retired.items():
        names = f"{', '.join(gone[:-1])} and {gone[-1]}" if len(gone) > 1 else gone[0]
        get = "get" if len(gone) > 1 else "gets"
        stamps = "`invalid_at`, `superseded_by`, `updated` and a last line naming"
        yield f"{names} {get} {stamps} {letters.get(by, by)}.{_marked(edits, memories)}"
    for edit in edits:
        if not isinstance(edit, Supersede):
            who, other = letters.get(edit.path, "?"), letters.get(partner(edit) or "", "")
            yield _effect(edit, who, other, memories, brief)


def _effect(edit: Edit, who: str, other: str, memories: Mapping[str, Memory], brief: bool) -> str:
    match edit:
        case Supersede():
            return f"{who} is superseded by {other}."
        case Archive():
            why = f"a last line: Archived ({inline(edit.reason, 120)})"
            return f"{who} gets `invalid_at`, `updated` and {why}.{_marked((edit,), memories)}"
        case Qualify():
            return f"{who} gains a last line naming {other}; both stay active."
        case Restore():
            return _restored(who, memories.get(edit.path))
        case SetField():
            return _changes(f"`{edit.key}` of {who}", _value(edit, memories), scalar(edit.value), brief)
        case Replace(new=None):
            return "\n".join([f"Line {edit.line} of {who} goes:", quoted(edit.old), ""])
        case Replace():
            return _changes(f"Line {edit.line} of {who}", edit.old, edit.new or "", brief)
        case Append():
            return "\n".join([f"{who} gains at its end:", quoted(edit.text), ""])
        case Move():
            return f"{who} moves to `{inline(edit.to)}`."
        case Redact():
            return f"{who}, line {edit.line}: {edit.end - edit.start + 1} characters become `[redacted {edit.kind}]`."
        case _:
            assert_never(edit)


def _restored(who: str, memory: Memory | None) -> str:
    if memory is None:
        return f"{who} becomes active again."
    emptied = [f"`{key}`" for key in ("invalid_at", "superseded_by") if memory.fields.get(key) is not None]
    done = [f"{' and '.join(emptied)} {'are' if len(emptied) > 1 else 'is'} emptied"] if emptied else []
    done += ["`forgotten` becomes false"] if memory.forgotten else []
    done += ["the description loses its mark"] if is_marked(memory) else []
    says, last = f"{who} becomes active again: {', '.join(done)}", tombstone(memory)
    if last is None:
        return f"{says}. No line in it says that it was retired, so its text stays."
    return "\n".join([f"{says}, and line {memory.body_line + last[0]} goes:", quoted(last[2]), ""])


def _changes(what: str, before: str, after: str, brief: bool) -> str:
    if before and after.startswith(f"{before}\n"):
        return "\n".join([f"{what} is followed by", quoted(after.removeprefix(f"{before}\n")), ""])
    if before and after.endswith(f"\n{before}"):
        return "\n".join([f"{what} gets before it", quoted(after.removesuffix(f"\n{before}").rstrip("\n")), ""])
    if brief or not before:
        return "\n".join([f"{what} becomes", quoted(after), ""])
    return "\n".join([f"{what} changes from", quoted(before), "", "to", quoted(after), ""])


def _value(edit: SetField, memories: Mapping[str, Memory]) -> str:
    """What stands behind the key on its line, as it is written; "" where the key is missing or its value elsewhere."""
    memory = memories.get(edit.path)
    at = memory.lines.get(edit.key) if memory else None
    if memory is None or at is None:
        return ""
    line = memory.data.decode("utf-8", "surrogateescape").split("\n")[at - 1]
    return masker(memory.data)(line.partition(":")[2].strip())


def _marked(edits: tuple[Edit, ...], memories: Mapping[str, Memory]) -> str:
    marks = any(e.path in memories and memories[e.path].conventions.marks_description for e in edits)
    return " The description is marked and the index line goes, since agents read those." if marks else ""
