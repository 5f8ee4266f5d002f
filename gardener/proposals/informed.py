"""A snapshot together with what people and judges said before. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gardener.model.edit import Supersede
from gardener.model.snapshot import Answer, Snapshot
from gardener.proposals.document import Document
from gardener.proposals.inbox import Inbox
from gardener.proposals.settled import settled


def informed(
    snapshot: Snapshot, inbox: Inbox, answers: tuple[Answer, ...] = (), lost: Iterable[Document] = ()
) -> Snapshot:
    """With refusals that hold (`lost` are those whose files were deleted), merges, answers and open pairs."""
    documents = [filed.document for filed in inbox.decided]
    edits = [edit for filed in inbox.pending for edit in filed.document.proposal.edits]
    return replace(
        snapshot,
        settled=settled([*documents, *lost], snapshot.memories).pairs,
        merged=merges(documents),
        answers=answers,
        open_pairs=frozenset((edit.by, edit.path) for edit in edits if isinstance(edit, Supersede)),
    )


def merges(decided: Iterable[Document]) -> dict[str, str]:
    """For each memory that was kept in a merge, the sha256 it had right after it."""
    found: dict[str, str] = {}
    for document in decided:
        proposal = document.proposal
        if not proposal.decided or proposal.decided[-1].did != "apply":
            continue
        base = {one.path: one.sha256 for one in proposal.base if not one.index}
        after = {change.path: change.after for change in document.changes}
        for edit in proposal.edits:
            if isinstance(edit, Supersede) and edit.path in after:
                found[edit.by] = after.get(edit.by, base.get(edit.by, ""))
    return found
