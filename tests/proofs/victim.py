"""The smallest program that decides something: `python -m tests.proofs.victim STORE OPERATION [--fault NAME]`.

It locks, recovers and commits like `gardener apply`, so that the proofs can drive the file layer by itself. With a
fault it does what a careless version would: every proof has to notice.
"""

from __future__ import annotations

import os
import sys

from gardener.errors import GardenerError
from gardener.model.operation import FileChange, Operation
from gardener.storage import atomic, beneath, durable, journal, lock, rename
from gardener.storage import commit as committing
from gardener.storage.commit import displaced, record, target
from tests.proofs.case import Case, python

SECRET = b"sk-proof-0123456789abcdef"
A, B, INDEX = "memory/p/a.md", "memory/p/b.md", "memory/MEMORY.md"
PENDING, APPLIED, REJECTED = (f"proposals/{state}/dedup-a-ABCDEF.md" for state in ("pending", "applied", "rejected"))
OLD = {A: b"---\nname: a\n---\nold a\n" * 40, B: b"old b\r\n", INDEX: b"- a\n- b\n", PENDING: b"decision: accept\n"}
NEW_A, NEW_B = b"---\nname: a\n---\nnew a, longer\n" * 50, b"new b\r\n"
HEAVY = b"a secret " + SECRET + b" in a memory\n"

STORES: dict[str, dict[str, bytes]] = {
    "apply": OLD,
    "undo": {A: NEW_A, B: NEW_B, INDEX: b"- a\n", APPLIED: b"applied"},
    "reject": OLD,
    "move": OLD,
    "redact": {**OLD, A: HEAVY},
}
OPERATIONS: dict[str, Operation] = {
    "apply": Operation(
        "apply ABCDEF",
        (
            FileChange(A, OLD[A], NEW_A),
            FileChange(B, OLD[B], NEW_B),
            FileChange(INDEX, OLD[INDEX], b"- a\n"),
            FileChange(APPLIED, None, b"applied"),
            FileChange(PENDING, OLD[PENDING], None),
        ),
    ),
    "undo": Operation(
        "undo ABCDEF",
        (
            FileChange(A, NEW_A, OLD[A]),
            FileChange(B, NEW_B, OLD[B]),
            FileChange(INDEX, b"- a\n", OLD[INDEX]),
            FileChange(APPLIED, b"applied", b"applied, then undone"),
            FileChange("proposals/pending/dedup-a-GHIJKL.md", None, b"decision: pending\n"),
        ),
    ),
    "reject": Operation(
        "reject ABCDEF", (FileChange(REJECTED, None, b"rejected"), FileChange(PENDING, OLD[PENDING], None))
    ),
    "move": Operation("move a", (FileChange("notes/p/deep/a.md", None, OLD[A]), FileChange(A, OLD[A], None))),
    "redact": Operation(
        "redact a",
        (
            FileChange(A, HEAVY, b"a secret [redacted] in a memory\n"),
            FileChange(APPLIED, None, b"redacted"),
            FileChange(PENDING, OLD[PENDING], None),
        ),
        wipe=True,
    ),
}


def case(name: str) -> Case:
    return Case(
        name,
        tuple(STORES[name].items()),
        python("tests.proofs.victim", "{store}", name),
        python("tests.proofs.victim", "{store}", "recover"),
        (SECRET,) if name == "redact" else (),
    )


def main(store: str, name: str, fault: str = "") -> int:
    FAULTS[fault]()
    try:
        with beneath.open_root(store) as root, lock.hold(root):
            committing.recover(root)
            if name == "recover":
                return 0
            committing.commit(root, OPERATIONS[name])
    except GardenerError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 4
    return 0


def _no_journal() -> None:
    """Write the files one after the other."""

    def commit(root: beneath.Root, operation: Operation, proposals: str = "proposals") -> None:
        for change in operation.changes:
            if change.after is None:
                atomic.remove(root, change.path)
            else:
                atomic.write(root, change.path, change.after)

    committing.commit = commit  # type: ignore[assignment]


def _no_fsync() -> None:
    """Leave it to the system when things reach the disk."""
    for module in (durable, atomic, record, displaced):
        module.flush = lambda _: None  # type: ignore[attr-defined]
    for module in (durable, atomic, beneath, record, displaced, committing):
        module.flush_folder = lambda _: None  # type: ignore[attr-defined]


def _check_then_rename() -> None:
    """Compare, then rename over: what lands in between is gone."""

    def over(folder: int, spare: str, name: str) -> None:
        os.unlink(name, dir_fd=folder)
        os.rename(spare, name, src_dir_fd=folder, dst_dir_fd=folder)

    rename.exchange = over


def _no_look_back() -> None:
    """Exchange, but do not look at what came out, and drop it."""

    def blind(_self: target.Target, *, strict: bool) -> None:
        return

    target.Target.check_out = blind  # type: ignore[method-assign]


def _swallow() -> None:
    """Go on after an error as if nothing had been."""
    put_all = committing._put_all

    def careless(root: beneath.Root, record: journal.Journal) -> None:
        try:
            put_all(root, record)
        except OSError:
            return

    committing._put_all = careless


FAULTS = {
    "": lambda: None,
    "no-journal": _no_journal,
    "no-fsync": _no_fsync,
    "check-then-rename": _check_then_rename,
    "no-look-back": _no_look_back,
    "swallow": _swallow,
}

if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
