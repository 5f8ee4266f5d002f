"""Writing down what was answered, pinned to both contents."""

from __future__ import annotations

from collections.abc import Iterable

from gardener.config.store import Store
from gardener.errors import StaleError, UsageError
from gardener.model.memory import Memory
from gardener.model.snapshot import Answer
from gardener.proposals.judged import FILE, WORDS, answers_text, read_answers
from gardener.storage import atomic
from gardener.storage.load import read_bytes
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


def record_shown(store: Store, a: Memory, b: Memory, word: str, by: str) -> None:
    """The same for what a person was shown. StaleError where one of the two is not so any more."""
    for memory in (a, b):
        try:
            now = read_bytes(store.root, memory.path)
        except OSError:
            now = b""
        if now != memory.data:
            raise StaleError(f"{memory.path} changed since it was shown; start the review anew")
    record(store, [answer_for(a, b, word, by)])


def _about(one: Answer) -> tuple[str, ...]:
    return (*sorted((f"{one.a} {one.a_sha256}", f"{one.b} {one.b_sha256}")), one.by)
