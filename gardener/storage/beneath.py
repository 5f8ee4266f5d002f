"""Files below the store folder: opened, read and listed without ever following a symbolic link or leaving it.

Nothing here writes a file. Paths are relative to the store, with `/`; "" is the store folder itself.
"""

from __future__ import annotations

import errno
import os
import stat as modes
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import TracebackType

from gardener.errors import NoStoreError, UsageError
from gardener.storage import openat
from gardener.storage.durable import flush_folder

_FOLDER = os.O_RDONLY | os.O_DIRECTORY


class LinkedError(OSError):
    """A component of the path is a symbolic link (ELOOP)."""


GONE = (FileNotFoundError, NotADirectoryError, LinkedError)
"""There is no such file below the store: not there, or not reachable without following a link."""


@dataclass(frozen=True, slots=True)
class Root:
    """An open store folder. What happens below goes through `fd`; `path` is for messages and for looking upwards."""

    path: str
    fd: int

    def close(self) -> None:
        os.close(self.fd)

    def __enter__(self) -> Root:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_root(path: str | os.PathLike[str]) -> Root:
    """The store at `path`, which may itself be a link. NoStoreError when there is no folder."""
    full = os.path.realpath(path)
    try:
        return Root(full, os.open(full, _FOLDER))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NoStoreError(f"{os.fspath(path)}: no store here; run `gardener init`") from error


def parts_of(path: str) -> tuple[str, ...]:
    """The components of a path that stays in the store; UsageError for every other."""
    if not path:
        return ()
    parts = tuple(path.split("/"))
    if "\0" in path or any(part in {"", ".", ".."} for part in parts):
        raise UsageError(f"{path!r} is not a path inside the store")
    return parts


def open_beneath(root: Root, path: str, flags: int, mode: int = 0o666) -> int:
    """A descriptor for `path`. OSError, ELOOP where a component is a symbolic link."""
    parts = parts_of(path)
    try:
        return openat.without_links(root.fd, parts, flags, mode)
    except OSError as error:
        raise _told(error, path) from None


def open_regular(root: Root, path: str) -> int:
    """A descriptor for reading the regular file `path`; a FIFO, device or socket is refused and never waited for."""
    fd = open_beneath(root, path, os.O_RDONLY | os.O_NONBLOCK)
    if modes.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise OSError(errno.EINVAL, "is not a regular file", path)


def read(root: Root, path: str, limit: int) -> bytes:
    """All of `path`; OSError EFBIG when it has more than `limit` bytes."""
    fd = open_regular(root, path)
    try:
        return read_open(fd, path, limit)
    finally:
        os.close(fd)


def read_open(fd: int, path: str, limit: int) -> bytes:
    """The bytes behind `fd` from its start; OSError EFBIG when there are more than `limit`."""
    chunks: list[bytes] = []
    size = 0
    while chunk := os.pread(fd, min(limit + 1 - size, 1 << 20), size):
        chunks.append(chunk)
        size += len(chunk)
        if size > limit:
            raise OSError(errno.EFBIG, f"is larger than {limit} bytes", path)
    return b"".join(chunks)


def stat(root: Root, path: str) -> os.stat_result:
    """What `path` is, itself: a link is not followed."""
    if not path:
        return os.fstat(root.fd)
    with parent(root, path) as (folder, name):
        return os.stat(name, dir_fd=folder, follow_symlinks=False)


def exists(root: Root, path: str) -> bool:
    """Whether there is anything at `path`, a dangling link included; OSError when the system will not say."""
    try:
        stat(root, path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def listing(root: Root, path: str) -> list[tuple[str, os.stat_result]]:
    """The names in the folder `path` and what each is itself, by name. An entry that vanishes meanwhile is left out."""
    found: list[tuple[str, os.stat_result]] = []
    with folder(root, path) as fd, os.scandir(fd) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):
                found.append((entry.name, entry.stat(follow_symlinks=False)))
    return sorted(found)


@contextmanager
def folder(root: Root, path: str) -> Iterator[int]:
    """The open folder `path`, closed afterwards."""
    fd = open_beneath(root, path, _FOLDER)
    try:
        yield fd
    finally:
        os.close(fd)


@contextmanager
def parent(root: Root, path: str) -> Iterator[tuple[int, str]]:
    """The open folder that holds `path`, and the name of `path` in it: what renames and unlinks work on.

    What the system refuses inside, for a bare name or a descriptor, is raised for `path`, as the reader knows it.
    """
    parts = parts_of(path)
    if not parts:
        raise UsageError("the store folder itself is not a file")
    with folder(root, "/".join(parts[:-1])) as fd:
        try:
            yield fd, parts[-1]
        except OSError as error:
            if "/" in str(error.filename):
                raise
            raise OSError(error.errno, error.strerror, path) from error


def make_folder(root: Root, path: str) -> None:
    """Make `path` and what it lies in, durably; nothing happens where it is a folder already."""
    parts = parts_of(path)
    for depth in range(1, len(parts) + 1):
        with parent(root, "/".join(parts[:depth])) as (fd, name):
            try:
                os.mkdir(name, dir_fd=fd)
            except FileExistsError:
                continue
            flush_folder(fd)
    with folder(root, path):  # a file or a link in its place is an error now, not later
        pass


def _told(error: OSError, path: str) -> OSError:
    if error.errno == errno.ELOOP:
        return LinkedError(errno.ELOOP, "is reached through a symbolic link, which is not followed", path)
    return OSError(error.errno, os.strerror(error.errno or 0), path)
