"""What an apply means for the other pending proposals that speak of the same memories. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from gardener.formats import read_memory
from gardener.formats.base import Format, Source
from gardener.model.edit import Redact, Replace
from gardener.model.memory import Memory
from gardener.model.operation import FileChange
from gardener.model.proposal import Base, Proposal
from gardener.proposals.document import Document, recoded, write
from gardener.proposals.inbox import Filed
from gardener.text.lifecycle import OWN_LINE


def settle(
    pending: Iterable[Filed], changes: Iterable[FileChange], before: Mapping[str, Memory], formats: Mapping[str, Format]
) -> Iterator[FileChange]:
    """Re-base, withdraw or empty the proposals that rest on changed files.

    Where what they show is unchanged they go on with new hashes and codes; where a memory they ask about is retired
    they go; where a person had answered about other text, the answer is emptied and named in `earlier`.
    """
    after = {
        change.path: reread(before[change.path], change.after, formats) for change in changes if change.path in before
    }
    for filed in pending:
        concerned = [base for base in filed.document.proposal.base if not base.index and base.path in after]
        if concerned:
            yield from _one(filed, concerned, before, after)


def _one(
    filed: Filed, concerned: list[Base], before: Mapping[str, Memory], after: Mapping[str, Memory | None]
) -> Iterator[FileChange]:
    was_current = all(before[base.path].sha256 == base.sha256 for base in concerned)
    fresh = [after[base.path] for base in concerned]
    gone = any(memory is None or not memory.active for memory in fresh)
    same = was_current and all(m is not None and _shown(m) == _shown(before[m.path]) for m in fresh)
    document = filed.document
    if document.code != document.plan or any(code != document.code for _, _, code in document.boxes):
        return  # edited by hand, or carrying another's mark: nothing may make such a mark valid
    same = same and not _counts_lines(document.proposal, after)
    if same and not gone:
        hashes = {m.path: m.sha256 for m in fresh if m is not None}
        base = tuple(
            replace(one, sha256=hashes.get(one.path, one.sha256)) if not one.index else one
            for one in document.proposal.base
        )
        yield FileChange(filed.path, filed.data, _bytes(recoded(document, base)))
    elif document.owned:
        yield FileChange(filed.path, filed.data, _bytes(emptied(document)))
    elif gone or not same:
        yield FileChange(filed.path, filed.data, None)


def _counts_lines(proposal: Proposal, changed: Mapping[str, Memory | None]) -> bool:
    """Whether an edit goes by line numbers in a file that changed: they may stand for other lines now."""
    edits = (*proposal.edits, *(edit for choice in proposal.choices for edit in choice.edits))
    return any(isinstance(edit, Replace | Redact) and edit.path in changed for edit in edits)


def emptied(document: Document) -> Document:
    """The proposal with every mark empty and one line that says what had been answered."""
    one = document.proposal
    said = one.decision if one.decision != "pending" else "a ticked box"
    body = re.sub(r"^- \[[xX]\]", "- [ ]", document.body, flags=re.MULTILINE)
    blank = replace(one, decision="pending", ticks=(), earlier=f"{said} {document.code}, text changed")
    boxes = tuple((False, label, code) for _, label, code in document.boxes)
    return replace(document, proposal=blank, body=body, boxes=boxes)


def _shown(memory: Memory) -> tuple[str, str, str, bool]:
    """What a proposal can have shown of a memory: its name, description and text without our own lines."""
    return memory.name, memory.description, OWN_LINE.sub("", memory.body).rstrip(), memory.active


def reread(memory: Memory, data: bytes | None, formats: Mapping[str, Format]) -> Memory | None:
    """The memory as it is after a change, None where it is gone from its place."""
    if data is None:
        return None
    return read_memory(Source(memory.path, memory.root, data), formats[memory.root])[0]


def _bytes(document: Document) -> bytes:
    return write(document).encode("utf-8", "surrogateescape")
