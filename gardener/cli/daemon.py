"""`daemon` and `service`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from gardener.cli import out
from gardener.cli.context import Shared, pass_shared, shared
from gardener.config.store import locate
from gardener.daemon.service import carry_out, default_kind, hint, plan_install, plan_uninstall, says
from gardener.daemon.units import Kind, facts_of, units


@click.command("daemon")
@click.option("--once", is_flag=True, help="One night run, for a timer, and stop.")
@shared
@pass_shared
def daemon_command(given: Shared, once: bool) -> None:
    """Tend this store in the foreground until told to stop."""
    from gardener.daemon import start

    path = locate(given.store, os.environ, Path.cwd())
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
    chosen = kind or default_kind()
    with given.open() as store:
        facts = facts_of(store, Path.home())
    if what == "print":
        for path, text in units(chosen, facts).items():
            out.say(f"# {path}")
            out.safe_block(text.rstrip("\n"))
            out.say()
        return
    steps = plan_install(chosen, facts) if what == "install" else plan_uninstall(chosen, facts)
    if not steps:
        out.note("There is nothing to uninstall.")
        return
    out.say("This will:")
    for step in steps:
        out.say(f"  {says(step)}")
    carry_out(steps, out.note)
    if what == "install":
        out.say(f"Done: {hint(chosen)}. gardener status shows how it does.")
    else:
        out.say("Done. The store is as it was.")
