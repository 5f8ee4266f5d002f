"""What a run makes of its findings and the files already there. Pure: it returns writes and removals, and does neither.

Rules that meet here: one question per memory, refusals hold, a person's file is a person's, the cap, and silence
withdraws only what a pass that ran whole no longer finds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from gardener.model.edit import Archive, Edit, Move
from gardener.model.finding import Finding
from gardener.model.memory import IndexLine, Memory
from gardener.proposals.done import already_done
from gardener.proposals.draft import Draft, draft, grouped, text_of
from gardener.proposals.inbox import Filed, Inbox
from gardener.proposals.precision import doubted, precision, verdicts
from gardener.proposals.settled import Settled
from gardener.proposals.written import sha_of
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
    """Path → every sha256 that a pending file may have from our own writes: other bytes are a person's words."""


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
    """What to write and to remove, and the figures.

    `writes` is path → bytes, equal bytes left out; `before` what such a file held when it was read (a path that is not
    in it was not there); `removals` is path → what it held. `by_hand` are pending files whose edits somebody carried
    out without us; `waiting` are decided and not applied; `open` maps the ids that are pending after the run to their
    drafts, where the run has one.
    """

    writes: Mapping[str, bytes] = field(default_factory=dict)
    before: Mapping[str, bytes | None] = field(default_factory=dict)
    removals: Mapping[str, bytes] = field(default_factory=dict)
    by_hand: tuple[Filed, ...] = ()
    waiting: tuple[Filed, ...] = ()
    tallies: Mapping[str, Tally] = field(default_factory=dict)
    open: Mapping[str, Draft | None] = field(default_factory=dict)
    advice: tuple[Finding, ...] = ()


Key: TypeAlias = tuple[str, tuple[str, ...]]
"""What tells findings of one run apart: pass and subjects."""


@dataclass(slots=True)
class _Work:
    """A reconciliation under way."""

    tallies: dict[str, Tally]
    writes: dict[str, bytes] = field(default_factory=dict)
    before: dict[str, bytes | None] = field(default_factory=dict)
    removed: list[Filed] = field(default_factory=list)
    open: dict[str, Draft | None] = field(default_factory=dict)
    by_hand: list[Filed] = field(default_factory=list)
    matched: set[str] = field(default_factory=set)
    staying: list[Filed] = field(default_factory=list)


def reconcile(run: Run) -> Outcome:
    """Decide for every finding and every pending file. Findings of passes not in `heard` must not be given."""
    waiting: frozenset[Key] = frozenset()
    while True:
        outcome, crowded_out = _attempt(run, waiting)
        if crowded_out <= waiting:
            return outcome
        # A finding for which there is no room must not cost an open file its place: it waits, and the file stays.
        waiting |= crowded_out


def _attempt(run: Run, excluded: frozenset[Key]) -> tuple[Outcome, frozenset[Key]]:
    """(the outcome without the excluded findings, findings held back that made a file be withdrawn)."""
    work = _Work({name: Tally() for name in run.order})
    wanted = _drafts(run, work.tallies, excluded)
    for filed in run.inbox.pending:
        _settle(filed, wanted, run, work)
    fresh = _fresh(wanted, run, work)
    unresolved = {one.path for one in run.inbox.malformed if one.unmarked}
    torn = [one for one in fresh if one.path in unresolved]
    for one in (*torn, *_admitted([one for one in fresh if one not in torn], run, work)):
        work.writes[one.path] = text_of(one, run.memories).encode("utf-8", "surrogateescape")
        work.open[one.proposal.id] = one
        work.matched.add(one.proposal.id)
        work.tallies[one.finding.pass_name].new += 1
    held = [one.finding for one in fresh if one.proposal.id not in work.matched]
    for finding in held:
        work.tallies[finding.pass_name].held_back += 1
    lost = {path for filed in work.removed for path in filed.document.proposal.subjects}
    crowded_out = frozenset(_key(finding) for finding in held if lost & _claims(finding))
    return _outcome(run, work), crowded_out


def _settle(filed: Filed, wanted: Mapping[str, Draft], run: Run, work: _Work) -> None:
    """What becomes of one pending file."""
    name = filed.document.proposal.pass_name
    heir = None if filed.document.owned else _heir(filed, wanted, work.matched, run)
    tally = work.tallies.setdefault(name, Tally())
    if filed.document.owned:
        work.matched.add(filed.id)
        work.open[filed.id] = wanted.get(filed.id)
        return
    if heir is not None:
        work.matched.add(heir.proposal.id)
        work.open[heir.proposal.id] = heir
        _refresh(filed, heir, run, work)
    elif name in run.withheld or (name in run.order and name not in run.heard) or _touched(filed, run):
        work.open[filed.id] = None
    elif already_done(filed.document.proposal, run.memories):
        work.by_hand.append(filed)
        return
    else:
        work.removed.append(filed)
        tally.withdrawn += 1
        return
    tally.kept += 1
    if not _asleep(filed, run.now):
        work.staying.append(filed)


def _fresh(wanted: Mapping[str, Draft], run: Run, work: _Work) -> list[Draft]:
    """Drafts without a file that may have one: not removed by hand, not broken by hand, not about a person's file."""
    people = _targets_of_people(run.inbox)
    return [
        one
        for key, one in wanted.items()
        if key not in work.matched
        and key not in run.away
        and one.path not in run.inbox.untouchable
        and not people & _claims(one.finding)
    ]


def _outcome(run: Run, work: _Work) -> Outcome:
    # Of a proposal that was decided, and whose pending file a crash or a merge left behind, the decided file counts.
    left_over = [one for one in run.inbox.shadowed if one.state == "pending" and not one.document.owned]
    return Outcome(
        writes=work.writes,
        before=work.before,
        removals={one.path: one.data for one in (*work.removed, *left_over) if one.path not in work.writes},
        by_hand=tuple(work.by_hand),
        waiting=tuple(filed for filed in run.inbox.pending if filed.document.owned),
        tallies=work.tallies,
        open=work.open,
        advice=tuple(finding for finding in run.findings if finding.is_advice),
    )


def _key(finding: Finding) -> Key:
    return finding.pass_name, finding.subjects


def _drafts(run: Run, tallies: Mapping[str, Tally], excluded: frozenset[Key]) -> dict[str, Draft]:
    """The findings that deserve a file, by the id it would have."""
    taken = {filed.id for filed in run.inbox.decided}
    askable = [f for f in run.findings if not f.is_advice and not run.settled.holds(f, run.now)]
    excluded |= _beyond_doubt(askable, run, taken)
    for finding in askable:
        tallies[finding.pass_name].found += 1
        tallies[finding.pass_name].held_back += _key(finding) in excluded
    drafts: dict[str, Draft] = {}
    for finding in grouped(_one_question([f for f in askable if _key(f) not in excluded], run, taken)):
        one = draft(finding, run.memories, run.index_lines, taken, run.folder)
        drafts.setdefault(one.proposal.id, one)
    return drafts


def _beyond_doubt(findings: list[Finding], run: Run, taken: set[str]) -> frozenset[Key]:
    """What a pass that was wrong too often keeps to itself: all but what it has open, or else but its best.

    Such findings claim no memory, so that others can ask about it. A credential and what must come first are told.
    """
    pending = {filed.id for filed in run.inbox.pending}
    held: set[Key] = set()
    for name in doubted(precision(verdicts(run.inbox.decided))):
        own = [one for one in findings if one.pass_name == name and not one.first and one.risk != "lossy"]
        groups = grouped(own)
        ids = {_key(one): draft(one, run.memories, run.index_lines, taken, run.folder).proposal.id for one in groups}
        groups.sort(key=lambda one: (ids[_key(one)] not in pending, -one.score, one.subjects))
        is_open = sum(ids[_key(one)] in pending for one in groups)
        told = {path for one in groups[: max(1, is_open)] for path in one.subjects}
        held |= {_key(one) for one in own if not told & set(one.subjects)}
    return frozenset(held)


def _one_question(findings: list[Finding], run: Run, taken: set[str]) -> list[Finding]:
    """One question per memory: a credential first, then lifecycle (supersede before archive), then field or body."""
    pending = {filed.id for filed in run.inbox.pending}
    places = {name: i for i, name in enumerate(run.order)}

    def rank(finding: Finding) -> tuple[int, bool, int, float, tuple[str, ...]]:
        identity = draft(finding, run.memories, run.index_lines, taken, run.folder).proposal.id
        is_open = identity in pending
        return _class(finding), not is_open, places[finding.pass_name], -finding.score, finding.subjects

    asked = _asked_elsewhere(run)
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


def _asked_elsewhere(run: Run) -> dict[str, set[str]]:
    """Memory → questions that open files of passes not heard in this run ask: they stay, and count as asked."""
    asked: dict[str, set[str]] = {}
    for filed in run.inbox.pending:
        one = filed.document.proposal
        if one.pass_name in run.order and one.pass_name not in run.heard:
            question = "everything" if one.risk == "lossy" else one.question
            for path in one.subjects:
                asked.setdefault(path, set()).add(question)
    return asked


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
    return bool(filed.document.proposal.reason) or (known is not None and sha_of(filed.data) not in known)


def _refresh(filed: Filed, heir: Draft, run: Run, work: _Work) -> None:
    """Write the file anew where its memories or the settings say something else than it does."""
    proposal = filed.document.proposal
    same_plan = filed.document.plan == heir.code and filed.id == heir.proposal.id
    if same_plan and heir.path == filed.path and _touched(filed, run):
        return
    earlier = proposal.earlier if same_plan else ""
    data = text_of(heir, run.memories, until=proposal.until, earlier=earlier).encode("utf-8", "surrogateescape")
    if heir.path != filed.path:
        work.removed.append(filed)
        work.writes[heir.path] = data
    elif data != filed.data:
        work.writes[heir.path] = data
        work.before[heir.path] = filed.data


def _admitted(fresh: list[Draft], run: Run, work: _Work) -> Iterable[Draft]:
    """The new files the cap leaves room for: what must come first, then the passes in turns, each its best."""
    if not run.adds:
        return
    room = run.max_pending - len(work.staying)
    per_pass = dict(run.caps)
    for filed in work.staying:
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
