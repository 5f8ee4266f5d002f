"""The patch a pending proposal stands for, as it would be applied now. It writes nothing."""

from __future__ import annotations

from datetime import datetime

from gardener.config.store import Store
from gardener.errors import GardenerError, StaleError, UsageError
from gardener.model.edit import Edit
from gardener.model.operation import FileChange
from gardener.proposals.answers import Answer, choice_of, members
from gardener.proposals.inbox import Filed
from gardener.review.decide import gives_away
from gardener.review.patch import patch
from gardener.review.plan import changes_for, look, moved_on


def preview(store: Store, filed: Filed, now: datetime, choose: str | None = None) -> bytes:
    """A patch for `git apply`. UsageError where a choice has to be named, the proposal is decided, or the patch would
    show a credential.
    """
    changes = changes_of_filed(store, filed, now, choose)
    made = patch(changes)
    if any(gives_away(change, made.decode("utf-8", "surrogateescape")) for change in changes):
        raise UsageError(f"{filed.id}: the patch would show a credential; gardener apply {filed.id} does it without")
    return made


def preview_changes(store: Store, filed: Filed, answer: Answer, now: datetime) -> tuple[tuple[FileChange, ...], str]:
    """(what `answer` would change now, why it could not be carried out or "")."""
    proposal = filed.document.proposal
    edits: tuple[Edit, ...]
    try:
        if answer.word == "choose":
            edits = choice_of(proposal, answer.choice).edits if answer.choice else ()
        else:
            runs = members(proposal)
            edits = tuple(edit for name in answer.members for edit in runs.get(name, ()))
        return (changes_for(edits, proposal, look(store), now), "") if edits else ((), "")
    except GardenerError as error:
        return (), str(error)


def changes_of_filed(store: Store, filed: Filed, now: datetime, choose: str | None = None) -> tuple[FileChange, ...]:
    """The exact changes an accept (or the choice) would make now. StaleError where a memory moved on."""
    proposal = filed.document.proposal
    if filed.state != "pending":
        raise UsageError(f"{filed.id} is decided already; gardener log {filed.id} shows what it changed")
    now_there = look(store)
    targets, _ = moved_on(proposal, now_there)
    if targets:
        raise StaleError(f"{filed.id}: {min(targets)} changed since it was proposed; run gardener tend")
    letters = [choice.letter for choice in proposal.choices]
    if letters and choose not in letters:
        raise UsageError(f"{filed.id} is a choice; name one with --choose: {', '.join(letters)}")
    edits = choice_of(proposal, choose).edits if letters and choose else proposal.edits
    return changes_for(edits, proposal, now_there, now) if edits else ()
