"""The patch a pending proposal stands for, as it would be applied now. It writes nothing."""

from __future__ import annotations

from datetime import datetime

from gardener.config.store import Store
from gardener.errors import StaleError, UsageError
from gardener.model.operation import FileChange
from gardener.proposals.answers import choice_of
from gardener.proposals.inbox import Filed
from gardener.review.filing import gives_away
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
