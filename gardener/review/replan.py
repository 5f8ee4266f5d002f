"""A person's own changes to a plan: keep another memory, or fold in what only the retired ones say."""

from __future__ import annotations

from gardener.config.store import Store
from gardener.errors import UsageError
from gardener.model.edit import Append, Edit, Supersede
from gardener.proposals.answers import members
from gardener.proposals.identity import letter
from gardener.proposals.inbox import Filed
from gardener.review.plan import look
from gardener.text.similarity.align import Text
from gardener.text.similarity.keeping import loss


def swapped(store: Store, filed: Filed, wanted: str) -> tuple[Edit, ...]:
    """The same group with the memory of that letter kept. UsageError where that cannot be."""
    proposal = filed.document.proposal
    if not proposal.edits or not all(isinstance(edit, Supersede) for edit in proposal.edits):
        raise UsageError("only a group of duplicates has one to swap")
    by_letter = {letter(i): path for i, path in enumerate(proposal.subjects)}
    if wanted not in by_letter:
        raise UsageError(f"there is no {wanted or 'such letter'} here; the letters are {', '.join(by_letter)}")
    memories = look(store).memories
    kept = by_letter[wanted]
    others = [path for path in proposal.subjects if path != kept]
    pinned = [path for path in others if path in memories and memories[path].kind == "constraint"]
    if pinned and memories[kept].kind != "constraint":
        raise UsageError(f"{pinned[0]} is a constraint and is not retired in favour of another kind")
    return tuple(Supersede(path, kept) for path in others)


def folded(store: Store, filed: Filed) -> tuple[Edit, ...]:
    """The plan with an append to the kept memory behind each retired one that says more. UsageError where none does."""
    memories = look(store).memories
    found: list[Edit] = []
    for run in members(filed.document.proposal).values():
        found += run
        for edit in run:
            if isinstance(edit, Supersede) and edit.path in memories and edit.by in memories:
                kept, gone = memories[edit.by], memories[edit.path]
                lost = loss(Text(kept.description, kept.body), Text(gone.description, gone.body), gone.path)
                if lost.sentences:
                    found.append(Append(edit.by, "\n".join(lost.sentences)))
    if not any(isinstance(edit, Supersede) for edit in found):
        raise UsageError("only a group of duplicates has one to fold into")
    if not any(isinstance(edit, Append) for edit in found):
        raise UsageError("the kept memory says all of it already; there is nothing to fold in")
    return tuple(found)
