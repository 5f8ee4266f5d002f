"""Made-up families of memories that share a skeleton, with true copies among them: no public store has enough."""

from __future__ import annotations

import random
from collections.abc import Iterator

from gardener.model.memory import Memory
from tests.benchmarks.material import memory

VERBS = (
    "check restart rotate verify archive inspect resize drain compact replay throttle label mirror seed flush".split()
)
THINGS = """
the queue|the cache|every replica|the ledger|the index|old sessions|the gateway|each worker|the snapshot|the registry|
failed jobs|the audit trail|shared secrets|the schema|open sockets
""".replace("\n", "").split("|")
WHEN = """
before a release|after a deploy|once a week|when latency climbs|if the disk fills|on the first alarm|during a freeze|
at month end|while traffic is low|after every restore
""".replace("\n", "").split("|")
OWNERS = "platform payments search mobile growth billing ledger media identity pricing routing reports".split()


def sentence(chance: random.Random) -> str:
    verb, thing, when, owner = map(chance.choice, (VERBS, THINGS, WHEN, OWNERS))
    return f"{verb.capitalize()} {thing} {when} and tell {owner}."


def family(seed: int) -> tuple[str, tuple[Memory, ...], set[tuple[str, str]]]:
    """A store of ten members over one skeleton and two edited copies; the pairs that are the same."""
    chance = random.Random(seed)
    skeleton = [sentence(chance) for _ in range(30)]
    store = f"family-{seed}"
    texts = {f"{store}/{owner}.md": list(_member(chance, skeleton)) for owner in chance.sample(OWNERS, 10)}
    same = set()
    for path in sorted(texts)[:2]:
        copy = path.replace(".md", "-again.md")
        texts[copy] = [line for line in texts[path] if chance.random() > 0.04]
        texts[copy].insert(3, sentence(chance))
        same.add(tuple(sorted((path, copy))))
    memories = tuple(memory(path, ("\n\n".join(lines) + "\n").encode(), store) for path, lines in sorted(texts.items()))
    return store, memories, same


def _member(chance: random.Random, skeleton: list[str]) -> Iterator[str]:
    kept = chance.uniform(0.7, 0.97)
    for line in skeleton:
        if chance.random() < kept:
            yield line
        if chance.random() < 0.2:
            yield sentence(chance)
