"""Changing memories: all of an operation or nothing of it, at any crash, beside any other writer. Only `review` may.

The order is the whole point. Verify; write the record; rename it (the commit point); have every new file ready;
exchange each and look at what came out; flush; call it done; clear up. When something else came out, or the system
refuses, the record is durably marked first and then every file that still holds ours is exchanged back.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from gardener.errors import BusyError, PartialError, StaleError
from gardener.model.operation import Operation
from gardener.storage import beneath
from gardener.storage import journal as records
from gardener.storage.beneath import Root
from gardener.storage.commit import conflicts, displaced, record, returned
from gardener.storage.commit.conflicts import Kept
from gardener.storage.commit.putback import put_back
from gardener.storage.commit.target import MovedOnError, Target
from gardener.storage.durable import flush_folder
from gardener.storage.journal import ABORT, DONE, INTENT, PREPARED, Journal

__all__ = ["Kept", "Outcome", "commit", "recover"]

Ended: TypeAlias = Literal["nothing", "finished", "put back"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an operation ended. `stuck` are files that hold neither side's bytes, though ours had been there."""

    ended: Ended
    name: str = ""
    reason: str = ""
    kept: tuple[Kept, ...] = ()
    stuck: tuple[str, ...] = ()
    cause: OSError | None = field(default=None, compare=False)


def commit(root: Root, operation: Operation, proposals: str = "proposals") -> Outcome:
    """Carry out `operation`; the caller holds the lock and has called `recover`.

    StaleError: a file moved on, nothing was changed. PartialError: the same, but the named files could not be put
    back, or the operation is left for `recover` to end. OSError: the system refused, everything was put back.
    """
    if records.states(root):
        raise BusyError("an earlier apply is unfinished; run `gardener doctor --recover`")
    changes = tuple(change for change in operation.changes if change.before != change.after)
    journal = Journal(secrets.token_hex(6), operation.name, operation.wipe, f"{proposals}/conflicts", changes)
    records.check(journal)
    moved = [target.path for target in _targets(root, journal) if target.holds() != "before"]
    if moved:
        raise StaleError(f"{', '.join(moved)}: written since this was decided on; nothing was changed")
    if not changes:
        return Outcome("finished", operation.name)
    record.prepare(root, journal)
    try:
        record.enter(root, INTENT)
    except OSError as error:
        if not record.committed(root):
            with suppress(OSError):
                record.forget(root, PREPARED)
            raise
        return _finished(_put_back(root, journal, _told(error), error))
    return _finished(_carry_out(root, journal, first=True))


def recover(root: Root, proposals: str = "proposals", *, copied: bool = False) -> Outcome:
    """End what a crash left, then look at the displaced files again; the caller holds the lock.

    Rolls forward while every target holds its old or new bytes, else puts back. PartialError for a record that cannot
    be read, or that was not written in this place unless `copied` says so. `kept` also names files to which a program
    had still been writing after an operation ended.
    """
    outcome = Outcome("nothing")
    kept: tuple[Kept, ...] = ()
    for state in records.states(root):
        journal = records.load(root, state, copied=copied)
        if state == INTENT:
            outcome = _carry_out(root, journal)
        elif state == ABORT:
            outcome = _put_back(root, journal, "it was interrupted")
        else:
            outcome = Outcome("finished", journal.name, kept=_clear(root, journal, DONE))
        kept += outcome.kept
    record.forget(root, PREPARED)
    kept += displaced.settle(root, f"{proposals}/conflicts") + returned.compare(root, f"{proposals}/conflicts")
    return replace(outcome, kept=kept)


def _carry_out(root: Root, journal: Journal, *, first: bool = False) -> Outcome:
    try:
        _put_all(root, journal, first)
        record.enter(root, DONE)
    except MovedOnError as moved:
        return _put_back(root, journal, str(moved))
    except OSError as error:
        return _put_back(root, journal, _told(error), error)
    try:
        return Outcome("finished", journal.name, kept=_clear(root, journal, DONE))
    except OSError as error:
        if not journal.wipe:  # done and durable; the next deciding command clears up
            return Outcome("finished", journal.name)
        told = f"{journal.name}: done, but old bytes are left ({_told(error)}); run `gardener doctor --recover`"
        raise PartialError(told) from error


def _put_all(root: Root, journal: Journal, first: bool) -> None:
    targets = _targets(root, journal)
    for target in targets:
        target.prepare(first=first)
    if moved := [target.path for target in targets if target.holds() == "other"]:
        raise MovedOnError(", ".join(moved))
    for target in targets:
        target.wait()
    for target in targets:
        target.put()
        target.check_out(strict=journal.wipe)
    _flush(root, journal)
    for target in targets:  # once more, for programs that had the file open when it was exchanged
        target.check_out(strict=journal.wipe)


def _put_back(root: Root, journal: Journal, reason: str, cause: OSError | None = None) -> Outcome:
    try:
        with suppress(FileNotFoundError):  # somebody deleted it: then by what is in memory
            record.enter(root, ABORT)
        stuck = tuple(target.path for target in reversed(_targets(root, journal)) if not put_back(target))
        _flush(root, journal)  # else what came out might be cleared away and yet still be in place after a power cut
        kept = _clear(root, journal, ABORT, stuck)
    except OSError as error:
        told = f"{journal.name}: {reason}, and it is not put back yet ({_told(error)}); run `gardener doctor --recover`"
        raise PartialError(told) from error
    return Outcome("put back", journal.name, reason, kept, stuck, cause)


def _clear(root: Root, journal: Journal, state: str, stuck: tuple[str, ...] = ()) -> tuple[Kept, ...]:
    """Move everything of ours out of the tree, then end the record. Only what is done is wiped.

    The old bytes of a stuck target go where a person looks for them, unless they hold a secret.
    """
    wipe = journal.wipe and state == DONE
    paths = tuple(change.path for change in journal.changes)
    kept: tuple[Kept, ...] = ()
    if state == DONE:
        known = {change.path: change.before for change in journal.changes if change.before is not None}
        kept = returned.compare(root, journal.conflicts, known)
    if wipe:
        displaced.bury_earlier(root, paths)
    for target in _targets(root, journal):
        target.clear(journal.conflicts, wipe=wipe, stuck=target.path in stuck and not journal.wipe)
    kept += conflicts.of_operation(root, journal.conflicts, journal.nonce, paths)
    _flush(root, journal)
    record.forget(root, state)
    return kept


def _finished(outcome: Outcome) -> Outcome:
    """The outcome, if the operation is done; else the error that says why not and where everything is."""
    if outcome.ended == "finished":
        return outcome
    kept = "".join(f"; {kept}" for kept in outcome.kept)
    if outcome.stuck:
        raise PartialError(f"{outcome.reason}; could not be put back: {', '.join(outcome.stuck)}{kept}")
    if outcome.cause and not kept:
        raise outcome.cause
    raise StaleError(f"{outcome.reason}; nothing was changed{kept}")


def _targets(root: Root, journal: Journal) -> tuple[Target, ...]:
    return tuple(Target(root, change, f"{journal.nonce}-{index}") for index, change in enumerate(journal.changes))


def _flush(root: Root, journal: Journal) -> None:
    """Make the names in every folder concerned durable, each once."""
    for path in dict.fromkeys(change.path.rpartition("/")[0] for change in journal.changes):
        with suppress(*beneath.GONE), beneath.folder(root, path) as fd:
            flush_folder(fd)


def _told(error: OSError) -> str:
    return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)
