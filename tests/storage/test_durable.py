from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from gardener.storage import durable


@pytest.mark.parametrize(("code", "stops"), [(errno.EINVAL, False), (errno.ENOTSUP, False), (errno.EIO, True)])
def test_folders_that_cannot_be_flushed(monkeypatch: pytest.MonkeyPatch, code: int, stops: bool) -> None:
    def refuse(fd: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", refuse)
    if stops:
        with pytest.raises(OSError, match=os.strerror(code)):
            durable.flush_folder(0)
    else:
        durable.flush_folder(0)
    with pytest.raises(OSError, match=os.strerror(code)):
        durable.flush(0)


def test_short_writes_are_carried_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, bytes(data[:3])))
    with (tmp_path / "a").open("wb") as file:
        durable.write_all(file.fileno(), b"0123456789")
    assert (tmp_path / "a").read_bytes() == b"0123456789"
