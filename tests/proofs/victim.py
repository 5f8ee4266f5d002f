"""The smallest program that decides something: `python -m tests.proofs.victim STORE OPERATION [--fault NAME]`.

It locks, recovers and commits like `gardener apply`, so that the proofs can drive the file layer by itself. With a
fault it does what a careless version would: every proof has to notice.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress

from gardener.errors import GardenerError, StaleError
from gardener.model.operation import FileChange, Operation
from gardener.storage import atomic, beneath, durable, journal, lock, rename
from gardener.storage import commit as committing
from gardener.storage.commit import conflicts, displaced, likeness, record
from gardener.storage.commit.target import MovedOnError, Target
from gardener.storage.journal import DONE, INTENT, Journal
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
BESIDE = ("disturbed", "by-hand")
for _name in BESIDE:
    OPERATIONS[_name], STORES[_name] = OPERATIONS["apply"], STORES["apply"]
STORES["tend"] = {**OLD, "proposals/pending/gone.md": b"withdrawn", "proposals/pending/moved.md": b"by hand"}
ALONE = tuple(name for name in STORES if name not in BESIDE)
MOVED = ("proposals/pending/moved.md", "proposals/applied/moved.md")
LATE, THIRD = b"appended to our file while the others were exchanged", b"another program's version"


def case(name: str) -> Case:
    """`disturbed` is `apply` beside a program that writes to two of the files: it is put back as far as that goes.

    `by-hand` is put back likewise, then somebody writes one of the files just as `apply` would have.
    """
    return Case(
        name,
        tuple(STORES[name].items()),
        python("tests.proofs.victim", "{store}", name),
        python("tests.proofs.victim", "{store}", "recover"),
        secrets=(SECRET,) if name == "redact" else (),
        kept={"disturbed": (THIRD, LATE, OLD[A]), "by-hand": (THIRD,)}.get(name, ()),
        separate=name == "tend",
        one_of=MOVED if name == "tend" else (),
    )


def main(store: str, name: str, fault: str = "") -> int:
    FAULTS[fault]()
    try:
        with beneath.open_root(store) as root, lock.hold(root):
            return decide(root, name)
    except GardenerError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 4


def decide(root: beneath.Root, name: str) -> int:
    for folder in ("proposals/pending", "proposals/applied", "reports"):
        atomic.clean(root, folder, "proposals/conflicts")
    if name == "tend":
        tend(root)
        return 0
    committing.recover(root, copied=True)  # a modelled disk is written into new files, with other inodes
    if name in BESIDE:
        disturb(root, late=name == "disturbed")
    if name == "by-hand":
        with suppress(StaleError):
            committing.commit(root, OPERATIONS[name])
        atomic.write(root, A, NEW_A)
    elif name != "recover":
        committing.commit(root, OPERATIONS[name])
    return 0


def tend(root: beneath.Root) -> None:
    """What tend does with the file layer: proposals added, rewritten, withdrawn and filed; a report."""
    atomic.write(root, "proposals/pending/new.md", b"a new proposal", was=None)
    atomic.write(root, PENDING, b"decision: pending, rewritten\n", was=OLD[PENDING])
    atomic.write(root, "reports/2026-07-10.md", b"a report")
    atomic.remove(root, "proposals/pending/gone.md", was=b"withdrawn")
    atomic.move(root, *MOVED, b"applied by hand", was=b"by hand")


def disturb(root: beneath.Root, *, late: bool) -> None:
    """Once the first file is exchanged, append to ours there if `late`, and replace the second, both durably."""
    exchange = rename.exchange
    count = 0

    def beside(folder: int, spare: str, name: str) -> None:
        nonlocal count
        count += 1
        if count == 2:
            if late:
                atomic.write(root, A, NEW_A + LATE)
            atomic.write(root, B, THIRD)
        exchange(folder, spare, name)

    rename.exchange = beside


def _no_journal() -> None:
    """Write the files one after the other."""

    def commit(root: beneath.Root, operation: Operation, proposals: str = "proposals") -> None:
        for change in operation.changes:
            if change.after is None:
                atomic.remove(root, change.path)
            else:
                atomic.write(root, change.path, change.after)

    committing.commit = commit  # type: ignore[assignment]


FLUSHING = (atomic, record, displaced, likeness, rename)
FLUSHING_FOLDERS = (atomic, beneath, record, committing, conflicts)


def _no_fsync() -> None:
    """Leave it to the system when things reach the disk."""
    for module in FLUSHING:
        module.flush = lambda _: None  # type: ignore[attr-defined]
    for module in FLUSHING_FOLDERS:
        module.flush_folder = lambda _: None  # type: ignore[attr-defined]


def _check_then_rename() -> None:
    """Compare, then rename over: what lands in between is gone."""

    def over(self: Target, folder: int, name: str, before: bytes) -> None:
        if self.holds() != "before":
            raise MovedOnError(self.path)
        os.rename(self.swap, name, src_dir_fd=folder, dst_dir_fd=folder)

    Target.wait = _nothing  # type: ignore[method-assign]
    Target._take_out = over  # type: ignore[method-assign]


def _no_look_back() -> None:
    """Exchange, but do not look at what came out, and drop it."""

    def blindly(self: Target, folder: int, name: str, before: bytes) -> None:
        rename.exchange(folder, self.swap, name)
        os.unlink(self.swap, dir_fd=folder)

    Target.wait = _nothing  # type: ignore[method-assign]
    Target._take_out = blindly  # type: ignore[method-assign]


def _no_second_look() -> None:
    """Drop what was exchanged out once it has been looked at, without watching for those who have it open."""

    def unwatched(self: Target, folder: int, name: str, before: bytes) -> None:
        rename.exchange(folder, self.swap, name)
        if self.spare() != "before":
            raise MovedOnError(self.path)
        os.unlink(self.swap, dir_fd=folder)

    Target.wait = _nothing  # type: ignore[method-assign]
    Target._take_out = unwatched  # type: ignore[method-assign]


def _nothing(_self: Target) -> None:
    return


def _late_commit() -> None:
    """Write the first file, then the record: the commit point comes too late."""
    prepare = record.prepare

    def after_the_first(root: beneath.Root, journal: Journal) -> None:
        first = journal.changes[0]
        assert first.after is not None
        atomic.write(root, first.path, first.after)
        prepare(root, journal)

    record.prepare = after_the_first


def _early_done() -> None:
    """Call it done before the files are written: a crash then ends it half way."""
    enter = record.enter

    def at_once(root: beneath.Root, state: str) -> None:
        if state != DONE:
            enter(root, state)
        if state == INTENT:
            enter(root, DONE)

    record.enter = at_once


def _swallow() -> None:
    """Go on after an error as if nothing had been."""
    put_all = committing._put_all

    def careless(root: beneath.Root, record: journal.Journal, first: bool) -> None:
        try:
            put_all(root, record, first)
        except OSError:
            return

    committing._put_all = careless


def _name_flushes() -> None:
    """No fault: print where each flush comes from, for the mutants of the power-cut proof."""

    def named(real: Callable[[int], None]) -> Callable[[int], None]:
        def flushing(fd: int) -> None:
            frame = sys._getframe(1)
            above = frame.f_back
            assert above is not None
            detail = frame.f_locals.get("state") or (above.f_code.co_name if frame.f_code.co_name == "_flush" else "")
            module = frame.f_globals["__name__"].removeprefix("gardener.storage.")
            print(f"{module}.{frame.f_code.co_name} {detail}".strip())
            real(fd)

        return flushing

    for module in FLUSHING:
        module.flush = named(durable.flush)  # type: ignore[attr-defined]
    for module in FLUSHING_FOLDERS:
        module.flush_folder = named(durable.flush_folder)  # type: ignore[attr-defined]


FAULTS = {
    "": lambda: None,
    "name-flushes": _name_flushes,
    "no-journal": _no_journal,
    "no-fsync": _no_fsync,
    "check-then-rename": _check_then_rename,
    "no-look-back": _no_look_back,
    "no-second-look": _no_second_look,
    "swallow": _swallow,
    "late-commit": _late_commit,
    "early-done": _early_done,
}

if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
