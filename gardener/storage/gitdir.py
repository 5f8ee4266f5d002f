"""What git is doing around the store, by reading its files: git itself is never run.

(`git status` in a hostile repository runs its fsmonitor, filters and hooks.)
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat as modes
from pathlib import Path

from gardener.storage.beneath import Root, read_open

_IN_THE_MIDDLE = ("index.lock", "MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "BISECT_LOG")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REF = re.compile(r"refs/(?!.*\.\.)[^\0\n]+")
_SMALL = 1 << 12
_PACKED = 1 << 26


def git_busy(root: Root) -> str | None:
    """The name of the file that says git is in the middle of something, or None."""
    folder = git_dir(root)
    if folder is None:
        return None
    return next((name for name in _IN_THE_MIDDLE if os.path.lexists(folder / name)), None)


def head(root: Root) -> str | None:
    """What HEAD points at, to compare with what it pointed at before: a commit id as a rule.

    The name of the branch while that has no commit; a digest of all references where git keeps them in a reftable;
    None outside a repository.
    """
    folder = git_dir(root)
    if folder is None:
        return None
    said = _read(folder / "HEAD", _SMALL) or ""
    if not said.startswith("ref: "):
        return said if _COMMIT.fullmatch(said) else None
    ref = said.removeprefix("ref: ").strip()
    common = folder / (_read(folder / "commondir", _SMALL) or ".")
    tables = _read(common / "reftable" / "tables.list", _SMALL)
    if tables is not None:
        return "reftable:" + hashlib.sha256(tables.encode()).hexdigest()
    if not _REF.fullmatch(ref):
        return None
    for where in (folder, common):
        loose = _read(where / ref, _SMALL)
        if loose and _COMMIT.fullmatch(loose):
            return loose
    return _packed(common, ref) or said


def git_dir(root: Root) -> Path | None:
    """The git folder that covers the store: `.git` there or above, also where it is the file of a worktree."""
    here = Path(root.path)
    for folder in (here, *here.parents):
        found = folder / ".git"
        said = _read(found, _SMALL)
        if said is not None and said.startswith("gitdir: "):
            return folder / said.removeprefix("gitdir: ")
        if _read(found / "HEAD", _SMALL) is not None:
            return found
    return None


def _packed(common: Path, ref: str) -> str | None:
    for line in (_read(common / "packed-refs", _PACKED) or "").split("\n"):
        commit, _, name = line.partition(" ")
        if name == ref and _COMMIT.fullmatch(commit):
            return commit
    return None


def _read(path: Path, limit: int) -> str | None:
    """The text of a regular file without its final line feed; None when there is no such, or it is too big."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENXIO, errno.EACCES}:
            return None
        raise
    try:
        if not modes.S_ISREG(os.fstat(fd).st_mode):
            return None
        return read_open(fd, str(path), limit).decode(errors="replace").rstrip("\n")
    except OSError as error:
        if error.errno == errno.EFBIG:
            return None
        raise
    finally:
        os.close(fd)
