"""The store while somebody decides: held, with no interrupted apply left in it, and its proposals read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gardener.config.store import Store
from gardener.errors import BusyError, PartialError, UsageError
from gardener.proposals.identity import resolve
from gardener.proposals.inbox import Filed, Inbox, read_inbox
from gardener.storage.commit import Outcome, recover
from gardener.storage.gitdir import git_busy
from gardener.storage.lock import hold


@contextmanager
def locked(store: Store) -> Iterator[Inbox]:
    """Hold the store with no interrupted apply left in it, and read its proposals."""
    with hold(store.root):
        busy = git_busy(store.root)
        if busy:
            raise BusyError(f"git is in the middle of something here ({busy}); finish it, then run this again")
        recovered(recover(store.root, store.layout.proposals))
        yield read_inbox(store.root, store.layout.proposals)


def current(store: Store) -> Inbox:
    """The proposals as they are once an interrupted apply is ended."""
    with locked(store) as inbox:
        return inbox


def recovered(outcome: Outcome) -> None:
    """Stop with what a person has to look at after an interrupted apply was ended."""
    if outcome.stuck or outcome.kept:
        said = "; ".join(str(kept) for kept in outcome.kept) or ", ".join(outcome.stuck)
        raise PartialError(f"an earlier apply was put right, and something else had been written meanwhile: {said}")


def pending(inbox: Inbox, wanted: str) -> Filed:
    """The pending proposal a person names. UsageError where there is none, saying what became of it."""
    malformed = {one.path.rsplit("/", 1)[-1]: one for one in inbox.malformed}
    if wanted.rsplit("/", 1)[-1] in malformed:
        one = malformed[wanted.rsplit("/", 1)[-1]]
        raise UsageError(f"{one.path}: {one.reason}")
    identity = resolve(wanted, inbox.by_id, UsageError)
    filed = inbox.by_id[identity]
    if filed.state != "pending":
        undone = filed.document.proposal.decided[-1].did == "undone" if filed.document.proposal.decided else False
        how = "undone; gardener list shows what it goes on as" if undone else f"decided already ({filed.state})"
        raise UsageError(f"{identity} was {how}; gardener log {identity} shows how")
    return filed
