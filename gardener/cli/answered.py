"""What persons wrote into pending proposal files: the answers that wait to be carried out, and what cannot be read."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from gardener.cli import out
from gardener.proposals.answers import Refusal, read_answer
from gardener.proposals.inbox import FOLDERS, PENDING, Filed, Inbox


def troubles(inbox: Inbox, folders: Collection[str] = FOLDERS) -> list[str]:
    """Where and why: the files of these folders that cannot be read, then the answers in pending ones that cannot."""
    unread = [f"{one.path}: {one.reason}" for one in inbox.malformed if one.state in folders]
    said = ((filed, read_answer(filed.document)) for filed in inbox.pending)
    return unread + [f"{filed.path}: {answer.reason}" for filed, answer in said if isinstance(answer, Refusal)]


def answers_waiting(files: Iterable[Filed]) -> str:
    """How many answers wait in these files and what to do about them, "" where none does."""
    said = [read_answer(filed.document) for filed in files if filed.state == PENDING]
    waits = sum(answer is not None and not isinstance(answer, Refusal) for answer in said)
    if not waits:
        return ""
    counted, them = out.count(waits, "answer waits", "answers wait"), "it" if waits == 1 else "them"
    return f"{counted} to be applied; gardener apply --decided carries {them} out."
