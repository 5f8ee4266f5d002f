"""Reading a store into a snapshot. What cannot be read is a problem beside the rest, never an exception."""

from __future__ import annotations

import errno
import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gardener.errors import NoStoreError
from gardener.formats import FORMATS, choose, decode, is_index, read_memory, vote
from gardener.formats.base import Format, Source
from gardener.model.memory import IndexLine, Link, Memory, Note, Problem
from gardener.model.snapshot import Snapshot
from gardener.storage.beneath import Root, open_beneath, open_regular, read_open
from gardener.storage.discover import Found, list_store
from gardener.storage.layout import Layout
from gardener.text.frontmatter import read as read_front
from gardener.text.links import read_links

MAX_BYTES = 1024 * 1024
MAX_LINKED_BYTES = 64 * 1024 * 1024
VOTERS = 1_000
"""Enough files, evenly spread, to tell the format of a root."""

_CONFLICT = re.compile(rb"^<{7} [^\n]*\n(?:.*\n)*?={7}\r?\n(?:.*\n)*?>{7} ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Reading:
    """A store as read: the snapshot, the format chosen for each memory root, and every folder that was looked into."""

    snapshot: Snapshot
    formats: Mapping[str, Format]
    folders: tuple[str, ...]
    found: tuple[Found, ...]


@dataclass(slots=True)
class _Heap:
    """What is gathered while reading."""

    sources: list[Source]
    indexes: list[Source]
    mute: dict[str, tuple[str, tuple[Link, ...]]]
    problems: list[Problem]


def load(root: Root, layout: Layout) -> Reading:
    """Read every memory and note. NoStoreError where the memory folder is missing."""
    listing = list_store(root, layout)
    heap = _Heap([], [], {}, list(listing.problems))
    for found, data in _contents(root, listing.memories, heap):
        kind = heap.indexes if is_index(found.path, data) else heap.sources
        kind.append(Source(found.path, found.root, data))
    formats = _formats(heap.sources)
    memories: list[Memory] = []
    for source in heap.sources:
        memory, problems = read_memory(source, formats[source.root])
        heap.problems += problems
        if memory.refused:
            heap.mute[memory.path] = (memory.project, memory.links)
        else:
            memories.append(memory)
    for source in heap.indexes:
        front = read_front(decode(source.data))
        if front.error:
            heap.problems.append(Problem(source.path, "unparsed", front.error, front.error_line))
    indexes = [read_memory(source, FORMATS[-1])[0] for source in heap.indexes]
    notes = [_note(found, data) for found, data in _contents(root, listing.notes, heap)]
    snapshot = Snapshot(
        memories=tuple(memories),
        notes=tuple(notes),
        index_lines=tuple(_index_lines(heap.indexes, memories)),
        problems=tuple(sorted(heap.problems, key=lambda p: (p.path, p.line or 0, p.reason))),
        mute_links=heap.mute,
        indexes=tuple(indexes),
        files=frozenset(one.path for one in (*listing.memories, *listing.notes)),
        notes_folder=next((place for place in layout.notes if not set(place) & set("*?[")), ""),
    )
    return Reading(snapshot, formats, tuple(listing.folders), (*listing.memories, *listing.notes))


def check_there(reading: Reading, root: Root, layout: Layout, known: int) -> None:
    """NoStoreError where a store that held memories before turns up empty: nothing may be concluded from that."""
    if known and not reading.snapshot.memories and not reading.snapshot.problems:
        where = layout.memory[0]
        raise NoStoreError(f"{root.path}: {where} held {known} memories and is empty now; nothing was changed")


def read_bytes(root: Root, path: str, limit: int = MAX_BYTES) -> bytes:
    """The bytes of one regular file of the store. OSError where it cannot be read or is larger than `limit`."""
    fd = open_regular(root, path)
    try:
        return read_open(fd, path, limit)
    finally:
        os.close(fd)


def _contents(root: Root, listed: Iterable[Found], heap: _Heap) -> Iterator[tuple[Found, bytes]]:
    """Each file's bytes; a file that is too large or in conflict keeps its links and is not yielded."""
    by_folder: dict[str, list[Found]] = defaultdict(list)
    for found in listed:
        by_folder[found.path.rpartition("/")[0]].append(found)
    for place, files in by_folder.items():
        try:
            fd = open_beneath(root, place, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            heap.problems.append(Problem(place or ".", "refused", f"cannot be opened: {error.strerror}"))
            continue
        try:
            for found in files:
                data = _read(fd, found, heap)
                if data is not None and _fits(found, data, heap):
                    yield found, data
        finally:
            os.close(fd)


def _read(folder: int, found: Found, heap: _Heap) -> bytes | None:
    name = found.path.rpartition("/")[2]
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return None  # gone between listing and reading: as if it had gone before
    except OSError as error:
        if error.errno == errno.ELOOP:
            heap.problems.append(Problem(found.path, "symlink", "is a symbolic link and is not followed"))
        else:
            heap.problems.append(Problem(found.path, "refused", f"cannot be read: {error.strerror}"))
        return None
    try:
        return read_open(fd, found.path, MAX_LINKED_BYTES)
    except OSError as error:
        reason = "is over 64 MiB" if error.errno == errno.EFBIG else error.strerror
        heap.problems.append(Problem(found.path, "refused", f"cannot be read: {reason}"))
        return None
    finally:
        os.close(fd)


def _fits(found: Found, data: bytes, heap: _Heap) -> bool:
    if len(data) > MAX_BYTES:
        heap.problems.append(Problem(found.path, "oversize", "is over 1 MiB; only its links were read"))
    elif b"<<<<<<< " in data and (conflict := _CONFLICT.search(data)):
        line = data.count(b"\n", 0, conflict.start()) + 1
        heap.problems.append(Problem(found.path, "conflict", "holds git conflict markers; resolve them first", line))
    else:
        return True
    heap.mute[found.path] = (Source(found.path, found.root, b"").project, read_links(decode(data)))
    return False


def _formats(sources: Iterable[Source]) -> dict[str, Format]:
    by_root: dict[str, list[Source]] = defaultdict(list)
    for source in sources:
        by_root[source.root].append(source)
    votes = {place: own[:: max(1, len(own) // VOTERS)] for place, own in by_root.items()}
    return {place: choose(vote(read_front(decode(one.data))) for one in own) for place, own in votes.items()}


def _note(found: Found, data: bytes) -> Note:
    project = Source(found.path, found.root, b"").project
    return Note(found.path, project, data, hashlib.sha256(data).hexdigest(), read_links(decode(data)))


def _index_lines(indexes: Iterable[Source], memories: list[Memory]) -> Iterator[IndexLine]:
    """Every line of an index that links to something; `target` is "" where no memory is there."""
    snapshot = Snapshot(memories=tuple(memories))
    for source in indexes:
        text = decode(source.data)
        lines = text.split("\n")
        seen: set[int] = set()
        for link in read_links(text):
            if link.fenced or link.line in seen:
                continue
            seen.add(link.line)
            line = lines[link.line - 1].removesuffix("\r")
            memory = snapshot.resolve(link, source.path, source.project)
            digest = hashlib.sha256(line.encode("utf-8", "surrogateescape")).hexdigest()
            yield IndexLine(source.path, link.line, line, digest, memory.path if memory else "")
