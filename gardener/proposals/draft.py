"""From a finding to the proposal file it becomes. Pure: a function of the finding, its memories and the settings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from gardener.model.edit import Archive, Edit, Move, Supersede
from gardener.model.finding import Finding
from gardener.model.memory import IndexLine, Memory
from gardener.model.proposal import Base, Proposal
from gardener.proposals.compose import compose
from gardener.proposals.document import Document, write
from gardener.proposals.identity import file_name, plan_code, proposal_id
from gardener.text.quote import visible


@dataclass(frozen=True, slots=True)
class Draft:
    """A finding with the identity its proposal would have."""

    finding: Finding
    proposal: Proposal
    code: str
    path: str


def draft(
    finding: Finding,
    memories: Mapping[str, Memory],
    index_lines: Mapping[str, tuple[IndexLine, ...]],
    taken: Collection[str],
    folder: str,
) -> Draft:
    """`taken` are the ids of decided files; `folder` is the proposals folder."""
    subjects = [memories[path].subject for path in finding.subjects]
    identity = proposal_id(finding.pass_name, finding.question, subjects, taken)
    base = tuple(bases(finding, memories, index_lines))
    # The front matter too is read by people: what a memory hides is no less visible there.
    choices = tuple(replace(choice, says=visible(choice.says)) for choice in finding.choices)
    proposal = Proposal(
        id=identity,
        pass_name=finding.pass_name,
        risk=finding.risk,
        base=base,
        edits=finding.edits,
        choices=choices,
        summary=finding.summary,
        rejecting=visible(finding.rejecting),
    )
    code = plan_code(finding.pass_name, base, finding.edits, choices)
    stem = memories[_first_target(finding)].stem
    return Draft(finding, proposal, code, f"{folder}/pending/{file_name(finding.pass_name, stem, identity)}")


def bases(
    finding: Finding, memories: Mapping[str, Memory], index_lines: Mapping[str, tuple[IndexLine, ...]]
) -> Iterable[Base]:
    """Every memory the finding speaks of, and every index line its edits would remove."""
    yield from (Base(memories[path].sha256, path) for path in finding.subjects)
    edits = (*finding.edits, *(edit for choice in finding.choices for edit in choice.edits))
    yield from index_bases(edits, memories, index_lines)


def index_bases(
    edits: Iterable[Edit], memories: Mapping[str, Memory], index_lines: Mapping[str, tuple[IndexLine, ...]]
) -> Iterable[Base]:
    """The index lines that go when these edits retire or move a memory."""
    for path in dict.fromkeys(edit.path for edit in edits if isinstance(edit, Supersede | Archive | Move)):
        if path in memories and memories[path].conventions.marks_description:
            yield from (Base(line.sha256, line.path, index=True) for line in index_lines.get(path, ()))


def text_of(one: Draft, memories: Mapping[str, Memory], until: str = "", earlier: str = "") -> str:
    """The whole file."""
    up = "../" * (one.path.count("/"))
    body = compose(one.finding, one.proposal, one.code, memories, up)
    return write(Document(replace(one.proposal, until=until, earlier=earlier), one.code, one.code, body))


def grouped(findings: Iterable[Finding]) -> list[Finding]:
    """Findings with one `group` made into one finding, its members in path order."""
    alone: list[Finding] = []
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        if finding.group and not finding.choices and finding.edits:
            groups.setdefault((finding.pass_name, finding.group), []).append(finding)
        else:
            alone.append(finding)
    return alone + [_merged(members) for members in groups.values()]


def _merged(findings: list[Finding]) -> Finding:
    if len(findings) == 1:
        return findings[0]
    ordered = sorted(findings, key=lambda finding: finding.subjects)
    first = ordered[0]
    return replace(
        first,
        summary=f"{len(ordered)} memories: {first.group}",
        subjects=tuple(path for finding in ordered for path in finding.subjects),
        edits=tuple(edit for finding in ordered for edit in finding.edits),
        score=max(finding.score for finding in ordered),
        why=tuple(dict.fromkeys(line for finding in ordered for line in finding.why)),
        quotes=tuple(quote for finding in ordered for quote in finding.quotes),
        losses=tuple(loss for finding in ordered for loss in finding.losses),
        parts=(),
    )


def _first_target(finding: Finding) -> str:
    edits = (*finding.edits, *(edit for choice in finding.choices for edit in choice.edits))
    return edits[0].path if edits else finding.subjects[0]
