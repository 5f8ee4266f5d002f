"""`tend` and `report`."""

from __future__ import annotations

from typing import Any

import click

from gardener.cli import out
from gardener.cli.context import Shared, known_passes, pass_shared, shared
from gardener.cli.progress import progress
from gardener.cli.rows import answers_waiting, problem_json, proposal_json, state_of
from gardener.proposals.answered import troubles
from gardener.tend import Result, tend
from gardener.text.secrets import mask


@click.command("tend")
@click.option("--pass", "passes", multiple=True, metavar="NAME", help="Run this pass alone (may be repeated).")
@click.option("--dry-run", is_flag=True, help="Write nothing; show what would be proposed.")
@click.option("--check", is_flag=True, help="Exit 1 when anything undecided is open.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@shared
@pass_shared
def tend_command(given: Shared, passes: tuple[str, ...], dry_run: bool, check: bool, as_json: bool) -> None:
    """Run the passes once and write proposals."""
    known_passes(passes)
    with given.open() as store, progress(quiet=given.quiet) as listen:
        result = tend(store, given.time(), only=passes, dry_run=dry_run, listen=listen)
    if not dry_run:
        out.carried("the run itself was done")
    if as_json:
        out.as_json(result_json(result))
    else:
        _print(result, given.quiet)
    undecided = [one for one in result.inbox.pending if state_of(one, result.now) == "pending"]
    undecided_too = dry_run and bool(result.outcome.writes)
    if result.partial:
        raise click.exceptions.Exit(4)
    if check and (undecided or undecided_too):
        raise click.exceptions.Exit(1)


@click.command("report")
@shared
@pass_shared
def report_command(given: Shared) -> None:
    """Print today's report without writing it."""
    from gardener.report import render
    from gardener.tend.matter import matter_of

    with given.open() as store:
        with progress(quiet=given.quiet) as listen:
            result = tend(store, given.time(), dry_run=True, listen=listen)
        out.safe_block(render(matter_of(store, result)).rstrip("\n"))


def result_json(result: Result) -> dict[str, Any]:
    """What `tend --json` prints; fields are added, never renamed."""
    return {
        "store": result.store,
        "now": result.now.isoformat(),
        "memories": len(result.snapshot.memories),
        "notes": len(result.snapshot.notes),
        "problems": [problem_json(problem) for problem in result.problems],
        "passes": [
            {
                "name": row.name,
                "status": row.status,
                "found": row.found,
                "new": row.new,
                "kept": row.kept,
                "withdrawn": row.withdrawn,
                "held_back": row.held_back,
                "seconds": row.seconds,
                "error": row.error,
            }
            for row in result.passes
        ],
        "proposals": [
            proposal_json(filed, draft.finding.score if draft else None, result.now)
            for filed in result.inbox.pending
            for draft in [result.outcome.open.get(filed.id)]
        ]
        if not result.dry
        else [
            {
                "id": draft.proposal.id,
                "pass": draft.finding.pass_name,
                "summary": mask(draft.finding.summary),
                "path": path,
            }
            for path in result.outcome.writes
            for draft in [_draft_of(result, path)]
            if draft
        ],
        "report": result.report,
        "alarms": list(result.alarms),
        "advice": [
            {"pass": one.pass_name, "summary": mask(one.summary), "paths": list(one.subjects)}
            for one in result.outcome.advice
        ],
    }


def _draft_of(result: Result, path: str) -> Any:
    return next((one for one in result.outcome.open.values() if one is not None and one.path == path), None)


def _print(result: Result, quiet: bool) -> None:
    for alarm in result.alarms:
        out.note(f"gardener: {alarm}")
    for row in result.passes:
        if row.status == "failed":
            out.note(f"gardener: pass {row.name} failed ({row.error}); its open proposals are left as they are")
    for problem in result.snapshot.unheard:
        out.note(f"gardener: {problem}; archives are withheld until it can be read")
    if quiet:
        return
    for problem in result.problems:
        out.note(f"problem: {out.plain(str(problem), 400)}")
    for trouble in troubles(result.inbox):
        out.note(f"problem: {out.plain(trouble, 400)}")
    rows = [
        (row.name, str(row.found), str(row.new), str(row.kept), str(row.withdrawn), str(row.held_back))
        for row in result.passes
        if row.status in {"ok", "failed"} and (row.found or row.new or row.kept or row.withdrawn or row.held_back)
    ]
    out.table(rows, ("pass", "found", "new", "kept", "withdrawn", "held back"))
    waiting = sum(max(0, row.found - row.new - row.kept - row.held_back) for row in result.passes)
    if waiting:
        out.say(f"{waiting:,} more share a proposal with others, or wait for what is asked about the same memory.")
    memories = out.count(len(result.snapshot.memories), "memory", "memories")
    for finding in sorted(result.outcome.advice, key=lambda one: -one.score)[:3] if result.dry else ():
        out.say(f"  advice ({finding.pass_name}): {out.plain(finding.summary)}")
    if result.dry:
        would = out.count(len(result.outcome.writes), "proposal")
        out.say(f"{memories}; {would} would be written. Nothing was.")
        return
    pending = out.count(len(result.inbox.pending), "proposal")
    out.say(
        f"{memories}, {pending} open{', ' + out.count(len(result.problems), 'problem') if result.problems else ''}."
    )
    if result.report:
        out.say(f"Report: {result.report}")
    if result.inbox.pending:
        out.say("Decide with: gardener review")
    if waits := answers_waiting(result.inbox.pending):
        out.say(waits)
