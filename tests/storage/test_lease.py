from __future__ import annotations

import errno
import fcntl
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gardener.storage.lease import at_rest, quiet, watched


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "a").write_bytes(b"held")
    fd = os.open(tmp_path, os.O_RDONLY)
    yield fd
    os.close(fd)


@pytest.mark.parametrize(
    ("expected", "answer"), [(b"held", True), (b"hel", False), (b"held!", False), (b"", False), (b"HELD", False)]
)
def test_quiet_compares_bytes(folder: int, expected: bytes, answer: bool) -> None:
    assert quiet(folder, "a", expected) is answer


def test_what_is_no_file_is_not_quiet(folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        for name in ("link", "folder", "fifo", "socket", "nowhere"):
            assert quiet(folder, name, b"held") is False


def test_other_failures_are_failures(folder: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pread", refuse)
        with pytest.raises(OSError, match="Too many"):
            quiet(folder, "a", b"held")
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(OSError, match="Too many"):
        quiet(folder, "a", b"held")


def test_a_writer_is_waited_for_but_not_for_ever(folder: int, tmp_path: Path) -> None:
    with (tmp_path / "a").open("ab") as file:
        assert quiet(folder, "a", b"held", 0.01)
        assert not quiet(folder, "a", b"held", 0.01, strict=True)
        closing = threading.Timer(0.05, file.close)
        closing.start()
        assert quiet(folder, "a", b"held", 10, strict=True)
        closing.join()


def test_a_reader_is_no_writer(folder: int, tmp_path: Path) -> None:
    with (tmp_path / "a").open("rb") as file:
        assert quiet(folder, "a", b"held", 0, strict=True)
        assert at_rest(file.fileno(), 0) is True


def test_no_leases_to_be_had(folder: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(fcntl, "fcntl", refuse)
    with watched(folder, "a") as watch:
        assert watch.rests is None
        assert not watch.wanted()
        assert watch.holds(b"held")
    assert quiet(folder, "a", b"held", strict=True)


def test_an_opener_is_noticed_and_the_signal_for_it_does_no_harm(folder: int, tmp_path: Path) -> None:
    with watched(folder, "a") as watch:
        assert watch.rests is True
        assert watch.is_at(folder, "a")
        assert not watch.wanted()
        with pytest.raises(BlockingIOError):
            os.open(tmp_path / "a", os.O_WRONLY | os.O_NONBLOCK)
        assert watch.wanted()
    os.close(os.open(tmp_path / "a", os.O_WRONLY | os.O_NONBLOCK))
