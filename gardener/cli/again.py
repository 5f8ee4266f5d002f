"""`apply ID` at a terminal: where an accept would do something else than was proposed, show it and ask."""

from __future__ import annotations

import click

from gardener.cli import out
from gardener.errors import StaleError
from gardener.proposals.answers import Answer, Refusal, check
from gardener.proposals.inbox import Filed
from gardener.review.decide import Asking, Decider, Shown
from gardener.review.outlook import Outlook, outlook


def ask_again(decider: Decider, *, edited: bool) -> Asking:
    """Asks about a plan that was edited by hand (unless `edited` says that is meant) or a kept memory that changed."""

    def asking(filed: Filed, given: Answer) -> Shown | None:
        answer = check(filed.document.proposal, given)
        if isinstance(answer, Refusal) or answer.word not in {"accept", "choose"}:
            return None
        by_hand = filed.document.edited and not edited
        ahead = outlook(decider.store, filed, answer, decider.now)
        if ahead.trouble or not (by_hand or ahead.kept):
            return None
        _show(filed, ahead, by_hand)
        if not click.confirm("Apply this?", default=False):
            raise StaleError(f"{filed.id}: left as it was")
        return Shown(filed.document.plan, given, ahead.bases)

    return asking


def _show(filed: Filed, ahead: Outlook, by_hand: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    from gardener.review.session.card import changed_lines, lost_lines

    out.say(f"{filed.id}: {out.plain(filed.document.proposal.summary)}")
    if by_hand:
        out.say("Its plan was edited by hand. This is what it would do:")
    console = Console(highlight=False, markup=False, emoji=False)
    for line in lost_lines(ahead):
        console.print(line)
    for change in ahead.changes:
        for line in (Text(), *changed_lines(change, out.width(), words=True)):
            console.print(line)
