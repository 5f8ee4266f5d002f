from __future__ import annotations

from pathlib import Path

import pytest

from gardener.errors import StaleError, UsageError
from gardener.storage import atomic, beneath, rename
from gardener.storage.beneath import Root

PATH = "proposals/pending/x.md"


def names(store: Path) -> list[str]:
    return sorted(str(path.relative_to(store)) for path in store.rglob("*") if path.is_file())


@pytest.mark.parametrize("was", [atomic.ANY, b"same"])
def test_equal_bytes_are_left_alone(root: Root, store: Path, was: bytes | str) -> None:
    (store / PATH).write_bytes(b"same")
    before = (store / PATH).stat()
    assert atomic.write(root, PATH, b"same", was=was) is False
    assert (store / PATH).stat() == before


@pytest.mark.usefixtures("renames")
@pytest.mark.parametrize("was", [atomic.ANY, b"old"])
def test_writes_over_what_was_read_and_keeps_its_mode(root: Root, store: Path, was: bytes | str) -> None:
    (store / PATH).write_bytes(b"old")
    (store / PATH).chmod(0o640)
    assert atomic.write(root, PATH, b"new", was=was) is True
    assert (store / PATH).read_bytes() == b"new"
    assert (store / PATH).stat().st_mode & 0o777 == 0o640
    assert names(store) == [PATH]


@pytest.mark.parametrize("was", [atomic.ANY, None])
def test_makes_a_new_file_and_its_folder(root: Root, store: Path, was: str | None) -> None:
    assert atomic.write(root, "reports/2026/r.md", b"new", was=was) is True
    assert (store / "reports/2026/r.md").read_bytes() == b"new"


@pytest.mark.parametrize(("held", "was"), [(b"ticked", b"old"), (b"ticked", None), (None, b"old")])
def test_what_somebody_wrote_meanwhile_stays(root: Root, store: Path, held: bytes | None, was: bytes | None) -> None:
    if held is not None:
        (store / PATH).write_bytes(held)
    with pytest.raises(StaleError, match="written meanwhile"):
        atomic.write(root, PATH, b"new", was=was)
    assert names(store) == ([PATH] if held is not None else [])
    assert held is None or (store / PATH).read_bytes() == held


def beside(monkeypatch: pytest.MonkeyPatch, store: Path, name: str, *versions: bytes | None) -> None:
    """Let another program write each version, or remove the file, just before we exchange or rename without losing."""
    real = getattr(rename, name)
    coming = list(versions)

    def disturbed(*args: object) -> object:
        if coming:
            version = coming.pop(0)
            if version is None:
                (store / PATH).unlink()
            else:
                (store / "theirs").write_bytes(version)
                (store / "theirs").rename(store / PATH)
        return real(*args)

    monkeypatch.setattr(rename, name, disturbed)


@pytest.mark.usefixtures("renames")
def test_a_tick_between_look_and_exchange_comes_back(
    root: Root, store: Path, monkeypatch: pytest.MonkeyPatch, renames: str
) -> None:
    if renames != "renameat2":
        return  # without an exchange by the kernel that moment is not covered, and rename.py says so
    (store / PATH).write_bytes(b"old")
    beside(monkeypatch, store, "exchange", b"ticked")
    with pytest.raises(StaleError, match="written meanwhile"):
        atomic.write(root, PATH, b"new", was=b"old")
    assert (store / PATH).read_bytes() == b"ticked"
    assert names(store) == [PATH]


def test_of_two_ticks_in_a_row_the_later_stays_and_the_earlier_is_kept(
    root: Root, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (store / PATH).write_bytes(b"old")
    beside(monkeypatch, store, "exchange", b"ticked", b"ticked again")
    with pytest.raises(StaleError):
        atomic.write(root, PATH, b"new", was=b"old")
    assert (store / PATH).read_bytes() == b"ticked again"
    [kept] = atomic.clean(root, "proposals/pending", "proposals/conflicts")
    assert (store / kept).read_bytes() == b"ticked"
    assert names(store) == sorted([PATH, kept])


@pytest.mark.parametrize(("call", "version"), [("exchange", None), ("name_free", b"theirs")])
def test_a_file_that_goes_or_comes_meanwhile_stays_so(
    root: Root, store: Path, monkeypatch: pytest.MonkeyPatch, call: str, version: bytes | None
) -> None:
    was = b"old" if version is None else None
    if was is not None:
        (store / PATH).write_bytes(was)
    beside(monkeypatch, store, call, version)
    with pytest.raises(StaleError):
        atomic.write(root, PATH, b"new", was=was)
    assert names(store) == ([] if version is None else [PATH])


def test_removes_only_what_was_read(root: Root, store: Path) -> None:
    assert atomic.remove(root, PATH) is False
    assert atomic.remove(root, "proposals/nowhere/x.md", was=b"x") is False
    (store / PATH).write_bytes(b"ticked")
    for was in (b"old", None):
        with pytest.raises(StaleError):
            atomic.remove(root, PATH, was=was)
        assert (store / PATH).read_bytes() == b"ticked"
    assert atomic.remove(root, PATH, was=b"ticked") is True
    (store / PATH).write_bytes(b"any")
    assert atomic.remove(root, PATH) is True
    assert names(store) == []


def test_moves_by_writing_first(root: Root, store: Path) -> None:
    (store / PATH).write_bytes(b"old")
    with pytest.raises(StaleError):
        atomic.move(root, PATH, "proposals/applied/x.md", b"new", was=b"other")
    assert names(store) == ["proposals/applied/x.md", PATH]
    atomic.move(root, PATH, "proposals/applied/x.md", b"new", was=b"old")
    assert names(store) == ["proposals/applied/x.md"]
    atomic.move(root, "proposals/applied/x.md", "proposals/applied/x.md", b"newer")
    assert (store / "proposals/applied/x.md").read_bytes() == b"newer"


def test_clears_what_a_killed_writer_left(root: Root, store: Path) -> None:
    pending = store / "proposals/pending"
    old, new = atomic._short(b"old"), atomic._short(b"new")
    (pending / ".gardener-0123456789ab.new").write_bytes(b"half")
    (pending / f".gardener-0123456789ab-{old}-{new}.swap").write_bytes(b"old")
    (pending / f".gardener-0123456789ac-{old}-{new}.swap~").write_bytes(b"new")
    (pending / f".gardener-0123456789ad-{old}-{new}.swap").write_bytes(b"ticked")
    (pending / f".gardener-0123456789ae-{old}-{new}.swap").write_bytes(b"new")
    (pending / f".gardener-0123456789ae-{old}-{new}.swap~").write_bytes(b"ol")
    (pending / ".gardener-mine.md").write_bytes(b"not ours")
    [kept] = atomic.clean(root, "proposals/pending", "proposals/conflicts")
    assert (store / kept).read_bytes() == b"ticked"
    assert names(store) == sorted([kept, "proposals/pending/.gardener-mine.md"])
    assert atomic.clean(root, "nowhere", "proposals/conflicts") == ()


def test_the_private_folder_ignores_itself(root: Root, store: Path) -> None:
    atomic.make_private(root)
    (store / ".gardener/.gitignore").write_bytes(b"")
    atomic.make_private(root)
    assert (store / ".gardener/.gitignore").read_bytes() == b"*\n"


def test_a_full_disk_leaves_nothing_behind(root: Root, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic, "flush", full)
    with pytest.raises(OSError, match="No space") as caught:
        atomic.write(root, PATH, b"new")
    assert caught.value.filename == PATH
    assert names(store) == []


@pytest.mark.parametrize("path", ["../x.md", "/x.md", "a/../b"])
def test_writes_nothing_outside(root: Root, path: str) -> None:
    with pytest.raises(UsageError):
        atomic.write(root, path, b"x")


def test_writes_through_no_link(root: Root, store: Path) -> None:
    outside = store.parent / "outside"
    outside.mkdir()
    (outside / "x.md").write_bytes(b"outside")
    (store / "proposals/out").symlink_to(outside)
    with pytest.raises(OSError, match="symbolic link"):
        atomic.write(root, "proposals/out/x.md", b"new")
    with pytest.raises(OSError, match="symbolic link"):
        atomic.remove(root, "proposals/out/x.md")
    (store / PATH).symlink_to(outside / "x.md")
    with pytest.raises(OSError, match="symbolic link"):
        atomic.write(root, PATH, b"new")
    assert (outside / "x.md").read_bytes() == b"outside"
    assert beneath.exists(root, PATH)
