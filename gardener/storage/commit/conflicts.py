"""Bytes that another program wrote and that could not stay where it wrote them: kept under a name a person is told."""

from __future__ import annotations

import itertools
import os
import re
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes

from gardener.storage import beneath
from gardener.storage.beneath import Root
from gardener.storage.durable import flush_folder
from gardener.storage.rename import second_name


@dataclass(frozen=True, slots=True)
class Kept:
    """Bytes that somebody else wrote to `path` and that are not there now: they are in the file `at`."""

    path: str
    at: str

    def __str__(self) -> str:
        return f"{self.path} was written by another program meanwhile; that version is kept as {self.at}"


def to_conflicts(root: Root, conflicts: str, path: str, source: tuple[int, str], stamp: str) -> Kept:
    """Move `source`, a version of `path` that somebody else wrote, to the folder `conflicts` and name it.

    Never away before it is there for good: a rename between folders may reach the disk by halves.
    """
    beneath.make_folder(root, conflicts)
    plain = re.sub(r"[^\w.-]", "_", path.rpartition("/")[2]).lstrip(".")
    stem, dot, ending = plain.rpartition(".")
    base = f"{(stem or ending)[:40]}.{stamp}"
    with beneath.folder(root, conflicts) as fd:
        more = (f"{base}-{number}" for number in itertools.count(1))
        names = (f"{name}{dot}{ending[:20] if stem else ''}" for name in itertools.chain([base], more))
        name = next(name for name in names if _named(source, fd, name))
        flush_folder(fd)
    os.unlink(source[1], dir_fd=source[0])
    return Kept(path, f"{conflicts}/{name}")


def of_operation(root: Root, conflicts: str, nonce: str, paths: tuple[str, ...]) -> tuple[Kept, ...]:
    """What `to_conflicts` has kept with the stamps of one operation, also before a crash: `paths` in their order."""
    if not beneath.exists(root, conflicts):
        return ()
    found: list[Kept] = []
    for name, _ in beneath.listing(root, conflicts):
        if (stamp := re.search(rf"\.{nonce}-(\d+)(?:-\d+)?(?:\.|$)", name)) and int(stamp[1]) < len(paths):
            found.append(Kept(paths[int(stamp[1])], f"{conflicts}/{name}"))
    return tuple(found)


def _named(source: tuple[int, str], folder: int, name: str) -> bool:
    """Whether the file has the name `name` in `folder` now; not when another file has."""
    try:
        second_name(source, folder, name)
    except FileExistsError:
        mine = os.stat(source[1], dir_fd=source[0], follow_symlinks=False)
        return os.path.samestat(mine, os.stat(name, dir_fd=folder, follow_symlinks=False))  # a crash came in between
    return True


def short(path: str) -> str:
    """The path as part of a file name, its end where it is long."""
    return quote(os.fsencode(path), safe="")[-140:]


def unshort(text: str) -> str:
    """What `short` made that of. Whoever wrote the name may have written anything."""
    return os.fsdecode(unquote_to_bytes(text))
