"""`status`: how the store stands, who tends it, and what is late."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import click
import msgspec

from gardener.cli import out
from gardener.cli.context import Shared, pass_shared, shared
from gardener.cli.look import STATES
from gardener.cli.rows import state_of, undone
from gardener.daemon.manager import ask
from gardener.daemon.status import Status, news, promises, read_status
from gardener.daemon.status import worries as late
from gardener.proposals.answered import troubles
from gardener.proposals.inbox import PENDING, read_inbox
from gardener.storage.cache import open_cache
from gardener.storage.journal import PRIVATE, unfinished
from gardener.storage.lock import daemon_runs


@click.command("status")
@click.option("--json", "as_json", is_flag=True, help="Print it as an object.")
@shared
@pass_shared
def status_command(given: Shared, as_json: bool) -> None:
    """How the store stands, and whether anything that was promised is late."""
    now = given.time()
    with given.open() as store, open_cache(store.root, create=False) as cache:
        inbox = read_inbox(store.root, store.layout.proposals)
        standing = [one for one in inbox.files if not undone(one)]
        states: list[str] = [state_of(one, now) for one in standing]
        worries = troubles(inbox, (PENDING,))
        bad: list[str] = []
        if unfinished(store.root):
            bad.append("an apply was interrupted; gardener doctor --recover finishes it")
        bad += cache.fact("alarms", [])
        beat = read_status(Path(store.path) / PRIVATE / "status.json")
        if beat is not None:
            bad += late(beat, now, runs=daemon_runs(store.root, store.layout.proposals))
        untended, look = _untended(beat, Path(store.path), store.settings.schedule.nightly)
        bad += look
        bad += [f"pass {name} failed: {error}" for name, error in cache.fact("failed", {}).items()]
        figures: dict[str, Any] = {
            "store": store.path,
            "last_tend": cache.fact("last"),
            "active": cache.fact("active"),
            "files_with_a_problem": cache.fact("problems", 0),
            **{state: states.count(state) for state in STATES},
            "daemon": _beat(beat),
            "new_findings": _new_findings(
                beat, cache.fact("last"), room=store.settings.limits.max_pending - len(inbox.pending)
            ),
            "untended": untended,
            "problems": worries,
            "late": bad,
        }
    if as_json:
        out.as_json(figures)
    else:
        _print_status(figures)
    if bad:
        raise click.exceptions.Exit(4)


def _beat(beat: Status | None) -> dict[str, Any] | None:
    """The heartbeat as `status` shows it."""
    return None if beat is None else msgspec.to_builtins(beat)


def _new_findings(beat: Status | None, tended: str | None, room: int) -> int:
    """How many findings a run of the daemon made that were not filed, where nobody tended since and there is room."""
    if beat is None or beat.last_run is None or tended is None or room <= 0:
        return 0
    # The daemon's own run left the same moment in both places; a later one by hand has filed them.
    return news(beat) if datetime.fromisoformat(tended) == beat.last_run.replace(microsecond=0) else 0


def _untended(beat: Status | None, store: Path, nightly: str) -> tuple[str | None, list[str]]:
    """(why no run is to come and what to do about it, None where the heartbeat promises one; what to look at)."""
    if beat is not None and promises(beat):
        return None, []
    unit = ask(store, Path.home())
    if unit is None:
        return "no daemon or timer tends this store; gardener service install", []
    if unit.fails:
        return f"a service is installed and does not start ({unit.result})", [f"{unit.journal} says why it fails"]
    if unit.state in {"active", "activating"}:
        timer, service = f"a timer is installed; its next run is at {nightly}", "a service is installed and starts now"
        return timer if unit.kind == "timer" else service, []
    if beat is None:
        return "a service is installed and did not run yet", []
    return "a service is installed and was stopped; it starts at the next login, or with gardener service install", []


def _print_status(figures: dict[str, Any]) -> None:
    rows = [("store", figures["store"]), ("last tended", figures["last_tend"] or "never; run gardener tend")]
    if figures["active"] is not None:
        rows.append(("active memories", f"{figures['active']:,}"))
    if figures["files_with_a_problem"]:
        rows.append(("files with a problem", f"{figures['files_with_a_problem']:,}; gardener check names them"))
    rows += [(state, str(figures[state])) for state in STATES if figures[state] or state == "pending"]
    if figures["new_findings"]:
        wait, them = (
            out.count(figures["new_findings"], "waits", "wait"),
            "it" if figures["new_findings"] == 1 else "them",
        )
        until = "" if figures["untended"] else " for the night"
        rows.append(("new findings", f"{wait}{until}; gardener tend adds {them} now"))
    beat = figures["daemon"]
    if figures["untended"]:
        rows.append(("daemon", figures["untended"]))
    else:
        last = beat["beat"][:16].replace("T", " ")
        rows.append((beat["by"], f"{beat['state']}, confinement {beat['confinement']}, last beat {last} UTC"))
        if beat["next_nightly"]:
            rows.append(("next night run", beat["next_nightly"][:16].replace("T", " ")))
    rows += [("problem", line) for line in figures["problems"]]
    rows += [("look at", line) for line in figures["late"]]
    out.table(rows)
