"""What was decided in one sitting: how the last of it is taken back, and the account at the end."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gardener.config.store import Store
from gardener.errors import StaleError
from gardener.model.operation import FileChange
from gardener.proposals.inbox import Filed, Inbox
from gardener.review.decide import Decider
from gardener.review.filing import Done, carry
from gardener.review.locked import locked
from gardener.review.undo import undo
from gardener.storage.gitdir import git_dir

_LABELS = {"apply": "Applied", "keep": "Kept", "reject": "Rejected", "hide": "Hidden", "snooze": "Snoozed"}


@dataclass(frozen=True, slots=True)
class Step:
    """One decision: the proposal as it was shown, what was done, and for a snooze its file before and after."""

    filed: Filed
    done: Done
    file: tuple[bytes, bytes] | None = None

    @property
    def undoable(self) -> bool:
        """Whether `gardener undo` takes it back. A snooze is no decision to it, and a redaction keeps no old text."""
        return self.done.did != "snooze" and not self.done.final


def take_back(decider: Decider, step: Step) -> None:
    """The store as it was before the step. GardenerError where that cannot be, and nothing is changed."""
    if step.file is None:
        undo(decider, step.done.id)
        return
    before, after = step.file
    with locked(decider.store) as inbox:
        there = inbox.by_id.get(step.done.id)
        if there is None or there.path != step.done.filed or there.data != after:
            raise StaleError(f"{step.done.filed} changed since it was snoozed; it is left as it is")
        carry(decider.store, f"wake {step.done.id}", (FileChange(there.path, after, before),))


def reopened(inbox: Inbox, step: Step) -> Filed | None:
    """The open proposal that goes on with the one that was taken back: the same question about the same memories."""
    was = step.filed.document.proposal
    key = (was.pass_name, was.question, was.subjects)
    about = ((one, one.document.proposal) for one in inbox.pending)
    return next((one for one, now in about if (now.pass_name, now.question, now.subjects) == key), None)


def account(store: Store, steps: Sequence[Step], skipped: int, refused: Sequence[str], left: int) -> Iterator[str]:
    """What was done, what was not and why, how to take it back, and the line for git where there is a repository."""
    for did, label in _LABELS.items():
        ids = [step.done.id for step in steps if step.done.did == did]
        if ids:
            yield f"{label} {len(ids)}: {', '.join(ids)}"
    if skipped:
        yield f"Skipped {skipped}"
    for line in refused:
        yield f"Refused {line}"
    if not steps:
        yield f"Nothing was decided; {left} still open." if left else "Nothing is left to decide."
        return
    last = next((step.done.id for step in reversed(steps) if step.undoable), None)
    if last is not None:
        yield f"Take one back with: gardener undo {last}"
    if git_dir(store.root) is not None:
        paths = sorted({path for step in steps for path in step.done.paths})
        files = " ".join(map(shlex.quote, [*paths, store.layout.proposals]))
        yield f"git add -A {files} && git commit -m 'Review {len(steps)} memory proposals'"
