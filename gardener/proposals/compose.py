"""The text of a proposal file: title and boxes on the first screen, then what would be lost, then the rest.

It rests on the finding and the memories' own text alone, so two machines write the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import assert_never
from urllib.parse import quote

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
from gardener.model.finding import Finding, Loss, Quote
from gardener.model.memory import Memory
from gardener.model.proposal import Proposal
from gardener.proposals.answers import members
from gardener.proposals.grammar import to_json
from gardener.proposals.identity import letter
from gardener.text.quote import inline, quoted
from gardener.text.secrets import values

_VERBS: dict[type, str] = {
    Supersede: "retire",
    Archive: "archive",
    Restore: "restore",
    Qualify: "qualify",
    Move: "move",
    Redact: "redact",
}


def compose(finding: Finding, proposal: Proposal, code: str, memories: Mapping[str, Memory], up: str) -> str:
    """The body of a proposal file. `up` leads from the file's folder to the store's top, such as `../../`."""
    letters = {path: letter(i) for i, path in enumerate(proposal.subjects)}
    parts = [f"# {inline(finding.summary, 400)}", "\n".join(_subjects(proposal, memories, letters, up))]
    parts += [_instruction(proposal), "\n".join(_boxes(proposal, finding, code))]
    parts += [_loss(loss, letters, _masker(loss.path, memories)) for loss in finding.losses if loss.sentences]
    parts += list(_quotes(finding.quotes, letters, memories))
    parts.append("\n".join(["## What happens", *_effects(proposal, memories, letters)]))
    if finding.why:
        parts.append("\n".join(["## Why", *(f"- {inline(line, 600)}" for line in finding.why)]))
    return "\n\n".join(parts)


def _subjects(proposal: Proposal, memories: Mapping[str, Memory], letters: Mapping[str, str], up: str) -> Iterator[str]:
    kept = {by for edit in proposal.edits if isinstance(edit, Supersede) for by in [edit.by]}
    for path in proposal.subjects:
        memory = memories[path]
        role = ", kept" if path in kept else ""
        about = f" {inline(memory.description)}" if memory.description else ""
        link = f"{up}{quote(path.encode('utf-8', 'surrogateescape'))}"
        yield f"- **{letters[path]}{role}:** [{inline(memory.name, 80)}]({link}).{about}"


def _instruction(proposal: Proposal) -> str:
    if proposal.choices:
        return "Tick one answer."
    if len(proposal.members) > 1:
        verb = "may go" if _all_retire(proposal) else "should be done"
        return f"Tick what {verb}; what you leave unticked stays and is not asked again."
    return "Tick one."


def _boxes(proposal: Proposal, finding: Finding, code: str) -> Iterator[str]:
    runs = members(proposal)
    for choice in proposal.choices:
        yield f"- [ ] {choice.letter}: {inline(choice.says, 120)} `{code}`"
    if len(runs) == 1:
        yield f"- [ ] accept `{code}`"
    elif runs:
        yield from (f"- [ ] {_VERBS.get(type(run[0]), 'mend')} {name} `{code}`" for name, run in runs.items())
    yield f"- [ ] reject: {inline(_rejecting(proposal, finding), 120)} `{code}`"
    yield f"- [ ] hide: never ask again `{code}`"


def _rejecting(proposal: Proposal, finding: Finding) -> str:
    if finding.rejecting:
        return finding.rejecting
    if len(proposal.members) > 1:
        return "keep all as they are" if not _all_retire(proposal) else f"keep all {_number(len(proposal.subjects))}"
    return "leave everything as it is"


def _all_retire(proposal: Proposal) -> bool:
    return all(isinstance(run[0], Supersede | Archive) for run in proposal.members)


def _number(count: int) -> str:
    words = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[count] if count < len(words) else str(count)


def _masker(path: str, memories: Mapping[str, Memory]) -> Callable[[str], str]:
    """Masks the credentials of the whole file in any part of it: a part alone may not show what it belongs to."""
    text = memories[path].data.decode("utf-8", "surrogateescape") if path in memories else ""
    found = values(text)

    def masked(part: str) -> str:
        for value, kind in found.items():
            part = part.replace(value, f"[redacted {kind}]")
        return part

    return masked


def _loss(loss: Loss, letters: Mapping[str, str], masked: Callable[[str], str]) -> str:
    shown = f"{len(loss.sentences)} of {loss.total} sentence{'s' if loss.total != 1 else ''}"
    lines = [f"## Only {letters.get(loss.path, '?')} says ({shown})"]
    return "\n".join([*lines, "\n>\n".join(quoted(masked(sentence)) for sentence in loss.sentences)])


def _quotes(quotes: tuple[Quote, ...], letters: Mapping[str, str], memories: Mapping[str, Memory]) -> Iterator[str]:
    if not quotes:
        return
    lines = ["## What they say" if len({q.path for q in quotes}) > 1 else "## What it says"]
    for one in quotes:
        where = f"line {one.line}" if one.line else ""
        says = inline(one.says, 160)
        head = ", ".join(part for part in (letters.get(one.path, ""), where, says) if part)
        lines += [f"{head}:", quoted(_masker(one.path, memories)(one.text)), ""]
    yield "\n".join(lines).rstrip()


def _effects(proposal: Proposal, memories: Mapping[str, Memory], letters: Mapping[str, str]) -> Iterator[str]:
    for choice in proposal.choices:
        done = " ".join(_sentences(choice.edits, memories, letters)) or "Nothing changes."
        yield f"- **{choice.letter}:** {done}"
    yield from _sentences(proposal.edits, memories, letters)
    if proposal.risk == "lossy":
        yield "The old text is not kept anywhere by gardener; this cannot be undone. Git history may still hold it."
    else:
        yield f"Nothing is deleted. `gardener undo {proposal.id}` restores every byte."


def _sentences(edits: tuple[Edit, ...], memories: Mapping[str, Memory], letters: Mapping[str, str]) -> Iterator[str]:
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
            yield _effect(edit, letters.get(edit.path, "?"), letters.get(partner(edit) or "", ""), memories)


def _effect(edit: Edit, who: str, other: str, memories: Mapping[str, Memory]) -> str:
    match edit:
        case Supersede():
            return f"{who} is superseded by {other}."
        case Archive():
            return f"{who} gets `invalid_at`, `updated` and a last line saying why.{_marked((edit,), memories)}"
        case Qualify():
            return f"{who} gains a last line naming {other}; both stay active."
        case Restore():
            return f"{who} becomes active again: `invalid_at` and `superseded_by` are emptied, the last line goes."
        case SetField():
            value = f"`{inline(edit.key)}` of {who} becomes:"
            return "\n".join([value, quoted(edit.value if isinstance(edit.value, str) else to_json(edit.value)), ""])
        case Replace(new=None):
            return "\n".join([f"Line {edit.line} of {who} goes:", quoted(edit.old), ""])
        case Replace():
            after = quoted(edit.new or "")
            return "\n".join([f"Line {edit.line} of {who} changes from", quoted(edit.old), "", "to", after, ""])
        case Append():
            return "\n".join([f"{who} gains at its end:", quoted(edit.text), ""])
        case Move():
            return f"{who} moves to `{inline(edit.to)}`."
        case Redact():
            return f"{who}, line {edit.line}: {edit.end - edit.start + 1} characters become `[redacted {edit.kind}]`."
        case _:
            assert_never(edit)


def _marked(edits: tuple[Edit, ...], memories: Mapping[str, Memory]) -> str:
    marks = any(e.path in memories and memories[e.path].conventions.marks_description for e in edits)
    return " The description is marked and the index line goes, since agents read those." if marks else ""
