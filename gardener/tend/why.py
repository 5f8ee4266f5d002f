"""Why one memory is, or is not, proposed about: the same run as tend, looked at from one file."""

from __future__ import annotations

from datetime import datetime

from gardener.config.store import Store
from gardener.errors import UsageError
from gardener.model.memory import NEVER_STALE, Memory
from gardener.tend.result import Result
from gardener.tend.run import tend


def explain(store: Store, wanted: str, now: datetime) -> tuple[str, ...]:
    """The memory's path, then one line for each thing that matters. UsageError where there is no such memory."""
    result = tend(store, now, dry_run=True)
    memory = _named(result, wanted)
    lines = [_state(memory), _age(memory, now), *_protection(memory, result)]
    lines += [f"problem: {problem}" for problem in result.problems if problem.path == memory.path]
    lines += _decisions(result, memory)
    opened = {path for draft in result.outcome.open.values() if draft for path in draft.finding.subjects}
    for draft in result.outcome.open.values():
        if draft and memory.path in draft.finding.subjects:
            new = " (not written yet)" if draft.path in result.outcome.writes else ""
            lines.append(f"open: {draft.proposal.id} {draft.finding.pass_name}: {draft.finding.summary}{new}")
    for finding in result.findings:
        if memory.path in finding.subjects and not finding.is_advice and memory.path not in opened:
            lines.append(f"not asked: {finding.pass_name}: {finding.summary} (held back, refused before, or it waits)")
        elif memory.path in finding.subjects and finding.is_advice:
            lines.append(f"advice: {finding.pass_name}: {finding.summary}")
    return (memory.path, *lines)


def _named(result: Result, wanted: str) -> Memory:
    memories = result.snapshot.by_path
    if wanted in memories:
        return memories[wanted]
    found = [m for m in memories.values() if wanted in {m.label, m.name, m.stem} or m.path.endswith(f"/{wanted}")]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{wanted}: more than one memory is called so ({', '.join(m.path for m in found[:4])})")
    raise UsageError(f"{wanted}: no such memory; give its path from the store's folder, or PROJECT/NAME")


def _state(memory: Memory) -> str:
    if memory.active:
        return f"active, read as {memory.conventions.title}"
    by = f", superseded by {memory.superseded_by}" if memory.superseded_by else ""
    return f"inactive since {memory.invalid_at or 'it was forgotten'}{by}"


def _age(memory: Memory, now: datetime) -> str:
    if memory.dated is None:
        return "age unknown: never stale"
    return f"last updated {memory.dated:%Y-%m-%d}, {(now - memory.dated).days} days ago"


def _protection(memory: Memory, result: Result) -> list[str]:
    """What keeps it from being asked about for its age; what is retired is not asked about anyway."""
    links = result.snapshot.linked_from.get(memory.path, ())[:10]
    if not memory.active:
        return ["retired: never asked about for its age", *(f"{source} links to it" for source in links)]
    lines = []
    if memory.stage is not None and memory.defines("kind"):
        when = (
            "never asked about for its age while it is live" if memory.stage.live else "asked about where it stays so"
        )
        lines.append(f"kind stage, {memory.stage.status}: {when} (stale_stage)")
    elif memory.kind in NEVER_STALE:
        lines.append(f"kind {memory.kind}: never asked about for its age")
    if memory.favorite:
        lines.append("a favourite: never stale")
    return [*lines, *(f"protected: {source} links to it" for source in links)]


def _decisions(result: Result, memory: Memory) -> list[str]:
    lines = []
    for filed in result.inbox.decided:
        proposal = filed.document.proposal
        if memory.path in proposal.subjects:
            lines += [f"{entry.did} on {entry.at[:10]}: {filed.id} {proposal.summary}" for entry in proposal.decided]
    return lines
