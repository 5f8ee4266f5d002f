"""One run over a store, from reading it to writing what was found."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

from gardener.config.store import Store
from gardener.errors import BusyError, StaleError
from gardener.model.memory import IndexLine
from gardener.model.proposal import Decided
from gardener.model.snapshot import Snapshot
from gardener.passes import discover
from gardener.passes.base import PassSettings
from gardener.proposals.document import Document, write
from gardener.proposals.inbox import FOLDERS, MAX_BYTES, Filed, Inbox, read_inbox
from gardener.proposals.informed import informed
from gardener.proposals.judged import read_answers
from gardener.proposals.reconcile import Outcome, Run, reconcile
from gardener.proposals.settled import settled
from gardener.proposals.written import expect
from gardener.storage import atomic, beneath
from gardener.storage.beneath import exists
from gardener.storage.cache import Cache, open_cache
from gardener.storage.gitdir import git_busy, head
from gardener.storage.journal import unfinished
from gardener.storage.load import Reading, check_there, load
from gardener.storage.lock import hold
from gardener.tend.check import refresh_terms
from gardener.tend.configure import configured
from gardener.tend.events import Events, confinement_change, keep_events, last_good, recall_events
from gardener.tend.known import Known, known_now, recall
from gardener.tend.matter import local_date
from gardener.tend.passes import Heard, Listener, hear, silence
from gardener.tend.record import write_report
from gardener.tend.result import PassRow, Result
from gardener.text.frontmatter import stamp

ATTEMPTS = 3
Mode: TypeAlias = Literal["full", "propose", "refresh"]


@dataclass(frozen=True, slots=True)
class _Ask:
    """What a run is asked for."""

    mode: Mode
    only: Collection[str]
    dry_run: bool
    confinement: str
    listen: Listener


def tend(
    store: Store,
    now: datetime,
    *,
    mode: Mode = "full",
    only: Collection[str] = (),
    dry_run: bool = False,
    confinement: str = "",
    listen: Listener = silence,
) -> Result:
    """Run the passes once. `only` names passes to run alone; `dry_run` writes nothing; `confinement` is the daemon's
    level, whose changes are told; `listen` hears the name of each pass before it runs.

    BusyError while git or an apply is under way, NoStoreError where the store is missing or turned up empty.
    """
    ask = _Ask(mode, only, dry_run, confinement, listen)
    for _ in range(ATTEMPTS - 1):
        with suppress(_OvertakenError):
            return _once(store, now, ask)
    return _once(store, now, ask)


class _OvertakenError(StaleError):
    """Somebody decided something while the passes ran: what they found may be about what is no longer so."""


def _once(store: Store, now: datetime, ask: _Ask) -> Result:
    refuse_when_busy(store)
    began = time.time_ns()
    reading = load(store.root, store.layout)
    with open_cache(store.root, create=not ask.dry_run) as cache:
        known = recall(cache, local_date(now).isoformat())
        check_there(reading, store.root, store.layout, known.memories)
        settings = configured(store.settings.passes)
        inbox = read_inbox(store.root, store.layout.proposals)
        known = known.away_now(inbox, head(store.root), now)
        answers = read_answers(store.root, store.layout.proposals)
        snapshot = informed(reading.snapshot, inbox, answers, known.lost)
        decided = _decisions(inbox)
        heard = hear(snapshot, settings, now, ask.only, ask.listen)
        if ask.dry_run:
            outcome = reconcile(_run(store, snapshot, inbox, heard, settings, known, now, ask.mode))
            result = _result(store, now, reading, snapshot, heard, outcome, inbox, dry=True)
            result, _, _ = _missed(result, known, store)
            return _with_events(cache, result, heard, ask)[0]
        refresh_terms(cache, snapshot)  # before the lock: in a large store it takes its time
        with hold(store.root):
            refuse_when_busy(store)
            known = recall(cache, local_date(now).isoformat()).away_now(
                inbox := read_inbox(store.root, store.layout.proposals), head(store.root), now
            )
            if _decisions(inbox) != decided:
                raise _OvertakenError("something was decided while this run looked; run it again")
            outcome = reconcile(_run(store, snapshot, inbox, heard, settings, known, now, ask.mode))
            _clean(store)
            _expect(cache, outcome)
            _carry_out(store, outcome, now)
            after = read_inbox(store.root, store.layout.proposals)
            result = _result(store, now, reading, snapshot, heard, outcome, after)
            result, gone, hidden = _missed(replace(result, refused=inbox.refused or after.refused), known, store)
            with cache.together():  # last: what a killed run had not reported yet, the next one reports
                result = replace(result, report=_tell(store, cache, result, heard, ask))
                _remember(cache, store, result, known, began)
                told = local_date(now).isoformat() if result.report else ""
                cache.keep({"missing": known.still_missing(gone, hidden, head(store.root), told)})
    return result


def _missed(result: Result, known: Known, store: Store) -> tuple[Result, dict[str, str], dict[str, str]]:
    """(the result with what is said of it, the memories that are gone, those that were not shown), as in `absent`."""
    gone, hidden = known.absent(result.snapshot, result.inbox)
    alarms, news = known.vanished(gone, head(store.root))
    return replace(result, alarms=alarms, news=news + known.says), gone, hidden


def _tell(store: Store, cache: Cache, result: Result, heard: Heard, ask: _Ask) -> str:
    """The path of the report where one was written; what none told is kept for the next."""
    whole, events = _with_events(cache, result, heard, ask)
    report = ""
    if ask.mode == "full" and not ask.only:
        report = write_report(store, whole, loud=events.loud or bool(heard.errors))
        events = events.told(local_date(result.now).isoformat()) if report else events
    keep_events(cache, events, whole.last_good, ask.confinement)
    return report


def _with_events(cache: Cache, result: Result, heard: Heard, ask: _Ask) -> tuple[Result, Events]:
    """The result as a report tells it: with what earlier runs saw and no report has told yet."""
    day = local_date(result.now).isoformat()
    events = recall_events(cache).for_report(day).with_more("alarm", result.alarms).with_more("news", result.news)
    events = events.with_more("change", confinement_change(cache, ask.confinement))
    good = last_good(cache, heard.status, day)
    return replace(result, alarms=events.alarms, news=events.news, last_good=good), events


def _decisions(inbox: Inbox) -> dict[str, int]:
    """How often each proposal was decided; taking back and restoring are decisions too."""
    return {filed.id: len(filed.document.proposal.decided) for filed in inbox.decided}


def refuse_when_busy(store: Store) -> None:
    """BusyError while git is in the middle of something or an apply was interrupted."""
    busy = git_busy(store.root)
    if busy:
        raise BusyError(f"git is in the middle of something here ({busy}); finish it, then run this again")
    if unfinished(store.root):
        raise BusyError("an apply was interrupted; gardener doctor --recover finishes it")


def _run(
    store: Store,
    snapshot: Snapshot,
    inbox: Inbox,
    heard: Heard,
    settings: Mapping[str, PassSettings],
    known: Known,
    now: datetime,
    mode: Mode,
) -> Run:
    lines: dict[str, list[IndexLine]] = {}
    for line in snapshot.index_lines:
        lines.setdefault(line.target, []).append(line)
    off = frozenset(name for name, status in heard.status.items() if status == "off")
    return Run(
        findings=heard.findings,
        # Where the system refused to show something, no pass has heard everything, and none withdraws.
        heard=off if snapshot.unheard else off | {name for name, status in heard.status.items() if status == "ok"},
        order=tuple(one.name for one in discover()),
        caps={name: table.max_pending for name, table in settings.items()},
        max_pending=store.settings.limits.max_pending,
        memories=snapshot.by_path,
        index_lines={path: tuple(found) for path, found in lines.items()},
        inbox=inbox,
        settled=settled([*(filed.document for filed in inbox.decided), *known.lost], snapshot.memories),
        away=known.away,
        folder=store.layout.proposals,
        now=now,
        # A decided file that the system refused to show may be the answer to what is found.
        adds=mode != "refresh" and not inbox.refused,
        withheld=heard.withheld,
        written=known.written,
    )


def _clean(store: Store) -> None:
    """Clear away what a killed writer left in our own folders."""
    proposals = store.layout.proposals
    for folder in (*(f"{proposals}/{name}" for name in FOLDERS), store.layout.reports):
        atomic.clean(store.root, folder, f"{proposals}/conflicts")


def _expect(cache: Cache, outcome: Outcome) -> None:
    written = {path: (outcome.before.get(path), data) for path, data in outcome.writes.items()}
    gone = {path: (data, None) for path, data in outcome.removals.items()}
    expect(cache, {**written, **gone, **{filed.path: (filed.data, None) for filed in outcome.by_hand}})


def _carry_out(store: Store, outcome: Outcome, now: datetime) -> None:
    """Write, then remove: a crash in between leaves a proposal twice, which the next run mends, and never none.

    A file somebody wrote into since it was read stays as it is; the next run looks again.
    """
    torn = {one for one in outcome.writes if one not in outcome.before and exists(store.root, one)}
    for path, data in outcome.writes.items():
        with suppress(StaleError):
            was = beneath.read(store.root, path, MAX_BYTES) if path in torn else outcome.before.get(path)
            atomic.write(store.root, path, data, was=was)
    for path, data in outcome.removals.items():
        with suppress(StaleError):
            atomic.remove(store.root, path, was=data)
    for filed in outcome.by_hand:
        _file_by_hand(store, filed, now)


def _file_by_hand(store: Store, filed: Filed, now: datetime) -> None:
    one = filed.document
    entry = Decided("apply", "by hand", stamp(now), one.plan)
    done = replace(one.proposal, decision="accept", decided=(*one.proposal.decided, entry))
    text = write(Document(done, one.plan, one.plan, one.body, one.boxes))
    name = filed.path.rsplit("/", 1)[-1]
    target = f"{store.layout.proposals}/applied/{name}"
    try:
        atomic.move(store.root, filed.path, target, text.encode("utf-8", "surrogateescape"), was=filed.data)
    except StaleError:
        return  # somebody wrote into it meanwhile; the next run looks again


def _remember(cache: Cache, store: Store, result: Result, known: Known, began: int) -> None:
    reading, snapshot = result.reading, result.snapshot
    shas = snapshot.hashes
    cache.remember(((found, shas[found.path]) for found in reading.found if found.path in shas), began)
    cache.keep(known_now(known, snapshot, result.inbox, head(store.root), result.outcome.writes))
    cache.keep(
        {
            "scores": scores(result.outcome),
            "last": stamp(result.now),
            "active": len(snapshot.active),
            "problems": len({problem.path for problem in snapshot.problems}),
            "alarms": result.alarms,
            "failed": {row.name: row.error for row in result.passes if row.status == "failed"},
        }
    )


def scores(outcome: Outcome) -> dict[str, list[object]]:
    """For each open proposal the score and its named contributions: figures that move, so never in the file."""
    drafts = {identity: one for identity, one in outcome.open.items() if one is not None}
    return {key: [one.finding.score, [list(part) for part in one.finding.parts]] for key, one in drafts.items()}


def _result(
    store: Store,
    now: datetime,
    reading: Reading,
    snapshot: Snapshot,
    heard: Heard,
    outcome: Outcome,
    inbox: Inbox,
    *,
    dry: bool = False,
) -> Result:
    rows = []
    for name, status in heard.status.items():
        tally = outcome.tallies[name]
        row = PassRow(
            name,
            status,
            tally.found,
            tally.new,
            tally.kept,
            tally.withdrawn,
            tally.held_back,
            round(heard.seconds.get(name, 0.0), 3),
            heard.errors.get(name, ""),
        )
        rows.append(row)
    informed = replace(reading, snapshot=snapshot)
    return Result(store.path, now, informed, tuple(rows), outcome, inbox, heard.findings, dry=dry)
