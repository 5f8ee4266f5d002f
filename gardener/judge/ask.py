"""The pairs a reader should see, best first, with their texts as data."""

from __future__ import annotations

from dataclasses import dataclass

from gardener.config.store import Store
from gardener.model.memory import Memory
from gardener.model.snapshot import Snapshot
from gardener.proposals.inbox import read_inbox
from gardener.proposals.informed import informed
from gardener.proposals.judged import WORDS, pair_key, read_answers
from gardener.storage.load import load
from gardener.text.quote import json_text
from gardener.text.secrets import Masker, masker
from gardener.text.similarity.pairs import compare

BAR = 0.9


@dataclass(frozen=True, slots=True)
class Question:
    """Two memories that look alike and whose texts prove nothing."""

    a: Memory
    b: Memory

    @property
    def pair(self) -> str:
        return pair_key(self.a.path, self.b.path)

    @property
    def masked(self) -> Masker:
        """Without the credentials of either: a value that one of them names is bare in the other, too."""
        return masker(self.a.data, self.b.data)

    def as_json(self) -> str:
        """One line for an agent. Credentials are masked; the texts are data, whatever they say."""
        masked = self.masked
        raw = {"pair": self.pair, "a": _told(self.a, masked), "b": _told(self.b, masked), "answers": list(WORDS)}
        return json_text(raw)


def questions(store: Store, limit: int | None = None) -> list[Question]:
    """Undecided pairs below the bar, those that stand out most first. None is asked twice at the same contents."""
    snapshot = snapshot_of(store)
    bar = store.settings.passes.get("dedup", {}).get("bar", BAR)
    found = compare(snapshot).undecided(bar)
    left = [pair for pair in found if (pair.a, pair.b) not in snapshot.settled]
    by_path = snapshot.by_path
    return [Question(by_path[pair.a], by_path[pair.b]) for pair in left[:limit]]


def snapshot_of(store: Store) -> Snapshot:
    """The store with all that was said before."""
    folder = store.layout.proposals
    snapshot = load(store.root, store.layout).snapshot
    return informed(snapshot, read_inbox(store.root, folder), read_answers(store.root, folder))


def _told(memory: Memory, masked: Masker) -> dict[str, str]:
    text = f"{memory.description}\n\n{memory.body.strip()}" if memory.description else memory.body.strip()
    return {"name": memory.label, "path": memory.path, "text": masked(text).encode("utf-8", "replace").decode()}
