from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gardener.storage import rename


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    fd = os.open(tmp_path, os.O_RDONLY)
    (tmp_path / "spare").write_bytes(b"new")
    (tmp_path / "target").write_bytes(b"old")
    yield fd
    os.close(fd)


def held(tmp_path: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in tmp_path.iterdir()}


@pytest.mark.usefixtures("renames")
def test_swaps_two_names(folder: int, tmp_path: Path) -> None:
    rename.exchange(folder, "spare", "target")
    assert held(tmp_path) == {"spare": b"old", "target": b"new"}


@pytest.mark.usefixtures("renames")
def test_gives_a_free_name_only(folder: int, tmp_path: Path) -> None:
    with pytest.raises(FileExistsError):
        rename.name_free(folder, "spare", folder, "target")
    assert held(tmp_path) == {"spare": b"new", "target": b"old"}
    rename.name_free(folder, "spare", folder, "free")
    assert held(tmp_path) == {"free": b"new", "target": b"old"}


@pytest.mark.usefixtures("renames")
def test_a_missing_file_is_an_error_and_changes_nothing(folder: int, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        rename.exchange(folder, "spare", "nowhere")
    with pytest.raises(FileNotFoundError):
        rename.name_free(folder, "nowhere", folder, "free")
    assert held(tmp_path) == {"spare": b"new", "target": b"old"}


def test_other_failures_are_failures(folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(rename, "_renameat2", lambda *_: False)
    monkeypatch.setattr(os, "link", full)
    with pytest.raises(OSError, match="No space"):
        rename.exchange(folder, "spare", "target")
    with pytest.raises(OSError, match="No space"):
        rename.name_free(folder, "spare", folder, "free")
    assert held(tmp_path) == {"spare": b"new", "target": b"old"}


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.EINVAL, errno.EPERM])
def test_a_system_that_lacks_it(folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    import ctypes

    def lacking(*_: object) -> int:
        ctypes.set_errno(code)
        return -1

    monkeypatch.setattr(rename, "_call", lacking)
    rename.exchange(folder, "spare", "target")
    rename.name_free(folder, "spare", folder, "free")
    assert held(tmp_path) == {"free": b"old", "target": b"new"}


@pytest.mark.parametrize(
    ("crashed", "ended"),
    [
        ({"spare": b"new", "target": b"old"}, {"spare": b"new", "target": b"old"}),
        ({"spare": b"new", "target": b"old", "spare~": b"old"}, {"spare": b"new", "target": b"old"}),
        ({"spare": b"new", "target": b"old", "spare~": b"half a co"}, {"spare": b"new", "target": b"old"}),
        ({"target": b"new", "spare~": b"old"}, {"spare": b"old", "target": b"new"}),
        ({"spare": b"old", "target": b"new"}, {"spare": b"old", "target": b"new"}),
    ],
)
def test_ends_an_exchange_that_a_crash_cut(
    folder: int, tmp_path: Path, crashed: dict[str, bytes], ended: dict[str, bytes]
) -> None:
    for path in tmp_path.iterdir():
        path.unlink()
    for name, data in crashed.items():
        (tmp_path / name).write_bytes(data)
    rename.end_exchange(folder, "spare")
    assert held(tmp_path) == ended


class TestTakeBack:
    """`spare` holds what we took out, `target` ours; another program writes before some of the exchanges."""

    @pytest.mark.parametrize(
        ("versions", "back", "left"),
        [
            ((), True, {"target": b"new", "spare": b"old"}),
            ((b"1",), False, {"target": b"1", "spare": b"new"}),
            ((None, b"1"), True, {"target": b"new", "spare": b"old"}),
            ((b"1", b"2"), False, {"target": b"2", "spare": b"1"}),
            ((b"1", b"2", b"3"), False, {"target": b"3", "spare": b"2"}),
        ],
    )
    def test_the_newest_stays(
        self,
        folder: int,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        versions: tuple[bytes | None, ...],
        back: bool,
        left: dict[str, bytes],
    ) -> None:
        exchange = rename.exchange
        coming = list(versions)

        def disturbed(*args: object) -> None:
            if coming and (version := coming.pop(0)) is not None:
                (tmp_path / "theirs").write_bytes(version)
                (tmp_path / "theirs").rename(tmp_path / "target")
            exchange(*args)  # type: ignore[arg-type]

        monkeypatch.setattr(rename, "exchange", disturbed)
        assert rename.take_back(folder, "spare", "target", b"old") is back
        assert held(tmp_path) == left
