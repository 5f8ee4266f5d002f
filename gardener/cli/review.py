"""`review`: deciding, or judging look-alikes, one after another at the keyboard; off it, the commands that would."""

from __future__ import annotations

import os
from pathlib import Path

import click

from gardener.cli import out
from gardener.cli.context import Shared, at_keyboard, known_passes, pass_shared, shared
from gardener.config.store import Store
from gardener.errors import UsageError
from gardener.proposals.inbox import read_inbox

PRINTED = 50
"""Pairs whose commands are printed off a terminal; an agent asks for more with `judge --json`."""


@click.command("review")
@click.option("--pass", "pass_name", metavar="NAME", help="Only this pass's proposals.")
@click.option("--look-alikes", is_flag=True, help="Answer pairs that only a reader can judge, one key an answer.")
@shared
@pass_shared
def review_command(given: Shared, pass_name: str | None, look_alikes: bool) -> None:
    """Decide one proposal after another, at the keyboard."""
    from gardener.review.session import Session, commands_instead
    from gardener.review.session.terminal import Terminal

    if look_alikes and pass_name:
        raise UsageError("--look-alikes are of no pass; leave --pass out")
    given.time()
    with given.open() as store:
        if look_alikes:
            _answer_look_alikes(store, given.by)
            return
        known_passes([pass_name] if pass_name else [], read_inbox(store.root, store.layout.proposals))
        session = Session(store, given.by, given.time, Terminal(), pass_name)
        queue = session.queue()
        if not queue:
            out.note("Nothing to decide. gardener tend looks for more.")
            return
        if not at_keyboard():
            for line in commands_instead(queue):
                out.say(out.visible(line))
            return
        top = os.getcwd()  # noqa: PTH109 - to come back to, whatever an editor does
        session.run()
        os.chdir(top)


def _answer_look_alikes(store: Store, by: str) -> None:
    from gardener.judge.ask import questions
    from gardener.judge.record import record_shown
    from gardener.review.session import LookAlikes, label_commands
    from gardener.review.session.terminal import Terminal

    pairs = [(one.a, one.b) for one in questions(store)]
    if not pairs:
        out.note("No look-alikes are left to judge.")
        return
    if at_keyboard():
        LookAlikes(Path(store.path), pairs, lambda a, b, word: record_shown(store, a, b, word, by), Terminal()).run()
        return
    for line in label_commands(pairs[:PRINTED]):
        out.say(out.visible(line))
    if len(pairs) > PRINTED:
        out.note(f"{len(pairs) - PRINTED} more pairs; gardener judge lists them all.")
