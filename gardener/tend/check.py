"""A hint while a memory is being written: what it resembles, and its faults. From the term index that tend keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from gardener.config.store import Store
from gardener.formats import decode, read_memory, vote
from gardener.formats.base import Source
from gardener.model.finding import Finding
from gardener.model.memory import Memory, Problem
from gardener.model.snapshot import Snapshot
from gardener.passes import discover
from gardener.storage.cache import Cache, open_cache
from gardener.storage.discover import memory_roots
from gardener.storage.load import read_bytes
from gardener.tend.configure import configured
from gardener.text.frontmatter import read as read_front
from gardener.text.similarity.terms import NEW_CLAIM, Hint, Vector, hints, nearest_to, new_claims, vector

ALONE = frozenset("unknown_status identity description craft kind_shape secrets hidden_text expiry".split())
"""Passes that say something about one memory by itself."""

AT_ONCE = 500
"""Memories whose terms (about as large as their texts) are held before they are written down."""
ALIKE = 0.3
"""Cosine from which a memory that merely is about the same is worth a look: below it stand chance words."""
TELLING = frozenset({"duplicate", "contained", "conflict"})


@dataclass(frozen=True, slots=True)
class Checked:
    """What there is to say of one text. `claim` is set where an edit turned a value or a polarity round."""

    path: str
    problems: tuple[Problem, ...]
    faults: tuple[Finding, ...]
    hints: tuple[Hint, ...]
    claim: str = ""

    @property
    def clean(self) -> bool:
        return not (
            self.problems or self.faults or self.claim or any(h.judgement.verdict in TELLING for h in self.hints)
        )


def check(
    store: Store, path: str, data: bytes, now: datetime, was: bytes | None = None, *, inside: bool = True
) -> Checked:
    """Look one text over. `path` is where it lies, store-relative, or what to call it where it is not `inside`."""
    roots = memory_roots(store.root, store.layout)
    root = _root_of(roots, path) if inside else None
    memory, problems = _read(path, data, root)
    if root is None:
        memory = _at_home(memory)
    own = Snapshot(memories=(memory,))
    settings = configured(store.settings.passes)
    faults = [
        finding
        for one in discover()
        if one.name in ALONE and settings[one.name].enabled
        for finding in one.find(own, settings[one.name], now)
    ]
    with open_cache(store.root, create=False) as cache:
        near = tuple(_hints(store, roots, cache, memory))
    claim = NEW_CLAIM if was is not None and new_claims(_read(path, was, root)[0], memory) else ""
    return Checked(path, problems, tuple(faults), near, claim)


def refresh_terms(cache: Cache, snapshot: Snapshot) -> None:
    """Bring the term index up to the active memories, some at a time: those of a large store would fill the memory."""
    known = cache.indexed()
    if gone := known.keys() - {memory.path for memory in snapshot.active}:
        cache.index((), gone)
    changed = (memory for memory in snapshot.active if known.get(memory.path) != memory.sha256)
    while some := [(one.path, one.sha256, vector(one).packed()) for one in islice(changed, AT_ONCE)]:
        cache.index(some)


def _root_of(roots: list[str], path: str) -> str | None:
    """The memory folder that a path lies in, the deepest one; None for a path in none."""
    return max((root for root in roots if root == "." or path.startswith(f"{root}/")), key=len, default=None)


def _read(path: str, data: bytes, root: str | None) -> tuple[Memory, tuple[Problem, ...]]:
    form = vote(read_front(decode(data)))
    return read_memory(Source(path, root or ".", data), form)


def _at_home(memory: Memory) -> Memory:
    """A text that lies in no memory folder, as if it lay where it says it belongs: its place says nothing of it."""
    project = memory.fields.get("project")
    home = f"{memory.path}/{memory.name}.md"
    return replace(memory, path=home, project=project if isinstance(project, str) else "")


def _hints(store: Store, roots: list[str], cache: Cache, memory: Memory) -> Iterator[Hint]:
    index = {path: Vector.unpacked(data) for path, _, data in cache.terms() if path != memory.path}
    others = []
    for path, cosine in nearest_to(vector(memory), index):
        try:
            others.append((_read(path, read_bytes(store.root, path), _root_of(roots, path))[0], cosine))
        except OSError:
            continue  # gone since the index was made
    found = [one for one in hints(memory, others) if one.judgement.verdict in TELLING or one.cosine >= ALIKE]
    # Those that say the same or disagree stay in front; the rest are as good as they are near.
    telling = [one for one in found if one.judgement.verdict in TELLING]
    yield from telling
    yield from sorted((one for one in found if one not in telling), key=lambda one: -one.cosine)
