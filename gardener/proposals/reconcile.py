"""What a run makes of its findings and the files already there. Pure: it returns writes and removals, and does neither.

Rules that meet here: one question per memory, refusals hold, a person's file is a person's, the cap, and silence
withdraws only what a pass that ran whole no longer finds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from gardener.model.edit import Archive, Edit, Move
from gardener.model.finding import Finding
from gardener.model.memory import IndexLine, Memory
from gardener.proposals.done import already_done
from gardener.proposals.draft import Draft, draft, grouped, text_of
from gardener.proposals.inbox import Filed, Inbox
from gardener.proposals.settled import Settled
from gardener.text.frontmatter import moment


@dataclass(frozen=True, slots=True)
class Run:
    """All a reconciliation rests on. `heard` are the passes that ran whole; `order` is every pass in table order,
    `caps` its `max_pending`. `away` are ids a person removed by hand. `adds` is whether new files may appear.
    """

    findings: tuple[Finding, ...]
    heard: frozenset[str]
    order: tuple[str, ...]
    caps: Mapping[str, int]
    max_pending: int
    memories: Mapping[str, Memory]
    index_lines: Mapping[str, tuple[IndexLine, ...]]
    inbox: Inbox
    settled: Settled
    away: frozenset[str]
    folder: str
    now: datetime
    adds: bool
    withheld: frozenset[str] = frozenset()
    written: Mapping[str, str] = field(default_factory=dict)
    """Path → sha256 of each pending file as it was last written here: other bytes are a person's words."""


@dataclass(slots=True)
class Tally:
    """One pass's figures for a run."""

    found: int = 0
    new: int = 0
    kept: int = 0
    withdrawn: int = 0
    held_back: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What to write (path → bytes; equal bytes are left out), what to remove, and the figures.

    `by_hand` are pending files whose edits somebody carried out without us; `waiting` are decided and not applied;
    `open` maps the ids that are pending after the run to their drafts, where the run has one.
    """

    writes: Mapping[str, bytes] = field(default_factory=dict)
    removals: tuple[str, ...] = ()
    by_hand: tuple[Filed, ...] = ()
    waiting: tuple[Filed, ...] = ()
    tallies: Mapping[str, Tally] = field(default_factory=dict)
    open: Mapping[str, Draft | None] = field(default_factory=dict)
    advice: tuple[Finding, ...] = ()


def reconcile(run: Run) -> Outcome:
    """Decide for every finding and every pending file. Findings of passes not in `heard` must not be given."""
    tallies = {name: Tally() for name in run.order}
    wanted = _drafts(run, tallies)
    writes: dict[str, bytes] = {}
    removals: list[str] = []
    still_open: dict[str, Draft | None] = {}
    by_hand: list[Filed] = []
    matched: set[str] = set()
    owned_targets = _targets_of_people(run.inbox)
    for filed in run.inbox.pending:
        name = filed.document.proposal.pass_name
        heir = None if filed.document.owned else _heir(filed, wanted, matched, run)
        tally = tallies.setdefault(name, Tally())
        if filed.document.owned:
            matched.add(filed.id)
            still_open[filed.id] = wanted.get(filed.id)
        elif heir is not None:
            matched.add(heir.proposal.id)
            still_open[heir.proposal.id] = heir
            tally.kept += 1
            _refresh(filed, heir, run, writes, removals)
        elif name in run.withheld or (name in run.order and name not in run.heard) or _touched(filed, run):
            still_open[filed.id] = None
            tally.kept += 1
        elif already_done(filed.document.proposal, run.memories):
            by_hand.append(filed)
        else:
            removals.append(filed.path)
            tally.withdrawn += 1
    fresh = [
        one
        for key, one in wanted.items()
        if key not in matched
        and key not in run.away
        and one.path not in run.inbox.untouchable
        and not owned_targets & _claims(one.finding)
    ]
    unresolved = {one.path for one in run.inbox.malformed if one.unmarked}
    for one in (*(one for one in fresh if one.path in unresolved), *_admitted(fresh, still_open, run)):
        writes[one.path] = text_of(one, run.memories).encode("utf-8", "surrogateescape")
        still_open[one.proposal.id] = one
        tallies[one.finding.pass_name].new += 1
        matched.add(one.proposal.id)
    for one in fresh:
        tallies[one.finding.pass_name].held_back += one.proposal.id not in matched
    return Outcome(
        writes=writes,
        removals=tuple(path for path in removals if path not in writes),
        by_hand=tuple(by_hand),
        waiting=tuple(filed for filed in run.inbox.pending if filed.document.owned),
        tallies=tallies,
        open=still_open,
        advice=tuple(finding for finding in run.findings if finding.is_advice),
    )


def _drafts(run: Run, tallies: Mapping[str, Tally]) -> dict[str, Draft]:
    """The findings that deserve a file, by the id it would have."""
    taken = {filed.id for filed in run.inbox.decided}
    askable = [f for f in run.findings if not f.is_advice and not run.settled.holds(f, run.now)]
    for finding in askable:
        tallies[finding.pass_name].found += 1
    drafts: dict[str, Draft] = {}
    for finding in grouped(_one_question(askable, run, taken)):
        one = draft(finding, run.memories, run.index_lines, taken, run.folder)
        drafts.setdefault(one.proposal.id, one)
    return drafts


def _one_question(findings: list[Finding], run: Run, taken: set[str]) -> list[Finding]:
    """One question per memory: a credential first, then lifecycle (supersede before archive), then field or body."""
    pending = {filed.id for filed in run.inbox.pending}
    places = {name: i for i, name in enumerate(run.order)}

    def rank(finding: Finding) -> tuple[int, bool, int, float, tuple[str, ...]]:
        identity = draft(finding, run.memories, run.index_lines, taken, run.folder).proposal.id
        is_open = identity in pending
        return _class(finding), not is_open, places[finding.pass_name], -finding.score, finding.subjects

    asked: dict[str, set[str]] = {}
    chosen: list[Finding] = []
    for finding in sorted(findings, key=rank):
        question = "everything" if finding.risk == "lossy" else finding.question
        claims = _claims(finding)
        blocked = any({question, "lifecycle", "everything"} & asked.get(path, set()) for path in claims)
        if question == "lifecycle":
            blocked = blocked or any(asked.get(path) for path in claims)
        if question == "everything":
            blocked = False
        if blocked:
            continue
        chosen.append(finding)
        for path in claims:
            asked.setdefault(path, set()).add(question)
    return chosen


def _class(finding: Finding) -> int:
    if finding.risk == "lossy":
        return 0
    if finding.first:
        return 1
    if finding.question != "lifecycle":
        return 4
    every = _edits(finding)
    return 3 if all(isinstance(edit, Archive | Move) for edit in every) else 2


def _edits(finding: Finding) -> tuple[Edit, ...]:
    return (*finding.edits, *(edit for choice in finding.choices for edit in choice.edits))


def _claims(finding: Finding) -> frozenset[str]:
    """The memories a finding asks about: all it speaks of for a lifecycle question, else those it would change."""
    if finding.question == "lifecycle" or not finding.edits:
        return frozenset(finding.subjects)
    return frozenset(edit.path for edit in finding.edits)


def _targets_of_people(inbox: Inbox) -> frozenset[str]:
    """Memories that a person's unapplied decision speaks of: no new question about them until it is carried out."""
    owned = (filed.document.proposal for filed in inbox.pending if filed.document.owned)
    return frozenset(path for proposal in owned for path in proposal.subjects)


def _heir(filed: Filed, wanted: Mapping[str, Draft], matched: set[str], run: Run) -> Draft | None:
    """The draft that goes on with a pending file: the same id, else the same pass and question about a same target."""
    if filed.id in wanted and filed.id not in matched:
        return wanted[filed.id]
    others = {one.id for one in run.inbox.pending}
    proposal = filed.document.proposal
    targets = {edit.path for edit in (*proposal.edits, *(e for c in proposal.choices for e in c.edits))}
    for key, one in wanted.items():
        same = one.finding.pass_name == proposal.pass_name and one.finding.question == proposal.question
        if same and key not in matched and key not in others and targets & {e.path for e in _edits(one.finding)}:
            return one
    return None


def _touched(filed: Filed, run: Run) -> bool:
    """Whether somebody wrote into the file since we did, be it only a remark."""
    known = run.written.get(filed.path)
    return bool(filed.document.proposal.reason) or (known is not None and known != _sha256(filed.data))


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _refresh(filed: Filed, heir: Draft, run: Run, writes: dict[str, bytes], removals: list[str]) -> None:
    proposal = filed.document.proposal
    same_plan = filed.document.plan == heir.code and filed.id == heir.proposal.id
    if same_plan and heir.path == filed.path and _touched(filed, run):
        return
    asleep = (until := moment(proposal.until)) is not None and until > run.now and filed.id == heir.proposal.id
    text = text_of(
        heir,
        run.memories,
        until=proposal.until if asleep or (proposal.until and same_plan) else "",
        earlier=proposal.earlier if same_plan else "",
    )
    data = text.encode("utf-8", "surrogateescape")
    if data != filed.data or heir.path != filed.path:
        writes[heir.path] = data
    if heir.path != filed.path:
        removals.append(filed.path)


def _admitted(fresh: list[Draft], still_open: Mapping[str, Draft | None], run: Run) -> Iterable[Draft]:
    """The new files the cap leaves room for: what must come first, then the passes in turns, each its best."""
    if not run.adds:
        return
    counted = [f for f in run.inbox.pending if f.id in still_open and not f.document.owned and not _asleep(f, run.now)]
    room = run.max_pending - len(counted)
    per_pass = dict(run.caps)
    for filed in counted:
        name = filed.document.proposal.pass_name
        per_pass[name] = per_pass.get(name, 0) - 1
    queues = {name: _queue(fresh, name) for name in run.order}
    turns = [one for one in fresh if one.finding.first]
    while any(queues.values()):
        turns += [queue.pop(0) for queue in queues.values() if queue]
    for one in turns:
        if room > 0 and per_pass.get(one.finding.pass_name, 0) > 0:
            room -= 1
            per_pass[one.finding.pass_name] -= 1
            yield one


def _queue(fresh: list[Draft], name: str) -> list[Draft]:
    own = [one for one in fresh if one.finding.pass_name == name and not one.finding.first]
    return sorted(own, key=lambda one: (-one.finding.score, one.path))


def _asleep(filed: Filed, now: datetime) -> bool:
    until = moment(filed.document.proposal.until)
    return until is not None and until > now
