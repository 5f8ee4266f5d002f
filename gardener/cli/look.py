"""The commands that only look: `status`, `list`, `show`, `why`, `log`."""

from __future__ import annotations

from typing import Any

import click

from gardener.cli import out
from gardener.cli.context import Shared, known_passes, pass_shared, shared
from gardener.cli.rows import answers_waiting, proposal_json, state_of, undone
from gardener.errors import UsageError
from gardener.model.finding import RISKS
from gardener.proposals.answered import troubles
from gardener.proposals.identity import resolve
from gardener.proposals.inbox import Filed, Inbox, read_inbox
from gardener.storage.cache import open_cache
from gardener.text.secrets import masker

STATES = ("pending", "snoozed", "decided", "applied", "rejected", "hidden")


@click.command("list")
@click.option("--pass", "pass_name", metavar="NAME", help="Only this pass's proposals.")
@click.option("--state", type=click.Choice([*STATES, "all"]), help="Only these; open ones where not given.")
@click.option("--json", "as_json", is_flag=True, help="Print an array of proposals.")
@shared
@pass_shared
def list_command(given: Shared, pass_name: str | None, state: str | None, as_json: bool) -> None:
    """List proposals, the safest first, then pass by pass."""
    now = given.time()
    with given.open() as store, open_cache(store.root, create=False) as cache:
        inbox = read_inbox(store.root, store.layout.proposals)
        scores = cache.fact("scores", {})
    known_passes([pass_name] if pass_name else [], inbox)
    wanted = {state} if state and state != "all" else set(STATES) if state == "all" else set(STATES[:3])
    files = [one for one in inbox.files if state_of(one, now) in wanted]
    files = [one for one in files if pass_name in {None, one.document.proposal.pass_name}]
    files.sort(key=lambda one: _order(one, scores))
    for trouble in troubles(inbox):
        out.note(f"problem: {out.plain(trouble, 400)}")
    if as_json:
        out.as_json([proposal_json(one, _score(one, scores), now) for one in files])
        return
    if not files:
        out.note("No proposals." if state else "No open proposals. gardener tend looks for some.")
        return
    rows = []
    for one in files:
        proposal = one.document.proposal
        mark = "undone" if undone(one) else state_of(one, now)
        label = proposal.risk if mark == "pending" else mark
        rows.append((one.id, proposal.pass_name, label, proposal.summary))
    out.table(rows, ("id", "pass", "state", "says"))
    if waits := answers_waiting(files):
        out.note(waits)


@click.command("show")
@click.argument("wanted", metavar="ID")
@click.option("--diff", is_flag=True, help="Print the change as a patch for git apply.")
@click.option("--choose", metavar="LETTER", help="With --diff: the choice to show.")
@shared
@pass_shared
def show_command(given: Shared, wanted: str, diff: bool, choose: str | None) -> None:
    """Show one proposal, or the patch it stands for."""
    with given.open() as store, open_cache(store.root, create=False) as cache:
        inbox = read_inbox(store.root, store.layout.proposals)
        filed = find(inbox, wanted)
        if diff:
            from gardener.review.preview import preview

            patch = preview(store, filed, given.time(), choose)
            out.raw(patch)
            return
        out.safe_block(filed.data.decode("utf-8", "surrogateescape").rstrip("\n"))
        parts = cache.fact("scores", {}).get(filed.id)
    if parts and parts[1]:
        out.note(f"score {parts[0]:.2f}: " + ", ".join(f"{name} {value:+.2f}" for name, value in parts[1]))


@click.command("log")
@click.argument("wanted", metavar="[ID]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print an array of decisions.")
@shared
@pass_shared
def log_command(given: Shared, wanted: str | None, as_json: bool) -> None:
    """List decisions, the newest first."""
    with given.open() as store:
        inbox = read_inbox(store.root, store.layout.proposals)
    files = [find(inbox, wanted)] if wanted else list(inbox.decided)
    entries = [(entry, one) for one in files for entry in one.document.proposal.decided]
    entries.sort(key=lambda pair: (pair[0].at, pair[1].id), reverse=True)
    if as_json:
        out.as_json([_entry_json(entry, one) for entry, one in entries])
        return
    if not entries:
        out.note("Nothing was decided yet.")
        return
    out.table(
        [(e.at.replace("T", " ").rstrip("Z"), e.did, one.id, one.document.proposal.summary) for e, one in entries],
        ("when (UTC)", "did", "id", "says"),
    )
    if wanted:
        for change in files[0].document.changes:
            to = f" to {change.to}" if change.to else ""
            out.say(f"  {change.path}{to}: {change.before[:12] or 'wiped'} -> {change.after[:12]}")


@click.command("why")
@click.argument("wanted", metavar="PATH")
@click.option("--json", "as_json", is_flag=True, help="Print it as an object.")
@shared
@pass_shared
def why_command(given: Shared, wanted: str, as_json: bool) -> None:
    """Why a memory is, or is not, proposed about."""
    from gardener.tend.why import explain

    with given.open() as store:
        lines = explain(store, wanted, given.time())
    if as_json:
        out.as_json({"path": lines[0], "because": list(lines[1:])})
        return
    out.safe_block("\n".join([lines[0], *(f"  {line}" for line in lines[1:])]))


def find(inbox: Inbox, wanted: str) -> Filed:
    """The proposal a person names, in whatever folder. UsageError where there is none."""
    for one in inbox.malformed:
        if wanted.rsplit("/", 1)[-1] == one.path.rsplit("/", 1)[-1]:
            raise UsageError(f"{one.path}: {one.reason}")
    return inbox.by_id[resolve(wanted, inbox.by_id, UsageError)]


def _score(one: Filed, scores: dict[str, Any]) -> float | None:
    found = scores.get(one.id)
    return float(found[0]) if found else None


def _order(one: Filed, scores: dict[str, Any]) -> tuple[int, str, float, str]:
    proposal = one.document.proposal
    return RISKS.index(proposal.risk), proposal.pass_name, -(_score(one, scores) or 0.0), one.path


def _entry_json(entry: Any, one: Filed) -> dict[str, Any]:
    return {
        "id": one.id,
        "did": entry.did,
        "by": entry.by,
        "at": entry.at,
        "pass": one.document.proposal.pass_name,
        "summary": one.document.proposal.summary,
        "path": one.path,
        "changes": [
            {"path": c.path, "to": c.to or None, "before": c.before, "after": c.after} for c in one.document.changes
        ],
    }


@click.command("brief")
@click.option("--project", metavar="NAME", help="One project with the global memories.")
@click.option("--json", "as_json", is_flag=True, help="Print an array.")
@shared
@pass_shared
def brief_command(given: Shared, project: str | None, as_json: bool) -> None:
    """What an agent's briefing would carry from this store now."""
    from gardener.brief import brief, tokens_by_section
    from gardener.storage.load import load

    now = given.time()
    with given.open() as store:
        snapshot = load(store.root, store.layout).snapshot
        days = store.settings.briefing.stage_unknown_max_age_days
    if project is not None and project not in {memory.project for memory in snapshot.memories}:
        raise UsageError(f"--project {project}: no memory is in it")
    entries = brief(snapshot.memories, now, days, project)
    if as_json:
        out.as_json(
            [
                {
                    "path": entry.memory.path,
                    "section": entry.section,
                    "description": masker(entry.memory.data)(entry.memory.description),
                    "tokens": entry.tokens,
                    "until": entry.until.isoformat() if entry.until else None,
                }
                for entry in entries
            ]
        )
        return
    for section, cost in tokens_by_section(entries).items():
        out.say(click.style(f"{section} (about {cost:,} tokens)", bold=True))
        for entry in entries:
            if entry.section == section:
                until = f" (drops out on {entry.until})" if entry.until else ""
                said = masker(entry.memory.data)(entry.memory.description)
                about = f": {out.plain(said)}" if said else ""
                out.say(f"  {out.plain(entry.memory.label)}{about}{until}")
