"""Writing down what was answered, pinned to both contents."""

from __future__ import annotations

from collections.abc import Iterable

from gardener.config.store import Store
from gardener.errors import UsageError
from gardener.model.memory import Memory
from gardener.model.snapshot import Answer
from gardener.proposals.judged import FILE, WORDS, answers_text, read_answers
from gardener.storage import atomic
from gardener.storage.lock import hold


def answer_for(a: Memory, b: Memory, word: str, by: str, why: str = "") -> Answer:
    """One answer. UsageError where the word is none of the six or the two are one."""
    if word not in WORDS:
        raise UsageError(f"{word}: not an answer; use {', '.join(WORDS)}")
    if a.path == b.path:
        raise UsageError(f"{a.path}: a pair takes two memories")
    return Answer(a.path, b.path, a.sha256, b.sha256, word, by, " ".join(why.split())[:300])


def record(store: Store, answers: Iterable[Answer]) -> None:
    """Add answers to the file. One by the same reader about the same contents takes the place of an earlier one."""
    folder = store.layout.proposals
    with hold(store.root):
        known = {_about(one): one for one in read_answers(store.root, folder)}
        known |= {_about(one): one for one in answers}
        atomic.write(store.root, f"{folder}/{FILE}", answers_text(known.values()).encode("utf-8", "surrogateescape"))


def _about(one: Answer) -> tuple[str, ...]:
    return (*sorted((f"{one.a} {one.a_sha256}", f"{one.b} {one.b_sha256}")), one.by)
