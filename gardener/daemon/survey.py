"""Look at the watched folders by stat alone: did anything change, how many are there, where do events not arrive?"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

_MASK = (1 << 64) - 1
# Changes made on another machine reach nobody here through these, so only looking helps.
_REMOTE = set("9p afs ceph cifs glusterfs lustre nfs nfs4 prl_fs smb3 smbfs vboxsf virtiofs".split())


@dataclass(frozen=True, slots=True)
class Folders:
    """The memory and note roots, the daemon's own folders (never looked into), and the file names that count."""

    roots: tuple[Path, ...]
    own: tuple[Path, ...] = ()
    include: tuple[str, ...] = ("*.md",)

    def concern(self, path: str, is_folder: bool) -> bool:
        """Whether a change at `path` can matter: no dot files or folders, none of our own, only names that are read."""
        if any(path == str(own) or path.startswith(f"{own}{os.sep}") for own in self.own):
            return False
        inside = next((path[len(str(root)) :] for root in self.roots if path.startswith(f"{root}{os.sep}")), None)
        if inside is None:
            return any(path == str(root) for root in self.roots)
        return f"{os.sep}." not in inside and (is_folder or self.wanted(inside.rsplit(os.sep, 1)[-1]))

    def outermost(self) -> tuple[Path, ...]:
        """The roots that lie in no other root, so that nothing is looked at twice."""
        return tuple(root for root in self.roots if not any(other in root.parents for other in self.roots))

    def wanted(self, name: str) -> bool:
        """Whether files of this name are read. Patterns are matched by their last component: too much is harmless."""
        return any(fnmatch(name, pattern.rsplit("/", 1)[-1]) for pattern in self.include)


@dataclass(slots=True)
class Survey:
    """One look. `fingerprint` is a sum over (path, size, times, inode), comparable within one process only."""

    fingerprint: int = 0
    files: int = 0
    folders: int = 0
    refused: list[str] = field(default_factory=list)


def survey(folders: Folders) -> Survey:
    """Walk all roots once, following no symlink. A folder that cannot be listed is counted and named in `refused`."""
    seen = Survey()
    for root in folders.outermost():
        for path, status in _files(str(root), folders, seen):
            facts = (path, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            seen.fingerprint = (seen.fingerprint + hash(facts)) & _MASK
            seen.files += 1
    return seen


def visible_folders(folder: str, folders: Folders) -> tuple[list[str], bool]:
    """The folders directly inside that may hold memories, and whether others (`.git`, our own) are beside them."""
    with os.scandir(folder) as entries:
        inside = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    visible = [path for path in inside if folders.concern(path, is_folder=True)]
    return sorted(visible), len(visible) < len(inside)


def remote_kind(path: Path, mounts: str | None = None) -> str | None:
    """The type of the network file system that `path` lies on, None for a local one. `mounts`: text of mountinfo(5)."""
    if mounts is None:
        try:
            mounts = Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape")
        except OSError:
            return None
    best, kind = "", ""
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        point = before.split(" ")[4].replace("\\040", " ")
        inside = str(path) == point or str(path).startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, after.split(" ")[0]
    return kind if kind in _REMOTE or kind.startswith("fuse.") else None


def _files(folder: str, folders: Folders, seen: Survey) -> Iterator[tuple[str, os.stat_result]]:
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(here) as entries:
                listed = list(entries)
        except FileNotFoundError:
            continue
        except OSError:
            seen.folders += 1
            seen.refused.append(here)
            continue
        seen.folders += 1
        for entry in listed:
            if entry.is_dir(follow_symlinks=False):
                if folders.concern(entry.path, is_folder=True):
                    waiting.append(entry.path)
            elif not entry.name.startswith(".") and folders.wanted(entry.name):
                status = _stat(entry)
                if status is not None:
                    yield entry.path, status


def _stat(entry: "os.DirEntry[str]") -> os.stat_result | None:
    try:
        return entry.stat(follow_symlinks=False)
    except OSError:
        return None
