"""A model of a disk that forgets: what a traced command did, and every state a power cut may leave.

Harsher than journalling file systems. Until its folder is flushed every change of a name may be lost or kept by itself,
later ones without earlier ones, a rename between folders by halves; until a file is flushed its bytes may be the old
ones, any written so far, half of them, or zeros; of a write in place (a database's) only the part it wrote.
"""

from __future__ import annotations

import itertools
import os
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from tests.proofs.case import run

TRACED = (
    "openat,openat2,write,pwrite64,ftruncate,fsync,fdatasync,rename,renameat,renameat2,"
    "unlink,unlinkat,mkdir,mkdirat,rmdir,link,linkat,close,dup,dup2,dup3,fcntl,lseek"
)
_LINE = re.compile(
    r"^(?:(?P<pid>\d+) +)?(?P<name>\w+)\((?P<args>.*)\)\s+= (?P<result>-?\d+|\?)(?:<(?P<path>[^>]*)>)?(?P<tail>.*)$"
)
_TOKEN = re.compile(r'(?:AT_FDCWD|(?P<fd>\d+))<(?P<at>[^>]*)>|"(?P<text>[^"]*)"(?P<cut>\.\.\.)?')
_FLAG_EXCHANGE = "RENAME_EXCHANGE"


@dataclass(frozen=True)
class Data:
    """The file `inode` now holds `data`. `only` is the part that a write in place concerned; None for all of it."""

    inode: int
    data: bytes
    only: tuple[int, int] | None = None

    def torn(self, before: bytes) -> list[bytes]:
        """What the disk may hold when the write was under way: half of it, or zeros."""
        start, end = self.only or (0, len(self.data))
        middle = (start + end) // 2
        behind = before[middle:] if self.only else b""
        return [self.data[:middle] + behind, self.data[:start] + bytes(end - start) + self.data[end:]]


@dataclass(frozen=True)
class Names:
    """Entries of one folder that change as one: (name, inode or None)."""

    folder: int
    entries: tuple[tuple[str, int | None], ...]


@dataclass(frozen=True)
class Sync:
    """`inode` was flushed. `what` says which, for people."""

    inode: int
    what: str


Op: TypeAlias = Data | Names | Sync
Image: TypeAlias = tuple[tuple[str, bytes | None], ...]
"""Paths and bytes (None for a folder), sorted: what is on the disk."""


@dataclass
class Disk:
    """The live file system of a trace, and the operations that made it from `base`. The store folder is inode 0."""

    root: str
    folders: dict[int, dict[str, int]] = field(default_factory=lambda: {0: {}})
    files: dict[int, bytes] = field(default_factory=dict)
    ops: list[Op] = field(default_factory=list)
    base_folders: dict[int, dict[str, int]] = field(default_factory=dict)
    base_files: dict[int, bytes] = field(default_factory=dict)
    opened: dict[int, tuple[int, int]] = field(default_factory=dict)
    count: int = 0

    @staticmethod
    def of(root: str, store: Path) -> Disk:
        """The disk with the store as it is in `store`, everything flushed."""
        disk = Disk(root)
        for path in sorted(store.rglob("*")):
            *above, name = path.relative_to(store).parts
            folder = disk.find("/".join(above))
            assert folder is not None
            disk.folders[folder][name] = disk.new(None if path.is_dir() else path.read_bytes())
        disk.base_folders = {inode: dict(names) for inode, names in disk.folders.items()}
        disk.base_files = dict(disk.files)
        return disk

    def new(self, data: bytes | None) -> int:
        self.count += 1
        if data is None:
            self.folders[self.count] = {}
        else:
            self.files[self.count] = data
        return self.count

    def find(self, path: str) -> int | None:
        inode: int | None = 0
        for part in path.split("/") if path else ():
            inode = self.folders.get(-1 if inode is None else inode, {}).get(part)
        return inode

    def place(self, full: str) -> tuple[int, str] | None:
        """The folder's inode and the name, for a path in the store; None for any other."""
        if not full.startswith(self.root + "/"):
            return None
        above, _, name = full[len(self.root) + 1 :].rpartition("/")
        folder = self.find(above)
        return None if folder is None else (folder, name)

    def name(self, folder: int, *entries: tuple[str, int | None]) -> None:
        self.ops.append(Names(folder, entries))
        apply_names(self.folders, self.ops[-1])

    def write(self, inode: int, data: bytes, only: tuple[int, int] | None = None) -> None:
        self.files[inode] = data
        self.ops.append(Data(inode, data, only))


def apply_names(folders: dict[int, dict[str, int]], op: Names) -> None:
    for name, inode in op.entries:
        if inode is None:
            folders.setdefault(op.folder, {}).pop(name, None)
        else:
            folders.setdefault(op.folder, {})[name] = inode


def trace(command: tuple[str, ...], store: Path, *options: str) -> tuple[Disk, int, list[str]]:
    """Run `command` on `store` under strace: what it did to the disk, its exit code and what it printed."""
    disk = Disk.of(str(store), store)
    log = store.parent / "trace"
    under = (
        "strace",
        "-f",
        "-xx",
        "-y",
        "-s",
        "8000000",
        "-e",
        "signal=none",
        "-o",
        str(log),
        "-e",
        f"trace={TRACED}",
        *options,
    )
    done = run(command, store, under=under)
    for line in _whole(log.read_text(errors="replace").splitlines()):
        found = _LINE.match(line)
        if found and found["result"] not in {"?", "-1"}:
            _replay(disk, found)
        elif found and found["name"] == "fsync":
            disk.ops.append(Sync(-1, "failed"))
    return disk, done.returncode, done.stdout.splitlines()


def _whole(lines: list[str]) -> Iterator[str]:
    """Calls that strace had to cut in two because another thread came in between, joined when they return."""
    begun: dict[str, str] = {}
    for line in lines:
        pid = line.split(" ", 1)[0]
        if line.endswith(" <unfinished ...>"):
            begun[pid] = line.removesuffix(" <unfinished ...>")
        elif resumed := re.match(r"\d+ +<\.\.\. \w+ resumed>", line):
            yield begun.pop(pid, "") + line[resumed.end() :]
        else:
            yield line


def _replay(disk: Disk, line: re.Match[str]) -> None:
    tokens = list(_TOKEN.finditer(line["args"]))
    texts = [_bytes(token["text"]) for token in tokens if token["text"] is not None]
    fds = [int(token["fd"]) for token in tokens if token["fd"]]
    result = int(line["result"])
    match line["name"]:
        case "openat" | "openat2":
            _open(disk, _paths(tokens)[0], line["args"], result)
        case "close":
            disk.opened.pop(fds[0], None)
        case "dup" | "dup2" | "dup3" | "fcntl" if "DUP" in line["args"] or line["name"] != "fcntl":
            if fds[0] in disk.opened:
                disk.opened[result] = disk.opened[fds[0]]
        case "write" if fds and fds[0] in disk.opened:
            inode, offset = disk.opened[fds[0]]
            data = disk.files[inode].ljust(offset, b"\0")
            disk.write(inode, data[:offset] + texts[0][:result] + data[offset + result :])
            disk.opened[fds[0]] = inode, offset + result
        case "pwrite64" if fds and fds[0] in disk.opened:
            inode, offset = disk.opened[fds[0]][0], int(line["args"].rpartition(", ")[2])
            data, end = disk.files[inode].ljust(offset, b"\0"), offset + result
            disk.write(inode, data[:offset] + texts[0][:result] + data[end:], (offset, end))
        case "ftruncate" if fds and fds[0] in disk.opened:
            size = int(line["args"].rpartition(", ")[2])
            inode = disk.opened[fds[0]][0]
            disk.write(inode, disk.files[inode][:size].ljust(size, b"\0"))
        case "fsync" | "fdatasync" if fds and fds[0] in disk.opened:
            at = next(token["at"] for token in tokens if token["at"])
            what = os.fsdecode(_bytes(at))
            disk.ops.append(Sync(disk.opened[fds[0]][0], what.removeprefix(disk.root).lstrip("/") or "."))
        case "rename" | "renameat" | "renameat2":
            _rename(disk, *_paths(tokens), exchange=_FLAG_EXCHANGE in line["args"])
        case "link" | "linkat":
            source, target = (disk.place(path) for path in _paths(tokens))
            if source and target:
                disk.name(target[0], (target[1], disk.folders[source[0]][source[1]]))
        case "unlink" | "unlinkat" | "rmdir":
            if place := disk.place(_paths(tokens)[0]):
                disk.name(place[0], (place[1], None))
        case "mkdir" | "mkdirat":
            if place := disk.place(_paths(tokens)[0]):
                disk.name(place[0], (place[1], disk.new(None)))


def _open(disk: Disk, path: str, args: str, fd: int) -> None:
    inode: int | None
    if path == disk.root:
        inode = 0
    elif place := disk.place(path):
        inode = disk.folders[place[0]].get(place[1])
        if inode is None and "O_CREAT" in args:
            inode = disk.new(b"")
            disk.name(place[0], (place[1], inode))
        elif inode is not None and "O_TRUNC" in args:
            disk.write(inode, b"")
    else:
        inode = None
    disk.opened.pop(fd, None)
    if inode is not None:
        disk.opened[fd] = inode, len(disk.files.get(inode, b"")) if "O_APPEND" in args else 0


def _rename(disk: Disk, source: str, target: str, *, exchange: bool) -> None:
    old, new = disk.place(source), disk.place(target)
    if old is None or new is None:
        assert old == new, "a rename across the store's edge"
        return
    inode = disk.folders[old[0]][old[1]]
    other = disk.folders[new[0]][new[1]] if exchange else None
    if old[0] == new[0]:
        disk.name(old[0], (old[1], other), (new[1], inode))
        return
    disk.name(new[0], (new[1], inode))
    disk.name(old[0], (old[1], other))


def _paths(tokens: list[re.Match[str]]) -> list[str]:
    """Every path among the arguments, absolute: each text joined to the open folder before it."""
    found: list[str] = []
    at = ""
    for token in tokens:
        if token["text"] is None:
            at = os.fsdecode(_bytes(token["at"]))
        else:
            found.append(
                os.path.normpath(
                    f"{at}/{text}" if not (text := os.fsdecode(_bytes(token["text"]))).startswith("/") else text
                )
            )
    return found


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", "")) if text.startswith("\\x") else text.encode()


def cuts(disk: Disk, per_point: int, seed: int, skip: frozenset[int] = frozenset()) -> Iterator[tuple[int, Image]]:
    """States after a power cut, with how many operations had been done; flushes in `skip` do nothing (a mutant).

    At each point all of them where there are at most `per_point`, else a sample that has the extremes.
    """
    dice = random.Random(seed)
    for done in range(len(disk.ops) + 1):
        ops = [(index, op) for index, op in enumerate(disk.ops[:done]) if index not in skip]
        yield from ((done, image) for image in _states(disk, ops, per_point, dice))


def final(disk: Disk) -> Image:
    return _image(disk.folders, disk.files)


def _states(disk: Disk, ops: list[tuple[int, Op]], per_point: int, dice: random.Random) -> Iterator[Image]:
    synced = {op.inode: index for index, op in ops if isinstance(op, Sync)}
    names = [(index, op) for index, op in ops if isinstance(op, Names)]
    loose = [index for index, op in names if synced.get(op.folder, -1) < index]
    contents = _contents(disk, ops, synced)
    open_files = [inode for inode, versions in contents.items() if len(versions) > 1]
    total = 2 ** len(loose)
    for inode in open_files:
        total *= len(contents[inode])
    for kept, chosen in _choices(loose, [contents[inode] for inode in open_files], total, per_point, dice):
        folders = {inode: dict(entries) for inode, entries in disk.base_folders.items()}
        for index, op in names:
            if index in kept or index not in loose:
                apply_names(folders, op)
        files = {inode: versions[-1] for inode, versions in contents.items()}
        files.update(zip(open_files, chosen, strict=True))
        for inode in disk.folders:
            folders.setdefault(inode, {})
        yield _image(folders, files)


def _choices(
    loose: list[int], versions: list[list[bytes]], total: int, per_point: int, dice: random.Random
) -> Iterator[tuple[set[int], tuple[bytes, ...]]]:
    if total <= per_point:
        for count in range(len(loose) + 1):
            for kept in itertools.combinations(loose, count):
                for chosen in itertools.product(*versions):
                    yield set(kept), chosen
        return
    oldest, newest = tuple(found[0] for found in versions), tuple(found[-1] for found in versions)
    yield set(), oldest
    yield set(loose), newest
    yield set(loose), oldest
    yield set(), newest
    for _ in range(per_point - 4):
        share = dice.random()
        yield {index for index in loose if dice.random() < share}, tuple(dice.choice(found) for found in versions)


def _contents(disk: Disk, ops: list[tuple[int, Op]], synced: dict[int, int]) -> dict[int, list[bytes]]:
    """For each file what it may hold: one content where it was flushed since, else several, the newest last."""
    found = {inode: [disk.base_files.get(inode, b"")] for inode in disk.files}
    for index, op in ops:
        if isinstance(op, Data):
            if synced.get(op.inode, -1) > index:
                found[op.inode] = [op.data]
            else:
                found[op.inode] += [*op.torn(found[op.inode][-1]), op.data]
    return {inode: list(dict.fromkeys(versions)) for inode, versions in found.items()}


def _image(folders: dict[int, dict[str, int]], files: dict[int, bytes]) -> Image:
    found: dict[str, bytes | None] = {}
    stack = [("", 0)]
    while stack:
        path, inode = stack.pop()
        for name, below in folders[inode].items():
            full = f"{path}/{name}" if path else name
            found[full] = files.get(below)
            if below in folders:
                stack.append((full, below))
    return tuple(sorted(found.items()))
