"""The text of a proposal file: title and boxes on the first screen, then what would be lost, then the rest.

It rests on the finding and the memories' own text alone, so two machines write the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import quote

from gardener.model.edit import (
    Archive,
    Move,
    Qualify,
    Redact,
    Restore,
    SetField,
    Supersede,
)
from gardener.model.finding import Finding, Loss, Quote
from gardener.model.memory import Memory
from gardener.model.proposal import Proposal
from gardener.proposals.answers import members
from gardener.proposals.effects import effects
from gardener.proposals.identity import letter
from gardener.text.quote import inline, quoted
from gardener.text.secrets import Masker, masker

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
    masked = masker(*(memories[path].data for path in proposal.subjects))
    parts = [f"# {inline(finding.summary, 400)}", "\n".join(_subjects(proposal, memories, letters, up, masked))]
    parts += [_instruction(proposal), "\n".join(_boxes(proposal, finding, code))]
    parts += [_loss(loss, letters, masked) for loss in finding.losses if loss.sentences]
    parts += list(_quotes(finding.quotes, letters, {path: memories[path].name for path in proposal.subjects}, masked))
    parts.append("\n".join(["## What happens", *effects(proposal, memories, letters)]))
    if finding.why:
        parts.append("\n".join(["## Why", *(f"- {inline(line, 600)}" for line in finding.why)]))
    return "\n\n".join(parts)


def _subjects(
    proposal: Proposal, memories: Mapping[str, Memory], letters: Mapping[str, str], up: str, masked: Masker
) -> Iterator[str]:
    kept = {by for edit in proposal.edits if isinstance(edit, Supersede) for by in [edit.by]}
    # Below, the description is shown as it is and as it would be.
    told = {edit.path for edit in proposal.edits if isinstance(edit, SetField) and edit.key == "description"}
    for path in proposal.subjects:
        memory = memories[path]
        role = ", kept" if path in kept else ""
        shown = path in told or not memory.description
        about = "" if shown else f". {inline(masked(memory.description))}"
        link = f"{up}{quote(path.encode('utf-8', 'surrogateescape'))}"
        yield f"- **{letters[path]}{role}:** [{inline(masked(memory.name), 80)}]({link}){about}"


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
    if any(not choice.edits for choice in proposal.choices):
        return "this is no question"  # one of the answers leaves everything as it is already
    if len(proposal.members) > 1:
        return "keep all as they are" if not _all_retire(proposal) else f"keep all {_number(len(proposal.subjects))}"
    return "leave everything as it is"


def _all_retire(proposal: Proposal) -> bool:
    return all(isinstance(run[0], Supersede | Archive) for run in proposal.members)


def _number(count: int) -> str:
    words = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[count] if count < len(words) else str(count)


def _loss(loss: Loss, letters: Mapping[str, str], masked: Masker) -> str:
    shown = f"{len(loss.sentences)} of {loss.total} sentence{'s' if loss.total != 1 else ''}"
    lines = [f"## Only {letters.get(loss.path, '?')} says ({shown})"]
    return "\n".join([*lines, "\n>\n".join(quoted(masked(sentence)) for sentence in loss.sentences)])


def _quotes(
    quotes: tuple[Quote, ...], letters: Mapping[str, str], names: Mapping[str, str], masked: Masker
) -> Iterator[str]:
    if not quotes:
        return
    lines = ["## What they say" if len({q.path for q in quotes}) > 1 else "## What it says"]
    for one in quotes:
        where = f"line {one.line}" if one.line else ""
        says = "" if one.says == names.get(one.path) else inline(one.says, 160)
        head = ", ".join(part for part in (letters.get(one.path, ""), where, says) if part)
        lines += [f"{head}:", quoted(masked(one.text)), ""]
    yield "\n".join(lines).rstrip()
