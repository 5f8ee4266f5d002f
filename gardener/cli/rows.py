"""Proposals and problems as rows and as JSON; fields are added, never renamed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from gardener.cli import out
from gardener.model.edit import Supersede
from gardener.model.memory import Problem
from gardener.model.proposal import State
from gardener.proposals.answered import waiting
from gardener.proposals.grammar import write_edit
from gardener.proposals.inbox import Filed
from gardener.text.frontmatter import moment


def state_of(filed: Filed, now: datetime) -> State:
    """pending, snoozed or decided in the pending folder; applied, rejected or hidden elsewhere."""
    one = filed.document.proposal
    if filed.state == "applied":
        return "applied"
    if filed.state == "rejected":
        return "hidden" if one.decided and one.decided[-1].did == "hide" else "rejected"
    if filed.document.owned:
        return "decided"
    until = moment(one.until)
    return "snoozed" if until is not None and until > now else "pending"


def undone(filed: Filed) -> bool:
    """Whether its decision was taken back, so that the file is history only."""
    decided = filed.document.proposal.decided
    return bool(decided) and decided[-1].did == "undone"


def answers_waiting(files: Iterable[Filed]) -> str:
    """How many answers wait in these files and what to do about them, "" where none does."""
    waits = len(waiting(files))
    if not waits:
        return ""
    counted, them = out.count(waits, "answer waits", "answers wait"), "it" if waits == 1 else "them"
    return f"{counted} to be applied; gardener apply --decided carries {them} out."


def proposal_json(filed: Filed, score: float | None, now: datetime) -> dict[str, Any]:
    """One element of `list --json`."""
    one = filed.document.proposal
    kept = {edit.by for edit in one.edits if isinstance(edit, Supersede)}
    return {
        "id": filed.id,
        "pass": one.pass_name,
        "state": state_of(filed, now),
        "undone": undone(filed),
        "risk": one.risk,
        "score": score,
        "summary": one.summary,
        "path": filed.path,
        "code": filed.document.code,
        "base": [
            {
                "path": base.path,
                "sha256": base.sha256,
                "name": base.path.rsplit("/", 1)[-1].removesuffix(".md"),
                "role": "index" if base.index else "kept" if base.path in kept else "target",
            }
            for base in one.base
        ],
        "edits": [write_edit(edit) for edit in one.edits],
        "choices": [
            {"letter": choice.letter, "says": choice.says, "edits": [write_edit(edit) for edit in choice.edits]}
            for choice in one.choices
        ],
        "until": one.until or None,
        "decided": [
            {"did": entry.did, "by": entry.by, "at": entry.at, "declined": [list(unit) for unit in entry.declined]}
            for entry in one.decided
        ],
    }


def problem_json(problem: Problem) -> dict[str, Any]:
    """One element of `problems`."""
    return {"path": problem.path, "line": problem.line, "kind": problem.kind, "reason": problem.reason}
