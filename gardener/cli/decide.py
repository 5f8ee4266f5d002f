"""The commands that decide: `apply`, `reject`, `snooze`, `undo`, and the lifecycle by hand."""

from __future__ import annotations

import re

import click

from gardener.cli import out
from gardener.cli.again import ask_again
from gardener.cli.context import Shared, at_keyboard, known_passes, pass_shared, shared
from gardener.errors import GardenerError, PartialError, StaleError, UsageError
from gardener.proposals.answers import Answer, Refusal, check, members
from gardener.proposals.inbox import Filed, Inbox, read_inbox
from gardener.review import by_hand, undo
from gardener.review.decide import Decider, answer_in, run_all
from gardener.review.filing import Done
from gardener.review.locked import current, pending
from gardener.review.outlook import outlook
from gardener.review.plan import look, moved_on


@click.command("apply")
@click.argument("ids", metavar="ID...", nargs=-1)
@click.option("--choose", metavar="LETTER", help="The answer, where a proposal is a choice.")
@click.option("--only", multiple=True, metavar="FILE", help="Only this memory of a group (may be repeated).")
@click.option("--decided", is_flag=True, help="Carry out what was written in the proposal files.")
@click.option("--pass", "pass_name", metavar="NAME", help="All open proposals of this pass, with --risk safe.")
@click.option("--risk", type=click.Choice(["safe"]), help="Only safe ones.")
@click.option("--edited", is_flag=True, help="Apply plans that were edited by hand.")
@click.option("--dry-run", is_flag=True, help="Change nothing; show what would be done.")
@shared
@pass_shared
def apply_command(
    given: Shared,
    ids: tuple[str, ...],
    choose: str | None,
    only: tuple[str, ...],
    decided: bool,
    pass_name: str | None,
    risk: str | None,
    edited: bool,
    dry_run: bool,
) -> None:
    """Apply proposals."""
    if bool(ids) + decided + bool(pass_name or risk) != 1:
        raise UsageError("name proposals by ID, or give --decided, or --pass NAME --risk safe")
    if (choose or only) and len(ids) != 1:
        raise UsageError("--choose and --only go with one ID")
    with given.open() as store:
        inbox = read_inbox(store.root, store.layout.proposals) if dry_run else current(store)
        if decided:
            wanted: dict[str, Answer | None] = {one.id: None for one in inbox.pending if one.document.owned}
            for malformed in inbox.malformed:
                if malformed.state == "pending":
                    out.note(f"problem: {out.plain(f'{malformed.path}: {malformed.reason}', 400)}")
        elif ids:
            wanted = {pending(inbox, one).id: _answer(inbox, one, choose, only) for one in ids}
        else:
            wanted = _safe(inbox, pass_name, risk)
        if not wanted:
            out.note("Nothing to apply.")
            return
        decider = Decider(store, given.by, given.time())
        if dry_run:
            _dry(decider, inbox, wanted, edited=edited)
            return
        asking = ask_again(decider, edited=edited) if (ids or decided) and at_keyboard() else None
        finish(run_all(decider, wanted, edited=edited, asking=asking))


@click.command("reject")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option("--reason", default="", metavar="TEXT", help="Kept in the file.")
@click.option("--hide", is_flag=True, help="Never ask again, whatever changes.")
@shared
@pass_shared
def reject_command(given: Shared, ids: tuple[str, ...], reason: str, hide: bool) -> None:
    """Reject proposals; each stays away until the memories really change."""
    answer = Answer("hide" if hide else "reject")
    with given.open() as store:
        decider = Decider(store, given.by, given.time())
        results: list[Done | GardenerError] = []
        for one in ids:
            try:
                results.append(decider.answer(one, answer, reason=reason))
            except GardenerError as error:
                results.append(error)
        finish(results)


@click.command("snooze")
@click.argument("wanted", metavar="ID")
@click.option("--for", "span", required=True, metavar="14d", help="How long, in days.")
@shared
@pass_shared
def snooze_command(given: Shared, wanted: str, span: str) -> None:
    """Ask again later."""
    found = re.fullmatch(r"(\d{1,4})d?", span)
    if not found:
        raise UsageError(f"--for {span}: write 1 to 3650 days, as 14d")
    with given.open() as store:
        finish([Decider(store, given.by, given.time()).answer(wanted, Answer("snooze", days=int(found.group(1))))])


@click.command("undo")
@click.argument("wanted", metavar="ID")
@shared
@pass_shared
def undo_command(given: Shared, wanted: str) -> None:
    """Take back a decision, to the byte."""
    with given.open() as store:
        finish([undo.undo(Decider(store, given.by, given.time()), wanted)])


@click.command("supersede")
@click.argument("old")
@click.argument("new")
@shared
@pass_shared
def supersede_command(given: Shared, old: str, new: str) -> None:
    """Retire OLD in favour of NEW."""
    with given.open() as store:
        finish([by_hand.supersede(Decider(store, given.by, given.time()), old, new)])


@click.command("qualify")
@click.argument("old")
@click.argument("new")
@shared
@pass_shared
def qualify_command(given: Shared, old: str, new: str) -> None:
    """Note in OLD that NEW narrows it; both stay."""
    with given.open() as store:
        finish([by_hand.qualify(Decider(store, given.by, given.time()), old, new)])


@click.command("archive")
@click.argument("memory")
@click.option("--reason", required=True, metavar="TEXT", help="Why it goes.")
@shared
@pass_shared
def archive_command(given: Shared, memory: str, reason: str) -> None:
    """Retire a memory without a successor."""
    with given.open() as store:
        finish([by_hand.archive(Decider(store, given.by, given.time()), memory, reason)])


@click.command("restore")
@click.argument("memory")
@shared
@pass_shared
def restore_command(given: Shared, memory: str) -> None:
    """Make a retired memory active again."""
    with given.open() as store:
        finish([undo.restore(Decider(store, given.by, given.time()), memory)])


_SAID = {
    "apply": "applied",
    "reject": "rejected",
    "keep": "kept as it is",
    "hide": "hidden",
    "snooze": "snoozed",
    "undone": "undone",
}


def finish(results: list[Done | GardenerError]) -> None:
    """Print what was done and what was not; the exit code says which of the two it was."""
    done = [one for one in results if isinstance(one, Done)]
    errors = [one for one in results if isinstance(one, GardenerError)]
    if done:
        some = f"{len(done)} of {len(results)} were carried out; gardener log shows which"
        out.carried(some if errors else "what was asked for was done")
    for one in done:
        out.say(f"{_SAID[one.did]} {one.id}: {out.plain(one.summary)}")
        for path in one.paths:
            out.say(f"  {out.plain(path)}")
        for notice in one.notices:
            out.say(f"  {out.plain(notice)}")
        if one.final:
            out.note("  this cannot be undone; change the credential where it is used")
        elif one.did not in {"undone", "snooze"}:
            out.note(f"  take back with: gardener undo {one.id}")
    _fail(errors, done=len(done))


def _fail(errors: list[GardenerError], *, done: int) -> None:
    """Tell what was not done. The code is that of the errors where they have one and nothing was done."""
    if len(errors) == 1 and not done:
        raise errors[0]
    for error in errors:
        out.note(f"gardener: {out.visible(str(error))}")
    if errors:
        only_one = not done and all(error.exit_code == errors[0].exit_code for error in errors)
        raise click.exceptions.Exit(errors[0].exit_code if only_one else PartialError.exit_code)


def _answer(inbox: Inbox, wanted: str, choose: str | None, only: tuple[str, ...]) -> Answer:
    if choose:
        return Answer("choose", choice=choose.lower())
    if not only:
        return Answer("accept")
    proposal = pending(inbox, wanted).document.proposal
    runs = members(proposal)
    letters = []
    for name in only:
        found = [
            letter
            for letter, run in runs.items()
            if name.upper() == letter or run[0].path == name or run[0].path.endswith(f"/{name}")
        ]
        if len(found) != 1:
            raise UsageError(f"--only {name}: not one member of this group; they are {', '.join(runs)}")
        letters += found
    return Answer("accept", tuple(letters))


def _safe(inbox: Inbox, pass_name: str | None, risk: str | None) -> dict[str, Answer | None]:
    if not pass_name or risk != "safe":
        raise UsageError("a batch takes both: --pass NAME --risk safe")
    known_passes([pass_name], inbox)
    return {
        one.id: Answer("accept")
        for one in inbox.pending
        if one.document.proposal.pass_name == pass_name
        and one.document.proposal.risk == "safe"
        and not one.document.proposal.choices
        and not one.document.owned
    }


def _dry(decider: Decider, inbox: Inbox, wanted: dict[str, Answer | None], *, edited: bool) -> None:
    """Say what would be done, to which files; the exit code is that of doing it."""
    errors: list[GardenerError] = []
    for identity, answer in wanted.items():
        filed = inbox.by_id[identity]
        try:
            said, paths = _would(decider, filed, answer, edited=edited)
        except GardenerError as error:
            errors.append(error)
            continue
        which = said.choice or (",".join(said.members) if len(members(filed.document.proposal)) > 1 else "")
        what = " ".join(part for part in (said.word, which) if part)
        out.say(f"would {what} {identity}: {out.plain(filed.document.proposal.summary)}")
        for path in paths:
            out.say(f"  {out.plain(path)}")
    _fail(errors, done=len(wanted) - len(errors))


def _would(decider: Decider, filed: Filed, given: Answer | None, *, edited: bool) -> tuple[Answer, tuple[str, ...]]:
    """The answer, and the memories and indexes it would change now."""
    said = check(filed.document.proposal, given or answer_in(filed))
    if isinstance(said, Refusal):
        raise UsageError(f"{filed.id}: {said.reason}")
    if said.word in {"hide", "snooze"}:
        return said, ()
    targets, others = moved_on(filed.document.proposal, look(decider.store))
    if targets or others:
        raise StaleError(f"{filed.id}: {', '.join(sorted(targets | others))} changed since it was proposed")
    if said.word == "reject":
        return said, ()
    if filed.document.edited and not edited:
        raise UsageError(f"{filed.id}: its plan was edited by hand; look at it with show, then apply with --edited")
    ahead = outlook(decider.store, filed, said, decider.now)
    if ahead.trouble:
        raise StaleError(ahead.trouble)
    return said, tuple(change.path for change in ahead.changes)
