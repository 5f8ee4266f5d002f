"""Whether what a proposal asks for is already on disk, done by somebody's own hand. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from gardener.model.edit import (
    Append,
    Archive,
    Edit,
    Move,
    Qualify,
    Redact,
    Replace,
    Restore,
    SetField,
    Supersede,
)
from gardener.model.memory import Memory
from gardener.model.proposal import Proposal
from gardener.text.keys import as_raw
from gardener.text.lifecycle import successor_value


def already_done(proposal: Proposal, memories: Mapping[str, Memory]) -> bool:
    """All edits of a proposal without choices hold, and at least one memory really moved on."""
    if not proposal.edits:
        return False
    moved = any(b.path not in memories or memories[b.path].sha256 != b.sha256 for b in proposal.base if not b.index)
    return moved and all(_holds(edit, memories) for edit in proposal.edits)


def _holds(edit: Edit, memories: Mapping[str, Memory]) -> bool:
    if isinstance(edit, Move):
        return edit.path not in memories and edit.to in memories
    memory = memories.get(edit.path)
    if memory is None:
        return False
    lines = memory.data.decode("utf-8", "surrogateescape").replace("\r\n", "\n").split("\n")
    match edit:
        case Supersede():
            new = memories.get(edit.by)
            return not memory.active and new is not None and memory.superseded_by == successor_value(memory, new)
        case Archive():
            return not memory.active and not memory.superseded_by
        case Restore():
            return memory.active
        case Qualify():
            new = memories.get(edit.by)
            return new is not None and any(line.startswith(f"> Qualified by {new.name} (") for line in lines)
        case SetField():
            return memory.fields.get(edit.key) == as_raw(edit.value)
        case Replace():
            wanted = (edit.new or "").split("\n")
            return edit.old not in lines and (edit.new is None or all(line in lines for line in wanted))
        case Append():
            return all(line in lines for line in edit.text.split("\n"))
        case Redact():
            return edit.line <= len(lines) and f"[redacted {edit.kind}]" in lines[edit.line - 1]
        case _:
            assert_never(edit)
