"""Writing the report and its line of history after a full run, where a figure changed."""

from __future__ import annotations

from datetime import date, datetime

from gardener.config.store import Store
from gardener.model.proposal import Proposal
from gardener.proposals.inbox import Inbox
from gardener.report import Figures, Matter, Row, read_history, render, write_history
from gardener.storage import atomic
from gardener.storage.beneath import exists
from gardener.storage.load import read_bytes
from gardener.tend.result import Result
from gardener.text.frontmatter import moment

RISKS = ("safe", "judgement", "lossy")
_MAX_HISTORY = 64 * 1024 * 1024


def matter_of(store: Store, result: Result) -> Matter:
    """Everything today's report says."""
    history = history_of(store)
    figures = _figures(result)
    earlier = tuple(one for one in history if one.date < figures.date)
    first = {identity: one.date for one in reversed(earlier) for identity in one.pending}
    ranked = sorted(pending_rows(store, result, first), key=lambda row: (RISKS.index(row.risk), -row.score, row.id))
    owned = {filed.id for filed in result.inbox.pending if filed.document.owned}
    return Matter(
        figures=figures,
        history=earlier,
        rows=tuple(row for row in ranked if row.id not in owned),
        waiting=tuple(row for row in ranked if row.id in owned),
        held_back=sum(row.held_back for row in result.passes),
        failed={row.name: row.error for row in result.passes if row.status == "failed"},
        problems=result.problems,
        advice=result.outcome.advice,
        alarms=result.alarms,
        news=result.news,
        malformed=tuple(f"{one.path}: {one.reason}" for one in result.inbox.malformed),
    )


def write_report(store: Store, result: Result) -> str:
    """The path of today's report where one was written, "" where nothing changed since the last line."""
    matter = matter_of(store, result)
    history = history_of(store)
    same = bool(history) and history[-1].compared == matter.figures.compared
    loud = matter.alarms or matter.failed
    if same and not loud and (store.settings.reports.quiet == "skip" or history[-1].date == matter.figures.date):
        return ""
    folder = store.layout.reports
    path = f"{folder}/{matter.figures.date}.md"
    atomic.write(store.root, path, render(matter).encode("utf-8", "surrogateescape"))
    atomic.write(store.root, f"{folder}/history.jsonl", write_history(history, matter.figures).encode())
    return path


def history_of(store: Store) -> tuple[Figures, ...]:
    """The store's recorded figures, oldest first."""
    path = f"{store.layout.reports}/history.jsonl"
    if not exists(store.root, path):
        return ()
    return read_history(read_bytes(store.root, path, _MAX_HISTORY).decode("utf-8", "replace"))


def pending_rows(store: Store, result: Result, first: dict[str, str]) -> list[Row]:
    """The open proposals as the report shows them; a snoozed one is not among them."""
    up = "../" * (store.layout.reports.count("/") + 1)
    rows = []
    for filed in result.inbox.pending:
        one = filed.document.proposal
        until = moment(one.until)
        if until is not None and until > result.now:
            continue
        draft = result.outcome.open.get(filed.id)
        score = draft.finding.score if draft else 0.0
        link = f"{up}{filed.path}"
        rows.append(Row(filed.id, one.pass_name, one.risk, score, one.summary, link, first.get(filed.id, "")))
    return rows


def precision(inbox: Inbox) -> dict[str, tuple[int, int]]:
    """Pass → (right, decided): applied and "keep" answers are right, rejected and hidden ones are not."""
    found: dict[str, tuple[int, int]] = {}
    for filed in inbox.decided:
        did = _last(filed.document.proposal)
        if did in {"apply", "keep", "reject", "hide"}:
            right, all_of_them = found.get(filed.document.proposal.pass_name, (0, 0))
            found[filed.document.proposal.pass_name] = (right + (did in {"apply", "keep"}), all_of_them + 1)
    return found


def _last(proposal: Proposal) -> str:
    return proposal.decided[-1].did if proposal.decided else ""


def _figures(result: Result) -> Figures:
    snapshot = result.snapshot
    return Figures(
        date=local_date(result.now).isoformat(),
        active=len(snapshot.active),
        notes=len(snapshot.notes),
        pending=tuple(sorted(filed.id for filed in result.inbox.pending)),
        decided=len(result.inbox.decided),
        problems=len({problem.path for problem in snapshot.problems}) + len(result.inbox.malformed),
        passes=precision(result.inbox),
    )


def local_date(now: datetime) -> date:
    """The calendar day a run belongs to, in the zone its `now` was given in."""
    return now.date()
