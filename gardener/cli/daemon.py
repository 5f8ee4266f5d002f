"""`daemon` and `service`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from gardener.cli import out
from gardener.cli.context import Shared, pass_shared, shared
from gardener.config import Settings
from gardener.config.store import Store, locate
from gardener.daemon.manager import Unit, answers
from gardener.daemon.service import advice, as_root, default_kind, hint, plan_install, plan_uninstall, tended_by
from gardener.daemon.steps import Run, Step, carry_out, says
from gardener.daemon.units import Facts, Kind, facts_of, units
from gardener.errors import PartialError, SettingsError, UsageError
from gardener.storage.beneath import open_root
from gardener.storage.lock import daemon_runs


@click.command("daemon")
@click.option("--once", is_flag=True, help="One night run, for a timer, and stop.")
@shared
@pass_shared
def daemon_command(given: Shared, once: bool) -> None:
    """Tend this store in the foreground until told to stop."""
    from gardener.daemon import start

    path = locate(given.store, os.environ, Path.cwd())
    if not once and sys.stderr.isatty():
        out.note("Tending until Ctrl-C stops it.")
    code = start.once(path, given.verbose) if once else start.start(path, given.verbose)
    raise click.exceptions.Exit(code)


@click.command("service")
@click.argument("what", type=click.Choice(["install", "print", "uninstall"]))
@click.option("--user", "kind", flag_value="user", help="A service of your own (the default).")
@click.option("--system", "kind", flag_value="system", help="A system service, run as the store's owner.")
@click.option("--timer", "kind", flag_value="timer", help="A nightly timer instead of a resident process.")
@shared
@pass_shared
def service_command(given: Shared, what: str, kind: Kind | None) -> None:
    """Install the daemon as a service, show its files, or remove it."""
    chosen, root = kind or default_kind(), os.geteuid() == 0
    facts = _facts(given, None if chosen == "system" else Path.home(), settled=what != "uninstall")
    if what == "print":
        for path, text in units(chosen, facts).items():
            out.say(f"# {path}")
            out.safe_block(text.rstrip("\n"))
            out.say()
    elif what == "install":
        with given.open() as store:
            foreign = daemon_runs(store.root, store.layout.proposals) and not tended_by(facts.store, facts.home)
        if foreign:
            raise UsageError("a daemon is running for this store; end it first (Ctrl-C where it runs)")
        steps = plan_install(chosen, facts, root)
        name = list(units(chosen, facts))[-1].name
        _do(steps, f"{Unit(chosen, name).journal} says why" if answers(chosen) else advice(chosen, facts))
        out.say(f"Done: {hint(chosen)}. gardener status shows how it does.")
    else:
        _uninstall(facts, (kind,) if kind else ("user", "timer", "launchd"), root)


def _facts(given: Shared, home: Path | None, *, settled: bool) -> Facts:
    """The facts of the store; its settings need not be readable where nothing of them is wanted (not `settled`)."""
    try:
        with given.open() as store:
            return facts_of(store, home)
    except SettingsError:
        if settled:
            raise
    with open_root(locate(given.store, os.environ, Path.cwd())) as root:
        return facts_of(Store(root, Settings(), {}), home)


def _uninstall(facts: Facts, kinds: tuple[Kind, ...], root: bool) -> None:
    steps = plan_uninstall(kinds, facts, root)
    left = [kind for kind in tended_by(facts.store, facts.home) if kind not in kinds]
    missed = _do(steps) if steps else ()
    if missed:
        what = " and ".join(f"`{' '.join(run.command)}`" for run in missed)
        raise PartialError(
            f"the files are gone, but the service manager could not be told: {what} failed, so what runs may run on"
        )
    if steps:
        out.say("Done. The memories are as they were.")
    elif not left:
        out.note("There is nothing to uninstall.")
    if "system" in left:
        out.note(f"A system service tends this store; to remove it: {as_root('uninstall', facts)}")
    elif left:
        out.note(f"Still installed: {', '.join(left)}; gardener service uninstall removes it.")


def _do(steps: tuple[Step, ...], counsel: str = "") -> tuple[Run, ...]:
    out.say("This will:")
    for step in steps:
        out.say(f"  {says(step)}")
    return carry_out(steps, out.note, counsel)
