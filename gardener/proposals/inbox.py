"""Reading the proposal folders: what is pending, what was decided, and what cannot be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from gardener.proposals.document import ConflictError, Document, parse
from gardener.storage.beneath import Root, exists, listing, read

PENDING, APPLIED, REJECTED = "pending", "applied", "rejected"
FOLDERS = (APPLIED, REJECTED, PENDING)
"""Where one id lies in several folders, the earlier of these wins."""

MAX_BYTES = 16 * 1024 * 1024
_MARKED = re.compile(r"^- \[[xX]\]|^decision: *(?!pending )\S", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Filed:
    """A proposal file that was read. `path` is store-relative, `state` its folder."""

    path: str
    state: str
    data: bytes
    document: Document

    @property
    def id(self) -> str:
        return self.document.proposal.id


@dataclass(frozen=True, slots=True)
class Malformed:
    """A proposal file that cannot be read as one: named, left alone, in nobody's way."""

    path: str
    state: str
    reason: str
    unmarked: bool = False
    """Whether it holds git's conflict markers and on neither side a person's mark, so that it may be written anew."""
    refused: bool = False
    """Whether the system would not show it."""


@dataclass(frozen=True)
class Inbox:
    """All proposal files. Files that lost to another folder's file with the same id are in `shadowed`."""

    files: tuple[Filed, ...] = ()
    malformed: tuple[Malformed, ...] = ()
    shadowed: tuple[Filed, ...] = ()

    @cached_property
    def pending(self) -> tuple[Filed, ...]:
        return tuple(one for one in self.files if one.state == PENDING)

    @cached_property
    def decided(self) -> tuple[Filed, ...]:
        return tuple(one for one in self.files if one.state != PENDING)

    @cached_property
    def untouchable(self) -> frozenset[str]:
        """Paths of unreadable pending files that hold, or may hold, what a person wrote."""
        return frozenset(one.path for one in self.malformed if not one.unmarked)

    @cached_property
    def refused(self) -> bool:
        return any(one.refused for one in self.malformed)

    @cached_property
    def by_id(self) -> dict[str, Filed]:
        return {one.id: one for one in self.files}


def read_inbox(root: Root, folder: str) -> Inbox:
    """Every file of the three folders; a missing folder is an empty one."""
    found: dict[str, Filed] = {}
    malformed: list[Malformed] = []
    shadowed: list[Filed] = []
    for one in _files(root, folder):
        if isinstance(one, Malformed):
            malformed.append(one)
        elif one.id in found:
            shadowed.append(one)
        else:
            found[one.id] = one
    return Inbox(tuple(sorted(found.values(), key=lambda f: f.path)), tuple(malformed), tuple(shadowed))


def _files(root: Root, folder: str) -> Iterator[Filed | Malformed]:
    for state in FOLDERS:
        place = f"{folder}/{state}"
        if not exists(root, place):
            continue
        for name, _ in listing(root, place):
            if name.endswith(".md") and not name.startswith("."):
                yield read_file(root, f"{place}/{name}", state)


def read_file(root: Root, path: str, state: str) -> Filed | Malformed:
    """One proposal file."""
    try:
        data = read(root, path, MAX_BYTES)
        text = data.decode("utf-8")
        return Filed(path, state, data, parse(text))
    except OSError as error:
        return Malformed(path, state, f"cannot be read: {error.strerror or error}", refused=True)
    except UnicodeDecodeError:
        return Malformed(path, state, "is not UTF-8")
    except ConflictError as error:
        return Malformed(path, state, str(error), unmarked=not _MARKED.search(text))
    except ValueError as error:
        return Malformed(path, state, str(error))
