"""One file of an operation: what it holds, putting the new bytes there, clearing up beside it.

Between two names of the same folder, by exchange, so that whatever another program put there in between comes out and
is seen. `.new` is being written; `.swap` is whole: the new bytes before the exchange, what came out after it.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gardener.model.operation import FileChange
from gardener.storage import beneath, rename
from gardener.storage.beneath import GONE, Root
from gardener.storage.commit.conflicts import to_conflicts
from gardener.storage.commit.displaced import bury, keep
from gardener.storage.commit.likeness import write_like
from gardener.storage.lease import quiet, watched

Holds: TypeAlias = Literal["before", "after", "other"]
_NOT_A_FILE = {errno.ELOOP, errno.EINVAL, errno.EFBIG, errno.EISDIR, errno.ENXIO}


class MovedOnError(Exception):
    """The target holds neither what the operation was based on nor what it writes, or is about to."""

    def __init__(self, path: str, why: str = "was written meanwhile") -> None:
        super().__init__(f"{path} {why}")


@dataclass(frozen=True, slots=True)
class Target:
    """The file of one change, and the names it uses meanwhile. `stamp` is unique to it."""

    root: Root
    change: FileChange
    stamp: str

    @property
    def path(self) -> str:
        return self.change.path

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]

    @property
    def new(self) -> str:
        return f".gardener-{self.stamp}.new"

    @property
    def swap(self) -> str:
        return f".gardener-{self.stamp}.swap"

    def holds(self) -> Holds:
        return self._compare(self.path)

    def spare(self) -> Holds | None:
        """What `.swap` holds; None when it is not there."""
        path = f"{self.folder}/{self.swap}".lstrip("/")
        with suppress(*GONE):
            return self._compare(path) if beneath.exists(self.root, path) else None
        return None

    def prepare(self, *, first: bool = False) -> None:
        """Have the new bytes ready in `.swap`, unless they are in place already.

        At the `first` time also where another program made the file: that `.swap` says later that we never did.

        MovedOnError when the target holds its old bytes although they were taken out before: somebody put them back.
        """
        self.end_exchange()
        held, spare = self.holds(), self.spare()
        if held == "before" and spare in {"before", "other"}:
            raise MovedOnError(self.path)
        fits = held == "before" or (held == "other" and self.change.before is None and first)
        if self.change.after is not None and fits and spare is None:
            beneath.make_folder(self.root, self.folder)
            self.write_swap(self.change.after)

    def wait(self) -> None:
        """Let a program that has the target open finish. MovedOnError when it does not, or has written."""
        if self.change.before is None or self.holds() == "after":
            return
        with self._still() as (folder, name):
            if quiet(folder, name, self.change.before, 1.0, strict=True):
                return
            if self.holds() == "before":
                raise MovedOnError(self.path, "is open for writing in another program")
            raise MovedOnError(self.path)

    def put(self) -> None:
        """Put the new state in place, unless it is; what was there is in `.swap` then.

        MovedOnError when that was not what the operation is based on, or a program is writing to it or about to.
        """
        if self.holds() == "after":
            return
        with self._still() as (folder, name):
            if self.change.before is None:
                rename.name_free(folder, self.swap, folder, name)
            else:
                self._take_out(folder, name, self.change.before)

    def _take_out(self, folder: int, name: str, before: bytes) -> None:
        with watched(folder, name, 0.0) as watch:
            if watch.rests is False or not watch.holds(before):
                raise MovedOnError(self.path)
            itself = True
            if self.change.after is None:
                rename.name_free(folder, name, folder, self.swap)
            else:
                itself = rename.exchange(folder, self.swap, name)
            if (itself and not watch.is_at(folder, self.swap)) or not watch.holds(before) or watch.wanted():
                raise MovedOnError(self.path)

    def check_out(self, *, strict: bool) -> None:
        """MovedOnError when what came out of the tree is not what the operation was based on, or no longer.

        `strict` asks that nobody still has it open for writing either.
        """
        if self.change.before is None or self.spare() in {None, "after"}:
            return
        with self._still() as (folder, _):
            if not quiet(folder, self.swap, self.change.before, strict=strict):
                raise MovedOnError(self.path)

    def clear(self, conflicts: str, *, wipe: bool, stuck: bool) -> None:
        """Move what is left beside the target out of the tree; what somebody else wrote goes to `conflicts`.

        So do the old bytes where the target is `stuck`: a person has to put the two together.
        """
        with suppress(*GONE), self.open() as (folder, _):
            with suppress(FileNotFoundError):
                os.unlink(self.new, dir_fd=folder)
            spare = self.spare()
            if spare is None:
                return
            source = (folder, self.swap)
            known = {"before": self.change.before, "after": self.change.after, "other": None}[spare]
            if wipe and bury(self.root, self.path, known or b"", source, self.stamp):
                return
            if known is None or wipe or (stuck and spare == "before"):
                to_conflicts(self.root, conflicts, self.path, source, self.stamp)
            else:
                keep(self.root, self.path, known, source, self.stamp)

    def write_swap(self, data: bytes) -> None:
        """Have `data` in `.swap`, whole and durable."""
        with self.open() as (folder, name):
            write_like(folder, self.new, data, name)
            os.rename(self.new, self.swap, src_dir_fd=folder, dst_dir_fd=folder)

    def _compare(self, path: str) -> Holds:
        change = self.change
        limit = max(len(change.before or b""), len(change.after or b""))
        data: bytes | None = None
        try:
            data = beneath.read(self.root, path, limit)
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:
            if error.errno not in _NOT_A_FILE:
                raise
            return "other"
        return "before" if data == change.before else "after" if data == change.after else "other"

    def end_exchange(self) -> None:
        """After a crash within an exchange: there is the one name or the other."""
        with suppress(*GONE), self.open() as (folder, _):
            rename.end_exchange(folder, self.swap)

    @contextmanager
    def open(self) -> Iterator[tuple[int, str]]:
        """The open folder and the target's name in it."""
        with beneath.parent(self.root, self.path) as opened:
            yield opened

    @contextmanager
    def _still(self) -> Iterator[tuple[int, str]]:
        """The same; what is not there, or there already, has moved on."""
        try:
            with self.open() as opened:
                yield opened
        except (*GONE, FileExistsError) as error:
            raise MovedOnError(self.path) from error
