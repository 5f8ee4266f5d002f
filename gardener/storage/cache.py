"""The cache in `.gardener/`: what the last run saw. It may be deleted at any time and holds no memory text."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import stat as modes
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

from gardener.storage.atomic import make_private
from gardener.storage.beneath import Root, exists, stat
from gardener.storage.discover import Found
from gardener.storage.journal import PRIVATE

_FILE = f"{PRIVATE}/cache.sqlite"
_VERSION = 1
_YOUNG_NS = 2_000_000_000
"""A file changed within two seconds of being looked at may change again under the same stamp."""

_TABLES = """
create table if not exists files (
    path text primary key, size integer, mtime integer, ctime integer, inode integer, sha256 text, seen integer
) without rowid;
create table if not exists facts (name text primary key, value text) without rowid;
create table if not exists terms (path text primary key, sha256 text, data blob) without rowid;
"""


class Cache:
    """One open cache. Everything in it can be made again; a damaged one is replaced by an empty one."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self._depth = 0

    @contextmanager
    def together(self) -> Iterator[None]:
        """All that is kept in the block at once: after a crash the whole of it is there, or nothing."""
        self._depth += 1
        try:
            with self._db if self._depth == 1 else nullcontext():
                yield
        finally:
            self._depth -= 1

    def fact(self, name: str, default: Any = None) -> Any:
        """A small JSON value kept under `name`."""
        row = self._db.execute("select value from facts where name = ?", (name,)).fetchone()
        return default if row is None else json.loads(row[0])

    def keep(self, facts: Mapping[str, Any]) -> None:
        """Replace the named facts."""
        rows = [(name, json.dumps(value, sort_keys=True)) for name, value in facts.items()]
        with self.together():
            self._db.executemany("insert or replace into facts values (?, ?)", rows)

    def manifest(self) -> dict[str, str]:
        """Path → sha256 of every memory and note of the last run."""
        return dict(self._db.execute("select path, sha256 from files"))

    def unchanged(self, found: Iterable[Found]) -> dict[str, str]:
        """Path → sha256 of the files whose stat is that of the last run, young ones left out: those are read again."""
        known = {row[0]: row[1:] for row in self._db.execute("select * from files")}
        result = {}
        for one in found:
            row = known.get(one.path)
            status = one.stat
            stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            if row and row[:4] == stamp and row[5] - max(status.st_mtime_ns, status.st_ctime_ns) > _YOUNG_NS:
                result[one.path] = row[4]
        return result

    def remember(self, files: Iterable[tuple[Found, str]], seen_ns: int) -> None:
        """Replace the manifest. `seen_ns` is when the listing began."""
        rows = [
            (f.path, f.stat.st_size, f.stat.st_mtime_ns, f.stat.st_ctime_ns, f.stat.st_ino, sha, seen_ns)
            for f, sha in files
        ]
        with self.together():
            self._db.execute("delete from files")
            self._db.executemany("insert or replace into files values (?, ?, ?, ?, ?, ?, ?)", rows)

    def terms(self) -> Iterator[tuple[str, str, bytes]]:
        """(path, sha256, hashed terms) of every memory that was indexed."""
        yield from self._db.execute("select path, sha256, data from terms")

    def indexed(self) -> dict[str, str]:
        """Path → sha256 of every memory that was indexed."""
        return dict(self._db.execute("select path, sha256 from terms"))

    def index(self, rows: Iterable[tuple[str, str, bytes]], gone: Iterable[str] = ()) -> None:
        """Keep the terms of some memories and forget those of others: hashes of words only, never a word."""
        with self.together():
            self._db.executemany("delete from terms where path = ?", [(path,) for path in gone])
            self._db.executemany("insert or replace into terms values (?, ?, ?)", rows)


@contextmanager
def open_cache(root: Root, *, create: bool = True) -> Iterator[Cache]:
    """The store's cache; with `create` False, one in memory where there is none or it cannot be read now.

    OSError when the system refuses to read or write it, or it turns out to be damaged; then it is gone.
    """
    if create:
        make_private(root)
    connection = None
    try:
        connection = _connect(root, create) if create or exists(root, _FILE) else _empty()
        yield Cache(connection)
    except sqlite3.OperationalError as error:
        raise OSError(errno.EIO, f"{error}; the cache may be deleted", _FILE) from error
    except sqlite3.DatabaseError as error:
        os.unlink(os.path.join(root.path, _FILE))  # noqa: PTH108, PTH118 - as in `_connect`
        raise OSError(errno.EIO, "the cache was damaged and will be made anew", _FILE) from error
    finally:
        if connection is not None:
            connection.close()


def _connect(root: Root, create: bool) -> sqlite3.Connection:
    path = os.path.join(root.path, _FILE)  # noqa: PTH118 - sqlite takes a path, and only this folder of ours
    for name in (_FILE, f"{_FILE}-journal", f"{_FILE}-wal", f"{_FILE}-shm"):
        if exists(root, name) and not modes.S_ISREG(stat(root, name).st_mode):
            return _empty()  # somebody put a link there; sqlite would follow it
    try:
        return _prepared(sqlite3.connect(path, timeout=10))
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            if create:  # what the last run saw is not lost, so this one must not go on as if it were
                raise
            return _empty()
        os.unlink(path)  # noqa: PTH108
        return _prepared(sqlite3.connect(path, timeout=10))


def _empty() -> sqlite3.Connection:
    return _prepared(sqlite3.connect(":memory:"))


def _prepared(connection: sqlite3.Connection) -> sqlite3.Connection:
    connection.execute("pragma temp_store = memory")
    connection.execute("pragma synchronous = normal")
    if connection.execute("pragma user_version").fetchone()[0] not in {0, _VERSION}:
        raise sqlite3.DatabaseError("written by another version")
    connection.executescript(_TABLES)
    connection.execute(f"pragma user_version = {_VERSION}")
    return connection
