"""How much a memory changed since a person decided about it: a small sketch of its words, and its values."""

from __future__ import annotations

import base64
import hashlib
import re

from gardener.model.memory import Memory
from gardener.text.lifecycle import OWN_LINE

SIZE = 256
WIDTH = 3
AGREE = 0.82
"""Below this share in common about a tenth of the words have changed (for 256 of both together)."""

_WORD = re.compile(r"[^\W_](?:[\w.:/@%+-]*\w)?")
_SECRET_SHAPED = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])[\w+/=-]{20,}")


def sketch(memory: Memory) -> tuple[str, str]:
    """(SKETCH, VALUES): the 256 smallest 24-bit prefixes of the distinct words, and 8 hex over the sorted values.

    A bottom-k sketch (Broder 1997): the share two sketches have in common estimates the share of words in common.
    """
    text = OWN_LINE.sub("", f"{memory.description}\n{memory.body}")
    words = {word.casefold() for word in _WORD.findall(text) if not _SECRET_SHAPED.fullmatch(word)}
    values = sorted(word for word in words if any(c.isdigit() for c in word))
    prefixes = sorted(_digest(word)[:WIDTH] for word in words if not any(c.isdigit() for c in word))[:SIZE]
    packed = base64.urlsafe_b64encode(b"".join(prefixes)).decode()
    return packed, hashlib.sha256("\n".join(values).encode("utf-8", "surrogateescape")).hexdigest()[:8]


def holds(then: tuple[str, str], now: tuple[str, str]) -> bool:
    """Whether what was decided about `then` still speaks of `now`: like words, equal values."""
    if then[1] != now[1]:
        return False
    a, b = _unpack(then[0]), _unpack(now[0])
    smallest = sorted(a | b)[:SIZE]
    return not smallest or sum(1 for one in smallest if one in a and one in b) >= AGREE * len(smallest)


def _unpack(packed: str) -> frozenset[bytes]:
    try:
        data = base64.urlsafe_b64decode(packed)
    except ValueError:
        return frozenset()
    return frozenset(data[i : i + WIDTH] for i in range(0, len(data), WIDTH))


def _digest(word: str) -> bytes:
    return hashlib.sha256(word.encode("utf-8", "surrogateescape")).digest()
