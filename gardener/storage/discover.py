"""Which files of a store are memories and which are notes. It lists folders, follows no link and reads no file."""

from __future__ import annotations

import errno
import os
import stat as modes
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from gardener.errors import NoStoreError
from gardener.model.memory import Problem
from gardener.storage.beneath import Root, folder, listing
from gardener.storage.layout import Layout


@dataclass(frozen=True, slots=True)
class Found:
    """A regular file below a root: store-relative path, the root it belongs to, and what it was when listed."""

    path: str
    root: str
    stat: os.stat_result


@dataclass(slots=True)
class Listing:
    """What the folders hold, in path order, and what could not be listed."""

    memories: list[Found] = field(default_factory=list)
    notes: list[Found] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)


def list_store(root: Root, layout: Layout) -> Listing:
    """Every memory and note file. NoStoreError where no memory folder is there at all."""
    found = Listing()
    roots = memory_roots(root, layout)
    if not roots:
        raise NoStoreError(
            f"{root.path}: the memory folder {layout.memory[0]} is missing; mount it, or run gardener init"
        )
    notes = [place for place in layout.notes if _is_folder(root, place)]
    taken = {*roots, *notes, *layout.own}
    for place in roots:
        found.memories += _walk(root, place, place, layout, taken - {place}, found)
    for place in notes:
        found.notes += _walk(root, place, place, layout, taken - {place}, found)
    found.memories.sort(key=lambda one: one.path)
    found.notes.sort(key=lambda one: one.path)
    return found


def memory_roots(root: Root, layout: Layout) -> list[str]:
    """The memory folders that exist, globs expanded, `.` for the store itself."""
    roots: dict[str, None] = {}
    for pattern in layout.memory:
        if any(c in pattern for c in "*?["):
            roots.update(dict.fromkeys(_expand(root, "", pattern.split("/"))))
        elif pattern == "." or _is_folder(root, pattern):
            roots[pattern] = None
    return list(roots)


def _expand(root: Root, base: str, parts: list[str]) -> Iterator[str]:
    if not parts:
        yield base
        return
    if base and not _is_folder(root, base):
        return
    for name, status in listing(root, base):
        if modes.S_ISDIR(status.st_mode) and fnmatchcase(name, parts[0]):
            yield from _expand(root, f"{base}/{name}" if base else name, parts[1:])


def _is_folder(root: Root, path: str) -> bool:
    try:
        with folder(root, path):
            return True
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}:
            return False
        raise


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _walk(root: Root, place: str, top: str, layout: Layout, taken: set[str], found: Listing) -> Iterator[Found]:
    path = "" if place == "." else place
    found.folders.append(path)
    try:
        entries = listing(root, path)
    except OSError as error:
        found.problems.append(Problem(path or ".", "refused", f"cannot be listed: {error.strerror}"))
        return
    for name, status in entries:
        full = f"{path}/{name}" if path else name
        if not _is_text(name):
            found.problems.append(Problem(full, "special", "has a name that is not UTF-8 and is not read; rename it"))
            continue
        inner = full if top == "." else full[len(top) + 1 :]
        if modes.S_ISDIR(status.st_mode):
            if not name.startswith(".") and full not in taken:
                yield from _walk(root, full, top, layout, taken, found)
        elif name.startswith(".") or not layout.counts(inner):
            continue
        elif modes.S_ISREG(status.st_mode):
            yield Found(full, top, status)
        elif modes.S_ISLNK(status.st_mode):
            found.problems.append(Problem(full, "symlink", "is a symbolic link and is not followed"))
        else:
            found.problems.append(Problem(full, "special", "is not a regular file and is not read"))
