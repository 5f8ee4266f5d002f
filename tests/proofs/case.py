"""What every proof shares: a store before, the command that changes it, the command that recovers, and the verdict.

A case is data, so the same proofs drive `tests.proofs.victim` (the bare file layer) and `tests.proofs.whole` (the
command line). `{store}` in a command stands for the store's folder. Trees are {path: bytes}, `.gardener/` left out.
"""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

Tree = dict[str, bytes]
REPOSITORY = Path(__file__).resolve().parents[2]
CRASHED = {1, 70}
"""Exit codes of a bug. Every failure has to be an error somebody thought of."""


@dataclass(frozen=True)
class Case:
    """`secrets` must be nowhere once the command has succeeded, `.gardener/` included; `kept` always somewhere.

    `separate`: the command makes no promise across files, each is as before or as after by itself; but of the files in
    `one_of` there is always one. `settles`: recovery is the command itself, and always ends as after. Nothing in the
    folders `untouched` ever changes. `later` is a life that goes on, and has to come to the same after a crash.
    `copied` is what recovery takes where the store is a copy: a record names the inode it was written to.
    """

    name: str
    before: tuple[tuple[str, bytes], ...]
    command: tuple[str, ...]
    recover: tuple[str, ...]
    secrets: tuple[bytes, ...] = ()
    kept: tuple[bytes, ...] = ()
    separate: bool = False
    one_of: tuple[str, ...] = ()
    settles: bool = False
    untouched: tuple[str, ...] = ()
    later: Callable[[Path], None] | None = None
    copied: tuple[str, ...] = ()

    @property
    def old(self) -> Tree:
        """The store before, without `.gardener/`."""
        return {path: data for path, data in self.before if not path.startswith(".gardener/")}

    def with_arguments(self, *more: str) -> Case:
        return replace(self, command=(*self.command, *more))


@cache
def after(case: Case) -> Tree:
    """What the command makes of the store when nothing goes wrong."""
    with store_of(case) as store:
        done = run(case.command, store)
        assert done.returncode == 0, done.stderr
        tree = read_tree(store)
        assert tree != case.old
        return tree


@cache
def much_later(case: Case) -> Tree:
    """What becomes of the store when nothing goes wrong and life goes on."""
    assert case.later is not None
    with store_of(case) as store:
        assert run(case.command, store).returncode == 0
        case.later(store)
        return read_tree(store)


def verdict(case: Case, store: Path, *, must_be_done: bool = False) -> list[str]:
    """What is wrong with a store after recovery; empty when every file is as before, or every file as after."""
    tree = read_tree(store)
    old, new = case.old, after(case)
    done = tree == new
    fine = done or (not (must_be_done or case.settles) and (_each(tree, old, new) if case.separate else tree == old))
    bad = [] if fine else [f"{case.name}: {_difference(tree, old, new)}"]
    if case.one_of and not any(path in tree for path in case.one_of):
        bad.append(f"{case.name}: none of {case.one_of} is there")
    if left := [path.name for path in (store / ".gardener/journal").glob("*")]:
        bad.append(f"{case.name}: left in the journal: {left}")
    if done:
        bad += leaks(case, store)
    return bad + lost(case, store) + touched(case, store)


def touched(case: Case, store: Path) -> list[str]:
    """Files that may never change, and did."""
    tree, old = read_tree(store), case.old
    paths = [path for path in sorted({*tree, *old}) if path.startswith(case.untouched or ("\0",))]
    return [f"{case.name}: {path} was touched" for path in paths if tree.get(path) != old.get(path)]


def leaks(case: Case, store: Path) -> list[str]:
    """Files that hold a secret, as it is or in base64 at any of its three offsets."""
    return [
        f"{case.name}: {path} holds a secret"
        for path, data in _everything(store).items()
        for secret in case.secrets
        if any(form in data for form in (secret, *_base64(secret)))
    ]


def lost(case: Case, store: Path) -> list[str]:
    """What another program wrote and is in no file now, also those that nobody but a person reads."""
    everything = list(_everything(store).values())
    return [f"{case.name}: {token!r} is lost" for token in case.kept if not any(token in data for data in everything)]


def unignored(store: Path) -> list[str]:
    """Bytes of memories in a `.gardener/` that git would add."""
    private = store / ".gardener"
    ignore = private / ".gitignore"
    ignored = ignore.is_file() and ignore.read_bytes() == b"*\n"
    held = [path.name for path in private.glob("*/*") if path.is_file()]
    return [] if ignored or not held else [f"{held} are not ignored by git"]


def _everything(store: Path) -> Tree:
    files = [path for path in store.rglob("*") if path.is_file() and not path.is_symlink()]
    return {str(path.relative_to(store)): path.read_bytes() for path in files}


def _each(tree: Tree, old: Tree, new: Tree) -> bool:
    return all(tree.get(path) in (old.get(path), new.get(path)) for path in {*tree, *old, *new})


def _base64(secret: bytes) -> list[bytes]:
    return [base64.b64encode(bytes(shift) + secret)[4:-4] for shift in range(3)]


def run(
    command: tuple[str, ...], store: Path, *, under: tuple[str, ...] = (), timeout: float = 120
) -> subprocess.CompletedProcess[str]:
    """Run a case's command, `under` another program. Same environment every time: the proofs count system calls."""
    argv = [*under, *(part.replace("{store}", str(store)) for part in command)]
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(store.parent),
        "PYTHONPATH": str(REPOSITORY),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "LANG": "C.UTF-8",
        "OPENBLAS_NUM_THREADS": "1",
    }
    return subprocess.run(
        argv,
        env=environment,
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        check=False,
    )


@contextmanager
def store_of(case: Case) -> Iterator[Path]:
    """The case's store as it is before, in a folder of its own."""
    with scratch() as folder:
        store = folder / "store"
        write_tree(store, dict(case.before))
        yield store


def twin_of(store: Path) -> Path:
    """The same store once more, its journal by second names: the very files, as if this were the only one."""

    def copy(source: str, target: str) -> str:
        if "/.gardener/journal/" in source:
            os.link(source, target)
        else:
            shutil.copy2(source, target)
        return target

    return shutil.copytree(store, store.parent / "twin", copy_function=copy)


@contextmanager
def scratch() -> Iterator[Path]:
    """A temporary folder, in memory where the system has such a place: the proofs make many thousands."""
    shared = Path("/dev/shm")
    place = str(shared) if shared.is_dir() and os.access(shared, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="gardener-proof-", dir=place))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write_tree(store: Path, tree: Tree) -> None:
    store.mkdir(parents=True, exist_ok=True)
    for path, data in tree.items():
        (store / path).parent.mkdir(parents=True, exist_ok=True)
        (store / path).write_bytes(data)


def read_tree(store: Path) -> Tree:
    return {
        str(path.relative_to(store)): path.read_bytes()
        for path in sorted(store.rglob("*"))
        if path.is_file() and ".gardener" not in path.relative_to(store).parts
    }


def visible(tree: Tree) -> Tree:
    """What an agent reads: an old version may lie beside its file, dot-named, until the next deciding command."""
    return {path: data for path, data in tree.items() if not path.rpartition("/")[2].startswith(".gardener-")}


def difference(tree: Tree, other: Tree) -> list[str]:
    return [f"{path} differs" for path in sorted({*tree, *other}) if tree.get(path) != other.get(path)]


def python(module: str, *arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", module, *arguments)


def _difference(tree: Tree, before: Tree, done: Tree) -> str:
    said = []
    for path in sorted({*tree, *before, *done}):
        held = tree.get(path)
        kind = "old" if held == before.get(path) else "new" if held == done.get(path) else "NEITHER"
        if before.get(path) != done.get(path) or kind == "NEITHER":
            said.append(f"{path} is {kind}")
    return ", ".join(said)
