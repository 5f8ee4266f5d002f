"""Tries to change a memory in every way it knows, from a confined process: `python -m tests.daemon.intruder STORE`.

Prints one JSON object: place (main, thread, forked, spawned) → way → what happened. Which bytes changed is the test's
to find out; `refused` is what the way itself met. With `--unconfined` it tries the harmless ways without confinement,
on a memory made anew for each: a way that is refused even then proves nothing.
"""

import ctypes
import json
import mmap
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from gardener.daemon.sandbox import MARK, Level, confine
from tests.daemon.tiny import walls

AT_FDCWD, RENAME_EXCHANGE = -100, 2
PTRACE_ATTACH, MS_BIND, CLONE_NEWNS, CLONE_NEWUSER = 16, 4096, 0x20000, 0x10000000


class Ground:
    """The memory under attack, its folder, and a folder where writing is allowed."""

    def __init__(self, store: Path) -> None:
        self.file = store / "memory" / "_global" / "a.md"
        self.folder = self.file.parent
        self.free = store / "proposals" / f"free-{os.getpid()}-{threading.get_ident()}"
        self.free.mkdir(exist_ok=True)
        self.ours = self.free / "ours.md"
        self.ours.write_text("written by an intruder\n")


def libc(name: str, *arguments: object) -> int:
    library = ctypes.CDLL(None, use_errno=True)
    result: int = getattr(library, name)(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def overwrite(ground: Ground) -> None:
    ground.file.write_text("x")


def append(ground: Ground) -> None:
    with ground.file.open("a") as file:
        file.write("x")


def update_in_place(ground: Ground) -> None:
    with ground.file.open("r+b") as file:
        file.write(b"x")


def open_truncating(ground: Ground) -> None:
    os.close(os.open(ground.file, os.O_WRONLY | os.O_TRUNC))


def open_read_only_truncating(ground: Ground) -> None:
    os.close(os.open(ground.file, os.O_RDONLY | os.O_TRUNC))


def truncate_by_path(ground: Ground) -> None:
    os.truncate(ground.file, 1)


def truncate_by_descriptor(ground: Ground) -> None:
    descriptor = os.open(ground.file, os.O_RDONLY)
    try:
        os.ftruncate(descriptor, 1)
    finally:
        os.close(descriptor)


def shared_mapping(ground: Ground) -> None:
    with ground.file.open("r+b") as file, mmap.mmap(file.fileno(), 0) as view:
        view[0:1] = b"x"


def protect_a_mapping(ground: Ground) -> None:
    with ground.file.open("rb") as file, mmap.mmap(file.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ) as view:
        address = ctypes.c_void_p()
        size = ctypes.c_ssize_t()
        ctypes.pythonapi.PyObject_AsReadBuffer(ctypes.py_object(view), ctypes.byref(address), ctypes.byref(size))
        libc("mprotect", address, ctypes.c_size_t(4096), 3)


def create(ground: Ground) -> None:
    (ground.folder / "new.md").write_text("x")


def delete(ground: Ground) -> None:
    ground.file.unlink()


def rename_inside(ground: Ground) -> None:
    ground.file.rename(ground.folder / "b.md")


def rename_out(ground: Ground) -> None:
    ground.file.rename(ground.free / "taken.md")


def rename_over(ground: Ground) -> None:
    ground.ours.rename(ground.file)


def exchange(ground: Ground) -> None:
    ours, theirs = os.fsencode(ground.ours), os.fsencode(ground.file)
    libc("renameat2", AT_FDCWD, ours, AT_FDCWD, theirs, RENAME_EXCHANGE)


def rename_the_folder(ground: Ground) -> None:
    ground.folder.rename(ground.free / "folder")


def link_in(ground: Ground) -> None:
    (ground.folder / "linked.md").hardlink_to(ground.ours)


def link_out_and_write(ground: Ground) -> None:
    way = ground.free / "hard.md"
    way.hardlink_to(ground.file)
    way.write_text("x")


def symlink_out_and_write(ground: Ground) -> None:
    way = ground.free / "soft.md"
    way.unlink(missing_ok=True)
    way.symlink_to(ground.file)
    way.write_text("x")


def symlink_in(ground: Ground) -> None:
    (ground.folder / "soft.md").symlink_to(ground.ours)


def make_folder(ground: Ground) -> None:
    (ground.folder / "sub").mkdir()


def remove_folder(ground: Ground) -> None:
    shutil.rmtree(ground.folder)


def make_pipe(ground: Ground) -> None:
    os.mkfifo(ground.folder / "pipe")


def make_node(ground: Ground) -> None:
    os.mknod(ground.folder / "node.md")


def bind_socket(ground: Ground) -> None:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(ground.folder / "socket"))


def nameless_file_linked_in(ground: Ground) -> None:
    descriptor = os.open(ground.free, os.O_TMPFILE | os.O_RDWR)
    try:
        source = f"/proc/self/fd/{descriptor}".encode()
        libc("linkat", AT_FDCWD, source, AT_FDCWD, os.fsencode(ground.folder / "nameless.md"), 0x400)
    finally:
        os.close(descriptor)


def copy_over(ground: Ground) -> None:
    shutil.copyfile(ground.ours, ground.file)


def copy_range(ground: Ground) -> None:
    source, target = os.open(ground.ours, os.O_RDONLY), os.open(ground.file, os.O_RDONLY)
    try:
        os.copy_file_range(source, target, 5)
    finally:
        os.close(source)
        os.close(target)


def reopen_by_descriptor(ground: Ground) -> None:
    descriptor = os.open(ground.file, os.O_RDONLY)
    try:
        Path(f"/proc/self/fd/{descriptor}").write_text("x")
    finally:
        os.close(descriptor)


def by_the_root_link(ground: Ground) -> None:
    Path(f"/proc/self/root{ground.file}").write_text("x")


def by_the_parents_root(ground: Ground) -> None:
    Path(f"/proc/{os.getppid()}/root{ground.file}").write_text("x")


def by_dots(ground: Ground) -> None:
    (ground.free / ".." / ".." / "memory" / "_global" / "a.md").write_text("x")


def by_folder_descriptor(ground: Ground) -> None:
    folder = os.open(ground.folder, os.O_RDONLY)
    try:
        os.close(os.open("a.md", os.O_WRONLY | os.O_TRUNC, dir_fd=folder))
    finally:
        os.close(folder)


def by_file_handle(ground: Ground) -> None:
    handle = (ctypes.c_char * 136)()
    ctypes.c_uint.from_buffer(handle).value = 128
    mount = ctypes.c_int()
    libc("name_to_handle_at", AT_FDCWD, os.fsencode(ground.file), handle, ctypes.byref(mount), 0)
    folder = os.open(ground.folder, os.O_RDONLY)
    try:
        os.close(libc("open_by_handle_at", folder, handle, os.O_WRONLY | os.O_TRUNC))
    finally:
        os.close(folder)


def database(ground: Ground) -> None:
    connection = sqlite3.connect(ground.folder / "x.db")
    try:
        connection.execute("create table t (x)")
    finally:
        connection.close()


def mount_over(ground: Ground) -> None:
    libc("mount", os.fsencode(ground.folder), os.fsencode(ground.free), None, MS_BIND, None)


def in_a_child(action: Callable[[], object]) -> None:
    child = os.fork()
    if child == 0:
        try:
            action()
            os._exit(0)
        except OSError as error:
            os._exit(error.errno or 255)
    _, status = os.waitpid(child, 0)
    if status != 0:
        raise PermissionError(os.waitstatus_to_exitcode(status), "refused in the child")


def own_namespace(ground: Ground) -> None:
    in_a_child(lambda: (libc("unshare", CLONE_NEWUSER | CLONE_NEWNS), mount_over(ground)))


def change_root(ground: Ground) -> None:
    in_a_child(lambda: (os.chroot(ground.folder), Path("/a.md").write_text("x")))


def write_the_disk(ground: Ground) -> None:
    # The block device that the store lies on, opened and closed again.
    device = ground.file.stat().st_dev
    name = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}").resolve().name
    os.close(os.open(f"/dev/{name}", os.O_WRONLY))


def trace_the_parent(ground: Ground) -> None:
    libc("ptrace", PTRACE_ATTACH, os.getppid(), None, None)


def write_the_parents_memory(ground: Ground) -> None:
    os.close(os.open(f"/proc/{os.getppid()}/mem", os.O_RDWR))


def take_the_parents_descriptor(ground: Ground) -> None:
    libc("syscall", 438, os.pidfd_open(os.getppid()), 0, 0)


def inherited_descriptor(ground: Ground) -> None:
    os.write(int(os.environ["LEFT_OPEN"]), b"x")


def shell(command: str) -> Callable[[Ground], None]:
    def run(ground: Ground) -> None:
        environment = {**os.environ, "FILE": str(ground.file), "DIR": str(ground.folder), "OURS": str(ground.ours)}
        subprocess.run(["sh", "-c", command], env=environment, check=True, capture_output=True)

    return run


def forked_write(ground: Ground) -> None:
    in_a_child(lambda: ground.file.write_text("x"))


WAYS: dict[str, Callable[[Ground], None]] = {
    way.__name__: way
    for way in (
        overwrite, append, update_in_place, open_truncating, open_read_only_truncating, truncate_by_path,
        truncate_by_descriptor, shared_mapping, protect_a_mapping, create, delete, rename_inside, rename_out,
        rename_over, exchange, rename_the_folder, link_in, link_out_and_write, symlink_out_and_write,
        symlink_in, make_folder, remove_folder, make_pipe, make_node, bind_socket, nameless_file_linked_in,
        copy_over, copy_range, reopen_by_descriptor, by_the_root_link, by_the_parents_root, by_dots,
        by_folder_descriptor, by_file_handle, database, mount_over, own_namespace, change_root,
        write_the_disk, inherited_descriptor, forked_write,
    )
}  # fmt: skip
WAYS |= {
    f"sh: {command}": shell(command)
    for command in (
        'echo x > "$FILE"',
        'sed -i s/a/b/ "$FILE"',
        'dd if=/dev/zero of="$FILE" bs=1 count=1 conv=notrunc',
        'mv "$OURS" "$FILE"',
        'cp -f "$OURS" "$FILE"',
        'echo x | tee -a "$FILE"',
        'rm -f "$FILE" && test ! -e "$FILE"',
        'truncate -s 0 "$FILE"',
        'ln -sf "$OURS" "$FILE"',
        'install -m 644 "$OURS" "$FILE"',
    )
}
# Only where the parent is not itself confined by the same rules.
AGAINST_THE_PARENT = {
    way.__name__: way for way in (trace_the_parent, write_the_parents_memory, take_the_parents_descriptor)
}


# Tried unconfined these would leave something behind on the machine.
HARMFUL = {"mount_over", "own_namespace", "write_the_disk", "inherited_descriptor"}


def attempt(store: Path, ways: dict[str, Callable[[Ground], None]]) -> dict[str, str]:
    ground = Ground(store)
    found = {}
    for name, way in ways.items():
        try:
            way(ground)
            found[name] = "SUCCEEDED"
        except (OSError, sqlite3.OperationalError, subprocess.CalledProcessError) as error:
            found[name] = f"refused: {error}"
    return found


def attempt_unconfined(store: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in sorted(WAYS.keys() - HARMFUL):
        shutil.rmtree(store, ignore_errors=True)
        for folder in ("memory/_global", "proposals"):
            (store / folder).mkdir(parents=True)
        (store / "memory" / "_global" / "a.md").write_text("a b c\n")
        found |= attempt(store, {name: WAYS[name]})
    return found


def in_thread(store: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    thread = threading.Thread(target=lambda: found.update(attempt(store, WAYS)))
    thread.start()
    thread.join()
    return found


def in_fork(store: Path) -> dict[str, str]:
    reader, writer = os.pipe()
    if os.fork() == 0:
        with os.fdopen(writer, "w") as out:
            json.dump(attempt(store, WAYS), out)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        found: dict[str, str] = json.load(answer)
    os.wait()
    return found


def in_spawn(store: Path) -> dict[str, str]:
    command = [sys.executable, "-m", "tests.daemon.intruder", str(store), "--already-confined"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found


def main(store: Path) -> None:
    if MARK not in os.environ:
        # A thread that was there before must not survive as a way around.
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    confinement = confine(walls(store), "prefer")
    if confinement.level is Level.NONE:
        print(json.dumps({"unavailable": confinement.says}))
        return
    places = {
        "main": attempt(store, WAYS | AGAINST_THE_PARENT),
        "thread": in_thread(store),
        "forked": in_fork(store),
        "spawned": in_spawn(store),
    }
    print(json.dumps({"level": confinement.level, "threads": threading.active_count(), "places": places}))


if __name__ == "__main__":
    if "--already-confined" in sys.argv:
        print(json.dumps(attempt(Path(sys.argv[1]), WAYS)))
    elif "--unconfined" in sys.argv:
        print(json.dumps(attempt_unconfined(Path(sys.argv[1]))))
    else:
        main(Path(sys.argv[1]))
