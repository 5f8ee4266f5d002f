"""What the daemon may write, made true by the kernel: three folders of the store, and never a memory or a note.

Must be called first thing, before any thread exists. It owns the policy; `landlock` owns the system calls.
"""

import errno
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from gardener.daemon import landlock
from gardener.errors import ConfinementError, RestartError, UsageError

# Carries over the re-execution: the process id (which exec keeps and no child has), the ABI, the folders' identities.
MARK = "GARDENER_CONFINED"
_WRITABLE_FILES = (Path("/dev/null"),)
_REFUSED = {errno.EACCES, errno.EPERM, errno.EROFS}


class Level(StrEnum):
    """How far the kernel keeps this process from writing: wholly, all but truncating by path, or not at all."""

    FULL = "full"
    PARTIAL = "partial"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Walls:
    """The folders that the daemon writes to, and the memory and note folders that it must not be able to write to."""

    writable: tuple[Path, ...]
    guarded: tuple[Path, ...]
    scratch: Path


@dataclass(frozen=True, slots=True)
class Confinement:
    """What was achieved, in words for `status`, and which folders (device, inode) it was achieved for."""

    level: Level
    says: str
    folders: Mapping[Path, tuple[int, int]]

    def check(self) -> None:
        """Raise RestartError where a writable folder was removed or replaced: the permit was for the old one."""
        for folder, identity in self.folders.items():
            if _identity(folder) != identity:
                raise RestartError(f"{folder} was removed or replaced while the daemon ran; it has to be started anew")


def confine(walls: Walls, wish: str) -> Confinement:
    """Give up the right to write anywhere but `walls.writable`, and start this same command anew under that.

    `wish` is the setting `confine`: require, prefer or off. The first call does not return where the kernel can
    confine: the process is replaced (same id, no other threads) and the call in the new one returns. Raises
    ConfinementError where `require` cannot be met, RestartError where a folder was replaced meanwhile.
    """
    prepare(walls)
    mark = os.environ.pop(MARK, "").split()
    if wish == "off":
        return _unconfined(walls, "switched off in the settings")
    if mark and mark[0] == str(os.getpid()):
        return _arrived(walls, wish, int(mark[1]), mark[2:])
    abi = landlock.version()
    if abi == 0:
        return _missing(walls, wish, "this kernel offers no Landlock")
    folders = _identities(walls.writable)
    try:
        landlock.give_up_writing(abi, walls.writable, _WRITABLE_FILES)
    except OSError as error:
        if not landlock.unavailable(error):
            raise
        return _missing(walls, wish, f"Landlock was refused ({error.strerror})")
    _start_anew(abi, folders.values())
    raise AssertionError("exec returned")


def prepare(walls: Walls) -> None:
    """Make the folders that only an unconfined process can make, and keep temporary files inside the store's cache.

    Raises UsageError where writing to one of them would be writing to memories.
    """
    for folder in (*walls.writable, walls.scratch):
        if folder.resolve() != folder:
            raise UsageError(f"{folder} leads elsewhere by a symbolic link; make it a folder of the store")
        if any(guarded == folder or folder in guarded.parents for guarded in walls.guarded):
            raise UsageError(f"{folder} holds memories or notes as well; name folders apart in the settings")
        folder.mkdir(parents=True, exist_ok=True)
    os.environ["TMPDIR"] = str(walls.scratch)
    # joblib would make semaphores in /dev/shm, which is out of reach from here on.
    os.environ["JOBLIB_MULTIPROCESSING"] = "0"
    tempfile.tempdir = None


def can_write(folder: Path) -> bool | None:
    """Whether this process could write into `folder`, found out without changing it; None when it cannot be told."""
    try:
        # A file without a name: it is gone when closed, no folder changes and no watcher wakes.
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o600))
        return True
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in _REFUSED:
            return False
    # The file system has no nameless files (EOPNOTSUPP, EISDIR): open one that exists, and write nothing.
    return _can_open_for_writing(folder)


def still_holds(walls: Walls, confinement: Confinement) -> bool:
    """The self-probe before each run: nothing guarded can be written to. True where nothing was promised."""
    if confinement.level is Level.NONE:
        return True
    return not any(can_write(folder) for folder in walls.guarded)


# Run by tests in processes that may not write down what was covered.
def _start_anew(abi: int, identities: Iterable[tuple[int, int]]) -> None:  # pragma: no cover
    os.environ[MARK] = " ".join([str(os.getpid()), str(abi), *(f"{device}:{inode}" for device, inode in identities)])
    # A descriptor that the caller left open for writing would get past the kernel, which asks when one is opened.
    for descriptor in list(Path("/proc/self/fd").iterdir()):
        if int(descriptor.name) > 2:
            _make_close_on_exec(int(descriptor.name))
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def _make_close_on_exec(descriptor: int) -> None:  # pragma: no cover
    try:
        os.set_inheritable(descriptor, False)
    except OSError as error:
        # The descriptor of the listing itself is closed by now.
        if error.errno != errno.EBADF:
            raise


def _arrived(walls: Walls, wish: str, abi: int, identities: list[str]) -> Confinement:
    pairs = [(int(device), int(inode)) for device, inode in (text.split(":") for text in identities)]
    folders = dict(zip(walls.writable, pairs, strict=True))
    level = Level.FULL if abi >= landlock.TRUNCATE_ABI else Level.PARTIAL
    lacks = "" if level is Level.FULL else ", too old to keep a file from being cut short"
    confinement = Confinement(level, f"Landlock version {abi}{lacks}", folders)
    confinement.check()
    if still_holds(walls, confinement):
        return confinement
    return _missing(walls, wish, "the kernel accepted the confinement, and yet a memory folder can be written to")


def _missing(walls: Walls, wish: str, reason: str) -> Confinement:
    if wish == "require":
        raise ConfinementError(f'confinement is required by [daemon] confine = "require", but {reason}')
    return _unconfined(walls, reason)


def _unconfined(walls: Walls, reason: str) -> Confinement:
    return Confinement(Level.NONE, reason, _identities(walls.writable))


def _identities(folders: Iterable[Path]) -> dict[Path, tuple[int, int]]:
    return {folder: _identity(folder) for folder in folders}


def _identity(folder: Path) -> tuple[int, int]:
    try:
        status = folder.stat()
    except OSError:
        return (0, 0)
    return (status.st_dev, status.st_ino)


def _can_open_for_writing(folder: Path) -> bool | None:
    for path in folder.iterdir():
        if not path.is_file() or path.is_symlink():
            continue
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK))
            return True
        except OSError as error:
            return None if error.errno not in _REFUSED else False
    return None
