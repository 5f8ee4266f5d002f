from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gardener.storage import beneath, openat, rename
from gardener.storage.beneath import Root


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    (folder / "memory/p").mkdir(parents=True)
    (folder / "proposals/pending").mkdir(parents=True)
    return folder


@pytest.fixture
def root(store: Path) -> Iterator[Root]:
    with beneath.open_root(store) as opened:
        yield opened


@pytest.fixture(params=["openat2", "older kernel"])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same tests where the kernel has openat2 and where it does not."""
    if request.param == "older kernel":

        def absent(*_: object) -> int:
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

        monkeypatch.setattr(openat, "_openat2", absent)


@pytest.fixture(params=["renameat2", "no renameat2", "no links either"])
def renames(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The same tests with an exchange by the kernel, with a link aside, and with neither."""
    if request.param != "renameat2":
        monkeypatch.setattr(rename, "_renameat2", lambda *_: False)
    if request.param == "no links either":

        def unlinkable(*_: object, **__: object) -> None:
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

        monkeypatch.setattr(os, "link", unlinkable)
    name: str = request.param
    return name
