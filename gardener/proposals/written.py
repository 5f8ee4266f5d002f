"""What our writes leave in the pending folder, noted beforehand: after a crash nothing of it looks like a person's.

A pending file with other bytes than these was written into by somebody, and one that is missing was deleted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from gardener.proposals.document import parse
from gardener.proposals.identity import id_of
from gardener.storage.cache import Cache


def expect(cache: Cache, changes: Mapping[str, tuple[bytes | None, bytes | None]]) -> dict[str, Any]:
    """`changes` is path → (bytes before, bytes after), None for no file. Either may be found there from now on.

    Gives the facts as they were, to be kept again where nothing came of it.
    """
    former = {"pending": cache.fact("pending", []), "written": cache.fact("written", {})}
    pending, written = set(former["pending"]), dict(former["written"])
    for path, (before, after) in changes.items():
        if after is None:
            pending.discard(id_of(path))
        elif before is None or not _keeps_a_remark(written.get(path, ""), before, after):
            known = written.get(path) or ("" if before is None else sha_of(before))
            written[path] = f"{known} {sha_of(after)}".strip()
    cache.keep({"pending": sorted(pending), "written": written})
    return former


def arrived(cache: Cache, changes: Mapping[str, tuple[bytes | None, bytes | None]]) -> None:
    """The same, once they are there: only now may one that is missing count as deleted."""
    new = {id_of(path) for path, (before, after) in changes.items() if before is None and after is not None}
    if new:
        cache.keep({"pending": sorted({*cache.fact("pending", []), *new})})


def _keeps_a_remark(known: str, before: bytes, after: bytes) -> bool:
    """Whether somebody's own words beside the marks go on: re-basing keeps them, emptying the marks ends the matter."""
    return bool(known) and sha_of(before) not in known and _owned(before) == _owned(after)


def _owned(data: bytes) -> bool:
    try:
        return parse(data.decode("utf-8")).owned
    except ValueError:
        return True


def sha_of(data: bytes) -> str:
    """The hex sha256 of a file's bytes."""
    return hashlib.sha256(data).hexdigest()
