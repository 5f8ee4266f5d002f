"""What an answer would do to the store as it is now, be it other than what was proposed. It writes nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from gardener.config.store import Store
from gardener.errors import GardenerError
from gardener.model.edit import Append, Edit, Supersede
from gardener.model.finding import Loss
from gardener.model.memory import Memory
from gardener.model.operation import FileChange
from gardener.model.proposal import Base
from gardener.proposals.answers import Answer, choice_of, members
from gardener.proposals.document import recoded
from gardener.proposals.inbox import Filed
from gardener.review.plan import Now, base_now, changes_for, look, moved_on
from gardener.text.similarity.align import Text
from gardener.text.similarity.keeping import loss


@dataclass(frozen=True, slots=True)
class Outlook:
    """`changes` are the exact ones; `trouble` is why there can be none, or "". Where only memories that stay as they
    are (`kept`) changed since the proposal was written, `bases` are those of now; `losses` are what would go now.
    """

    changes: tuple[FileChange, ...] = ()
    trouble: str = ""
    kept: tuple[str, ...] = ()
    bases: tuple[Base, ...] | None = None
    losses: tuple[Loss, ...] = ()
    otherwise: bool = False
    """Whether it is other than what was proposed, so that what the file says would be lost is not what would be."""


NOTHING = Outlook()


def outlook(store: Store, filed: Filed, answer: Answer, at: datetime, *, replanned: bool = False) -> Outlook:
    """What `answer` would do at that time. `replanned` says that a person changed the plan while looking."""
    there = look(store)
    edits = edits_of(filed, answer)
    kept, bases = _kept_moved(filed, there)
    losses = tuple(_losses(edits, there.memories)) if kept or replanned else ()
    try:
        proposal = filed.document.proposal if bases is None else replace(filed.document.proposal, base=bases)
        changes = changes_for(edits, proposal, there, at) if edits else ()
    except GardenerError as error:
        return Outlook(trouble=str(error))
    return Outlook(changes, "", kept, bases, losses, bool(kept) or replanned)


def edits_of(filed: Filed, answer: Answer) -> tuple[Edit, ...]:
    """The edits an answer stands for; none for a choice not made yet."""
    proposal = filed.document.proposal
    if answer.word == "choose":
        return choice_of(proposal, answer.choice).edits if answer.choice else ()
    runs = members(proposal)
    return tuple(edit for name in answer.members for edit in runs.get(name, ()))


def rebased(filed: Filed, bases: tuple[Base, ...]) -> Filed:
    """The same proposal against other bytes: those a person was shown. One whose code is not its own stays as it is."""
    fits = filed.document.code == filed.document.plan or filed.document.edited
    return replace(filed, document=recoded(filed.document, bases)) if fits else filed


def _kept_moved(filed: Filed, there: Now) -> tuple[tuple[str, ...], tuple[Base, ...] | None]:
    targets, others = moved_on(filed.document.proposal, there)
    bases = base_now(filed.document.proposal, there) if others and not targets else None
    return (tuple(sorted(others)), bases) if bases is not None else ((), None)


def _losses(edits: tuple[Edit, ...], memories: dict[str, Memory]) -> list[Loss]:
    """What only the retired memories say, text that is folded into the kept one not counted."""
    folded: dict[str, list[str]] = {}
    for edit in edits:
        if isinstance(edit, Append):
            folded.setdefault(edit.path, []).append(edit.text)
    found = []
    for edit in edits:
        if isinstance(edit, Supersede) and {edit.path, edit.by} <= memories.keys():
            kept, gone = memories[edit.by], memories[edit.path]
            whole = "\n\n".join([kept.body, *folded.get(kept.path, ())])
            found.append(loss(Text(kept.description, whole), Text(gone.description, gone.body), gone.path))
    return [one for one in found if one.sentences]
