"""`daemon` and `service`."""

from __future__ import annotations

import grp
import os
import pwd
import sys
from pathlib import Path

import click

from gardener.cli import out
from gardener.cli.context import Shared, pass_shared, shared
from gardener.config.store import Store, locate
from gardener.daemon.service import (
    Facts,
    Kind,
    carry_out,
    plan_install,
    plan_uninstall,
    program_folders,
    says,
    this_command,
    units,
)


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
    chosen: Kind = kind or ("launchd" if sys.platform == "darwin" else "user")
    with given.open() as store:
        facts = facts_of(store)
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
    out.say("Done. gardener status shows how it does." if what == "install" else "Done. The store is as it was.")


def facts_of(store: Store) -> Facts:
    """What the units are filled in with for this store."""
    top = Path(store.path)
    owner = top.stat()
    layout = store.layout
    return Facts(
        store=top,
        writable=(top / layout.proposals, top / layout.reports, top / ".gardener"),
        command=this_command(),
        program=program_folders(),
        owner=pwd.getpwuid(owner.st_uid).pw_name,
        group=grp.getgrgid(owner.st_gid).gr_name,
        nightly=store.settings.schedule.nightly,
        home=Path.home(),
    )
