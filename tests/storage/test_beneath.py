from __future__ import annotations

import errno
import os
import socket
import threading
from pathlib import Path

import pytest

from gardener.errors import NoStoreError, UsageError
from gardener.storage import beneath
from gardener.storage.beneath import Root

pytestmark = pytest.mark.usefixtures("kernel")
OUTSIDE = b"outside the store"


@pytest.fixture
def outside(store: Path) -> Path:
    """A folder beside the store, which nothing may reach."""
    folder = store.parent / "outside"
    folder.mkdir()
    (folder / "x.md").write_bytes(OUTSIDE)
    return folder


def test_reads_a_file_at_any_depth(root: Root, store: Path) -> None:
    (store / "memory/p/a.md").write_bytes(b"\xef\xbb\xbfa\r\n")
    (store / "top").write_bytes(b"")
    assert beneath.read(root, "memory/p/a.md", 6) == b"\xef\xbb\xbfa\r\n"
    assert beneath.read(root, "top", 0) == b""


def test_reads_names_that_are_not_text(root: Root, store: Path) -> None:
    path = os.fsencode(store) + b"/memory/\xff.md"
    with open(path, "wb") as file:
        file.write(b"odd")
    assert beneath.read(root, "memory/\udcff.md", 10) == b"odd"
    assert [name for name, _ in beneath.listing(root, "memory")] == ["p", "\udcff.md"]


@pytest.mark.parametrize("path", ["..", "../x", "a/../../x", "/etc/passwd", "a//b", "a/", "./a", "a/.", "a\0b", "/"])
def test_refuses_paths_that_are_not_inside(root: Root, path: str) -> None:
    with pytest.raises(UsageError, match="not a path inside the store"):
        beneath.read(root, path, 10)
    with pytest.raises(UsageError):
        beneath.exists(root, path)


@pytest.mark.parametrize(
    ("link", "target", "path"),
    [
        ("memory/x.md", "../../outside/x.md", "memory/x.md"),
        ("memory/q", "../../outside", "memory/q/x.md"),
        ("memory/inside.md", "p/a.md", "memory/inside.md"),
        ("memory/loop", "loop", "memory/loop/x.md"),
    ],
)
def test_follows_no_link(root: Root, store: Path, outside: Path, link: str, target: str, path: str) -> None:
    (store / "memory/p/a.md").write_bytes(b"a")
    (store / link).symlink_to(target)
    with pytest.raises(OSError, match="symbolic link") as caught:
        beneath.read(root, path, 100)
    assert caught.value.errno == errno.ELOOP
    assert caught.value.filename == path
    with pytest.raises(OSError, match="symbolic link"):
        beneath.make_folder(root, f"{path}/new")
    assert sorted(outside.iterdir()) == [outside / "x.md"]


def test_says_what_a_link_is_without_following_it(root: Root, store: Path) -> None:
    (store / "memory/dangling.md").symlink_to("nowhere")
    assert beneath.exists(root, "memory/dangling.md")
    assert not beneath.exists(root, "memory/nowhere")
    assert not beneath.exists(root, "memory/nowhere/below")
    assert oct(beneath.stat(root, "memory/dangling.md").st_mode).startswith("0o12")
    assert oct(beneath.stat(root, "").st_mode).startswith("0o4")


def test_the_store_itself_may_be_a_link(store: Path) -> None:
    link = store.parent / "link"
    link.symlink_to(store)
    with beneath.open_root(link) as root:
        assert root.path == str(store)
        assert beneath.exists(root, "memory")


@pytest.mark.parametrize("path", ["nowhere", "file"])
def test_no_store_is_an_error_of_its_own(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NoStoreError, match=path):
        beneath.open_root(tmp_path / path)


def test_never_waits_for_special_files(root: Root, store: Path) -> None:
    os.mkfifo(store / "memory/fifo.md")
    with socket.socket(socket.AF_UNIX) as listening:
        os.chdir(store / "memory")
        listening.bind("socket.md")
        for name in ("fifo.md", "socket.md"):
            with pytest.raises(OSError, match=r"not a regular file|No such device"):
                beneath.read(root, f"memory/{name}", 10)
    with pytest.raises(OSError, match="not a regular file"):
        beneath.read(root, "memory/p", 10)


def test_refuses_what_is_too_large(root: Root, store: Path) -> None:
    (store / "memory/a.md").write_bytes(b"12345")
    assert beneath.read(root, "memory/a.md", 5) == b"12345"
    with pytest.raises(OSError, match="larger than 4 bytes") as caught:
        beneath.read(root, "memory/a.md", 4)
    assert caught.value.errno == errno.EFBIG


def test_makes_folders_once(root: Root, store: Path) -> None:
    beneath.make_folder(root, "notes/p/deep")
    beneath.make_folder(root, "notes/p/deep")
    beneath.make_folder(root, "")
    assert (store / "notes/p/deep").is_dir()
    (store / "notes/file").write_bytes(b"")
    with pytest.raises(NotADirectoryError):
        beneath.make_folder(root, "notes/file")


def test_the_store_folder_has_no_parent(root: Root) -> None:
    with pytest.raises(UsageError, match="not a file"), beneath.parent(root, ""):
        pass


def test_what_is_refused_inside_is_told_by_its_path(root: Root) -> None:
    with pytest.raises(FileNotFoundError) as caught, beneath.parent(root, "memory/p/a.md") as (folder, name):
        os.unlink(name, dir_fd=folder)
    assert caught.value.filename == "memory/p/a.md"


def test_a_folder_swapped_for_a_link_again_and_again_never_leads_out(root: Root, store: Path, outside: Path) -> None:
    (store / "memory/p/x.md").write_bytes(b"inside")
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            (store / "memory/p").rename(store / "memory/aside")
            (store / "memory/p").symlink_to(outside)
            (store / "memory/p").unlink()
            (store / "memory/aside").rename(store / "memory/p")

    swapping = threading.Thread(target=swap)
    swapping.start()
    seen, refusals = set(), set()
    try:
        for _ in range(3000):
            try:
                seen.add(beneath.read(root, "memory/p/x.md", 100))
            except OSError as error:
                refusals.add(error.errno)
    finally:
        over.set()
        swapping.join()
    assert seen <= {b"inside"}
    assert refusals <= {errno.ELOOP, errno.ENOENT, errno.EAGAIN}
