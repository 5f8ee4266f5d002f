"""Whole files or none: how proposals, reports and the cache are written, by tend and the daemon too.

A temporary file lies beside its target and nothing is renamed between folders (Landlock refuses that). Never for
memories: those change only through `commit`.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat as modes
from contextlib import suppress
from typing import Final

from gardener.errors import StaleError
from gardener.storage import beneath, rename
from gardener.storage.beneath import Root
from gardener.storage.durable import flush, flush_folder, write_all
from gardener.storage.journal import PRIVATE
from gardener.storage.lease import quiet

ANY: Final = "any"
"""As `was`: whatever the file holds now may go."""
_NEW = re.compile(r"\.gardener-[0-9a-f]{12}\.new")
_SWAP = re.compile(r"\.gardener-[0-9a-f]{12}-([0-9a-f]{16})-([0-9a-f]{16})\.swap~?")
"""Names what its bytes may be if all went well: the old ones and the new ones. Others are somebody's, and kept."""


def write(root: Root, path: str, data: bytes, *, was: bytes | str | None = ANY) -> bool:
    """Make `path` hold `data`, durably, making its folder; whether anything had to be written.

    `was` is what the caller read there (None: nothing). If a person or program has written since, that stays and
    StaleError is raised.
    """
    now = _holds(root, path)
    if now == data:
        return False
    if not isinstance(was, str) and now != was:
        raise _moved_on(path)
    beneath.make_folder(root, path.rpartition("/")[0])
    with beneath.parent(root, path) as (folder, name):
        temp = _new(folder, data, _mode(folder, name))
        try:
            _put(folder, temp, name, path, data, was)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temp, dir_fd=folder)
        flush_folder(folder)
    return True


def remove(root: Root, path: str, *, was: bytes | str | None = ANY) -> bool:
    """Unlink `path`, durably; whether it was there. With `was`, StaleError and no change if it holds other bytes."""
    try:
        with beneath.parent(root, path) as (folder, name):
            if isinstance(was, str):
                os.unlink(name, dir_fd=folder)
            else:
                _take(folder, name, path, was)
            flush_folder(folder)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def move(root: Root, source: str, target: str, data: bytes, *, was: bytes | str | None = ANY) -> None:
    """Make `target` hold `data`, then unlink `source`. A crash in between leaves both, never neither."""
    write(root, target, data)
    if source != target:
        remove(root, source, was=was)


def clean(root: Root, folder: str, conflicts: str) -> tuple[str, ...]:
    """Clear away what a killed writer left in `folder`; the paths below `conflicts` of what was somebody's.

    Only for the holder of the lock: what another writer is using looks the same.
    """
    if not beneath.exists(root, folder):
        return ()
    kept: list[str] = []
    with beneath.folder(root, folder) as fd:
        for name, _ in reversed(beneath.listing(root, folder)):  # what an exchange set aside before its own name
            if _NEW.fullmatch(name):
                os.unlink(name, dir_fd=fd)
            elif found := _SWAP.fullmatch(name):
                kept += _clear(root, folder, fd, name, found.groups(), conflicts)
    return tuple(kept)


def make_private(root: Root) -> None:
    """Make `.gardener/`, which ignores itself in git before anything else is in it."""
    write(root, f"{PRIVATE}/.gitignore", b"*\n")


def _holds(root: Root, path: str) -> bytes | None:
    try:
        return beneath.read(root, path, 1 << 30)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _mode(folder: int, name: str) -> int | None:
    try:
        return modes.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return None


def _new(folder: int, data: bytes, mode: int | None) -> str:
    """A finished file with `data` in `folder`: durable before it gets a name that anybody reads."""
    temp = f".gardener-{secrets.token_hex(6)}.new"
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666, dir_fd=folder)
    try:
        try:
            write_all(fd, data)
            if mode is not None:
                os.fchmod(fd, mode)
            flush(fd)
        finally:
            os.close(fd)
    except OSError:
        with suppress(OSError):
            os.unlink(temp, dir_fd=folder)
        raise
    return temp


def _put(folder: int, temp: str, name: str, path: str, data: bytes, was: bytes | str | None) -> None:
    if isinstance(was, str):
        os.rename(temp, name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    if was is None:
        try:
            rename.name_free(folder, temp, folder, name)
        except FileExistsError as error:
            raise _moved_on(path) from error
        return
    swap = _swap(was, data)
    os.rename(temp, swap, src_dir_fd=folder, dst_dir_fd=folder)
    try:
        rename.exchange(folder, swap, name)
    except FileNotFoundError as error:
        os.unlink(swap, dir_fd=folder)
        raise _moved_on(path) from error
    if quiet(folder, swap, was):
        os.unlink(swap, dir_fd=folder)
        return
    if rename.take_back(folder, swap, name, data):
        os.unlink(swap, dir_fd=folder)
    raise _moved_on(path)


def _take(folder: int, name: str, path: str, was: bytes | None) -> None:
    if was is None:
        raise _moved_on(path)
    swap = _swap(was, was)
    rename.name_free(folder, name, folder, swap)
    if quiet(folder, swap, was):
        os.unlink(swap, dir_fd=folder)
        return
    with suppress(FileExistsError):  # then the newest stays, and `clean` keeps the other
        rename.name_free(folder, swap, folder, name)
    raise _moved_on(path)


def _clear(root: Root, folder: str, fd: int, name: str, sums: tuple[str, ...], conflicts: str) -> list[str]:
    """Unlink a file left between two names; first keep its bytes if they are neither the old nor the new ones."""
    kept: list[str] = []
    if name.endswith("~"):
        name = name.removesuffix("~")
        later = beneath.exists(root, f"{folder}/{name}")
        rename.end_exchange(fd, name)
        if later:
            return kept
    data = _holds(root, f"{folder}/{name}") or b""
    if _short(data) not in sums:
        kept.append(f"{conflicts}/{name[1:].removesuffix('.swap')}.md")
        write(root, kept[0], data)
    os.unlink(name, dir_fd=fd)
    return kept


def _swap(was: bytes, data: bytes) -> str:
    return f".gardener-{secrets.token_hex(6)}-{_short(was)}-{_short(data)}.swap"


def _short(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _moved_on(path: str) -> StaleError:
    return StaleError(f"{path} was written meanwhile and is left as it is; run it again")
