"""What today's report says, gathered from a run, the recorded figures and the decided files. It writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, datetime
from urllib.parse import quote

from gardener.brief import brief
from gardener.config.store import Store
from gardener.errors import GardenerError
from gardener.formats import read_memory
from gardener.formats.base import Source
from gardener.model.finding import RISKS
from gardener.model.memory import Memory
from gardener.proposals.answered import refused, troubles, waiting
from gardener.proposals.inbox import Filed
from gardener.proposals.precision import precision, verdicts
from gardener.report import Figures, LookAlike, Matter, Row, Trend, read_history
from gardener.storage.beneath import exists
from gardener.storage.load import read_bytes
from gardener.tend.configure import configured
from gardener.tend.result import Result
from gardener.text.frontmatter import moment
from gardener.text.rewrite import rewrite

_MAX_HISTORY = 64 * 1024 * 1024
_SHOWN = 5


def matter_of(store: Store, result: Result, history: tuple[Figures, ...] | None = None) -> Matter:
    """Everything today's report says; `history` are all recorded lines where the caller has them."""
    figures = figures_of(result)
    every = history_of(store) if history is None else history
    earlier = tuple(one for one in every if one.date < figures.date)
    said = {one.id: one for one in verdicts(result.inbox.decided)}
    days = {one.id: one.at.astimezone(result.now.tzinfo).date() for one in said.values() if one.at}
    trend = Trend((*earlier, figures), tuple(days.values()))
    place = _Places(store)
    rows = sorted(_open(place, result), key=lambda row: (RISKS.index(row.risk), -row.score, row.id))
    answered = {filed.id for filed in waiting(result.inbox.pending)}
    unclear = refused(result.inbox).keys()
    last = set(earlier[-1].pending) if earlier else set()
    recent = [said[key] for key, day in days.items() if 0 <= (trend.today - day).days < 7]
    decided = sorted((one for one in result.inbox.decided if one.id in last & said.keys()), key=lambda one: one.id)
    return Matter(
        figures=figures,
        earlier=earlier,
        trend=trend,
        rows=tuple(row for row in rows if row.id not in answered | unclear),
        waiting=tuple(row for row in rows if row.id in answered),
        decided=tuple((_row(place, filed, None), said[filed.id]) for filed in decided),
        held_back=sum(row.held_back for row in result.passes),
        failed={row.name: (row.error, result.last_good.get(row.name, "")) for row in result.passes if row.error},
        problems=result.problems,
        advice=result.outcome.advice,
        look_alikes=tuple(_look_alikes(store, place, result, earlier[-1].date if earlier else "")),
        tokens=saving(store, result),
        this_week=precision(recent),
        alarms=result.alarms,
        news=result.news,
        malformed=tuple(troubles(result.inbox)),
    )


def figures_of(result: Result) -> Figures:
    """Today's line of history."""
    snapshot = result.snapshot
    return Figures(
        date=local_date(result.now).isoformat(),
        active=len(snapshot.active),
        notes=len(snapshot.notes),
        pending=tuple(sorted(filed.id for filed in result.inbox.pending)),
        decided=len(result.inbox.decided),
        problems=len({problem.path for problem in snapshot.problems}) + len(troubles(result.inbox)),
        passes=precision(verdicts(result.inbox.decided)),
    )


def history_of(store: Store) -> tuple[Figures, ...]:
    """The store's recorded figures, oldest first."""
    path = f"{store.layout.reports}/history.jsonl"
    if not exists(store.root, path):
        return ()
    return read_history(read_bytes(store.root, path, _MAX_HISTORY).decode("utf-8", "replace"))


def saving(store: Store, result: Result) -> tuple[int, int]:
    """(tokens a briefing would be shorter by if every open proposal were applied, tokens it has now), estimated.

    A choice counts for nothing, as its answer is not known.
    """
    days = store.settings.briefing.stage_unknown_max_age_days
    memories = dict(result.snapshot.by_path)
    whole = _tokens(result.snapshot.memories, result.now, days)
    touched: dict[str, Memory] = {}
    for filed in result.inbox.pending:
        try:
            changes = rewrite(filed.document.proposal.edits, memories, result.now)
        except GardenerError:
            continue  # it was written for other bytes; applying it would be refused as well
        for change in changes:
            was = memories.get(change.path)
            if was is None or was.root not in result.reading.formats:
                continue
            touched.setdefault(change.path, was)
            if change.after is None:
                del memories[change.path]
            else:
                source = Source(was.path, was.root, change.after)
                memories[change.path] = read_memory(source, result.reading.formats[was.root])[0]
    before = _tokens(touched.values(), result.now, days)
    after = _tokens((memories[path] for path in touched if path in memories), result.now, days)
    return before - after, whole


def _tokens(memories: Iterable[Memory], now: datetime, days: int) -> int:
    return sum(entry.tokens for entry in brief(memories, now, days))


class _Places:
    """Links as seen from the report."""

    def __init__(self, store: Store) -> None:
        self._up = "../" * (store.layout.reports.count("/") + 1)

    def link(self, path: str) -> str:
        return self._up + quote(path.encode("utf-8", "surrogateescape"))


def _open(place: _Places, result: Result) -> Iterator[Row]:
    """The open proposals; a snoozed one is among them where somebody has answered since."""
    for filed in result.inbox.pending:
        until = moment(filed.document.proposal.until)
        if until is None or until <= result.now or filed.document.owned:
            yield _row(place, filed, result)


def _row(place: _Places, filed: Filed, result: Result | None) -> Row:
    one = filed.document.proposal
    draft = result.outcome.open.get(filed.id) if result else None
    score, parts = (draft.finding.score, draft.finding.parts) if draft else (0.0, ())
    return Row(filed.id, one.pass_name, one.risk, score, one.summary, place.link(filed.path), parts)


def _look_alikes(store: Store, place: _Places, result: Result, since: str) -> Iterator[LookAlike]:
    """Pairs a reader would be asked about, one of them written since the last report; all of them in a first one."""
    if not any(row.name == "dedup" and row.status == "ok" for row in result.passes):
        return
    # The pass compared this very snapshot, so nothing is imported or computed anew.
    from gardener.passes.dedup import DedupSettings
    from gardener.text.similarity.pairs import compare

    settings = configured(store.settings.passes)["dedup"]
    assert isinstance(settings, DedupSettings)
    memories, settled = result.snapshot.by_path, result.snapshot.settled
    pairs = [pair for pair in compare(result.snapshot).undecided(settings.bar) if (pair.a, pair.b) not in settled]
    found = ((memories[pair.a], memories[pair.b]) for pair in pairs)
    today = local_date(result.now).isoformat()
    fresh = [pair for pair in found if not since or any(since <= _written(one, result.now) <= today for one in pair)]
    for a, b in fresh[:_SHOWN]:
        yield LookAlike((a.label, place.link(a.path)), (b.label, place.link(b.path)))


def _written(memory: Memory, now: datetime) -> str:
    """The day it was written, "" where that is unknown: what says nothing of its age is not news."""
    return memory.dated.astimezone(now.tzinfo).date().isoformat() if memory.dated else ""


def local_date(now: datetime) -> date:
    """The calendar day a run belongs to, in the zone its `now` was given in."""
    return now.date()
