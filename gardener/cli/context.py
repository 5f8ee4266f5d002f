"""What every command shares: the store, the time, and how much to say."""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from gardener.config.store import Store, locate, open_store
from gardener.errors import UsageError
from gardener.proposals.inbox import Inbox
from gardener.text.frontmatter import moment

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass
class Shared:
    """The global options as given; each is taken before or behind the command's name."""

    store: str | None = None
    now: str | None = None
    verbose: bool = False
    quiet: bool = False

    def open(self) -> Store:
        """The store the command works on. NoStoreError where there is none."""
        return open_store(locate(self.store, os.environ, Path.cwd()))

    def time(self) -> datetime:
        """The moment the command works at: `--now`, then `GARDENER_NOW`, then the clock, in the local zone."""
        given = self.now or os.environ.get("GARDENER_NOW")
        if not given:
            return datetime.now().astimezone()
        when = moment(given)
        if when is None or not 1000 <= when.year <= 9000:
            raise UsageError(f"--now {given}: write a time as 2026-07-10T18:00:00Z")
        found = datetime.fromisoformat(given.strip().upper())
        return found if found.tzinfo else found.astimezone()

    @property
    def by(self) -> str:
        """Who decides, as it is written into the record."""
        try:
            return getpass.getuser()
        except (OSError, KeyError):
            return "unknown"


def shared(command: Command) -> Command:
    """Give a command the global options; its first argument is `Shared`."""
    for option in (
        click.option("--store", metavar="DIR", help="The store to work on.", expose_value=False, callback=_keep),
        click.option("--now", metavar="TIME", help="Work at this time (RFC 3339).", expose_value=False, callback=_keep),
        click.option("-v", "--verbose", is_flag=True, help="Say more.", expose_value=False, callback=_keep),
        click.option("-q", "--quiet", is_flag=True, help="Say less.", expose_value=False, callback=_keep),
    ):
        command = option(command)
    return command


pass_shared = click.make_pass_decorator(Shared, ensure=True)


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value not in {None, False} and parameter.name:
        setattr(context.ensure_object(Shared), parameter.name, value)


def known_passes(names: Iterable[str], inbox: Inbox | None = None) -> None:
    """UsageError for a name given with `--pass` that is no pass's, nor that of a proposal of the inbox."""
    filed = {one.document.proposal.pass_name for one in inbox.files} if inbox else set()
    names = [name for name in names if name not in filed]
    if not names:
        return  # and no pass need be imported
    from gardener.passes import discover

    known = {one.name for one in discover()}
    for name in names:
        if name not in known:
            raise UsageError(f"--pass {name}: no such pass; the passes are {', '.join(sorted(known))}")


def at_keyboard() -> bool:
    """Whether a person sits at both ends."""
    return sys.stdin.isatty() and sys.stdout.isatty()
