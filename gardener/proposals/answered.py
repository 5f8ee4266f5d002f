"""What persons wrote into proposal files: the answers that wait to be carried out, and what cannot be read."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from gardener.proposals.answers import Refusal, read_answer
from gardener.proposals.inbox import FOLDERS, PENDING, Filed, Inbox


def waiting(files: Iterable[Filed]) -> tuple[Filed, ...]:
    """Those that are pending and hold an answer that can be read."""
    said = ((filed, read_answer(filed.document)) for filed in files if filed.state == PENDING)
    return tuple(filed for filed, answer in said if answer is not None and not isinstance(answer, Refusal))


def refused(inbox: Inbox) -> dict[str, str]:
    """Id → where and why, for the answers in pending files that cannot be read."""
    said = ((filed, read_answer(filed.document)) for filed in inbox.pending)
    return {filed.id: f"{filed.path}: {answer.reason}" for filed, answer in said if isinstance(answer, Refusal)}


def troubles(inbox: Inbox, folders: Collection[str] = FOLDERS) -> list[str]:
    """Where and why: the files of these folders that cannot be read, then the answers in pending ones that cannot."""
    unread = [f"{one.path}: {one.reason}" for one in inbox.malformed if one.state in folders]
    return [*unread, *refused(inbox).values()]
