"""The whole command line as cases: `gardener apply`, `undo`, `reject`, `archive` and `tend`, each a process of its own.

The stores are made by gardener itself, `.gardener/` included. Recovery is `gardener doctor --recover`, for `tend` the
next `tend`. Life goes on afterwards: every decision is taken back, what was rot is mended and what was not is rot, and
a run has to find the same as if nothing had happened.
"""

from __future__ import annotations

import contextlib
import io
import random
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from functools import cache
from pathlib import Path

from gardener.__main__ import main
from gardener.errors import GardenerError
from gardener.model.operation import Operation
from gardener.proposals.answers import Answer
from gardener.proposals.written import expect
from gardener.review import by_hand, filing
from gardener.review.undo import undo
from gardener.storage.beneath import Root
from gardener.storage.cache import Cache, open_cache
from gardener.storage.commit import Outcome
from tests.garden import NOW, Garden, days_ago
from tests.proofs import writers
from tests.proofs.case import CRASHED, Case, Tree, python, run, scratch

SAME = "The same few words about the deploy in all of these files.\n"
OPEN_AGAIN = re.compile(r"^Status: (open|done)$", re.MULTILINE)


def gardener(*arguments: str) -> tuple[str, ...]:
    return python("gardener", "--store", "{store}", "--now", NOW.isoformat(), *arguments)


RECOVER = gardener("doctor", "--recover")
NAMES = ("apply", "field", "undo", "reject", "archive", "tend")


@cache
def case(name: str) -> Case:
    """`apply` retires two of three memories at once; `field` changes one on which another proposal rests; `archive`
    withdraws one; `tend` adds, rewrites, withdraws and files proposals, and has a loss to report.
    """
    with _garden() as garden:
        command = _STORES[name](garden)
        before = tuple(sorted(_everything(garden.path).items()))
    if name == "tend":
        own = ("memory/", "notes/", "gardener.toml")
        return Case("tend", before, command, command, settles=True, untouched=own, later=later)
    own = ("notes/", "gardener.toml", "memory/p/fine.md")
    return Case(name, before, command, RECOVER, untouched=own, later=later, copied=("--copied",))


def later(store: Path) -> None:
    """Take back what was decided, mend what was rot and make rot of the rest, then tend."""
    garden = Garden(store)
    after = NOW + timedelta(days=1)
    with garden.decider(after) as decider:
        for filed in garden.inbox.decided:
            if filed.document.proposal.decided[-1].did != "undone":
                with suppress(GardenerError):  # what was applied by hand is not ours to undo
                    undo(decider, filed.id)
    for path, data in garden.memories().items():
        if path.startswith("memory/"):
            text = OPEN_AGAIN.sub(lambda found: f"Status: {'done' if found[1] == 'open' else 'open'}", data.decode())
            if "\ndescription: " not in text:
                text = text.replace("\nname: ", "\ndescription: given by hand\nname: ", 1)
            garden.write(path, text)
    garden.tend(after)


def in_process(case: Case) -> Callable[[Path], int]:
    """The case's recovery by the real entry point, but without a new process: many thousands are to be judged."""

    argv = (*case.recover[3:], *case.copied)

    def recover(store: Path) -> int:
        before, hook = sys.argv, sys.excepthook
        sys.argv = ["gardener", *(part.replace("{store}", str(store)) for part in argv)]
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                main()
        except SystemExit as stop:
            return int(stop.code or 0)
        finally:
            sys.argv, sys.excepthook = before, hook
        return 0

    return recover


def old_memories(store: Path) -> None:
    """For `writers`: memories that nobody has touched for a season."""
    garden = Garden(store)
    garden.settings("")
    for path in writers.FILES:
        garden.memory(path.removeprefix("memory/").removesuffix(".md"), updated=days_ago(120), created=days_ago(200))


def decide(store: Path, number: int, said: list[str]) -> str:
    """For `writers`: apply what is proposed, take back what was decided, archive and restore by hand."""
    dice = random.Random(number)
    path = dice.choice(writers.FILES)
    retired = b"\ninvalid_at: 2" in (store / path).read_bytes()
    command = ("restore", path) if retired else ("archive", path, "--reason", "old")
    for folder, word in (("pending", "apply"), ("applied", "undo")):
        files = sorted((store / "proposals" / folder).glob("*.md"))
        if files and dice.random() < 0.3:
            command = (word, dice.choice(files).stem[-6:])
    done = run(gardener(*command), store)
    said += (done.stdout + done.stderr).splitlines()
    assert done.returncode not in CRASHED, done.stderr
    return f"{command[0]}, exit {done.returncode}"


def beside_writers(edits: int) -> writers.Result:
    """Two agents, two command lines and a `tend` that runs again and again, all over the same files."""
    tending = writers.by_command(gardener("tend"))
    return writers.prove(edits, decide=decide, beside=(tending,), begin=old_memories, judge=settled)


def settled(store: Path) -> None:
    """For `writers`, at the end: every proposal can be read and lies in one folder, and nothing is unfinished."""
    garden = Garden(store)
    garden.tend()
    inbox = garden.inbox
    assert inbox.files
    assert not inbox.malformed, inbox.malformed
    assert not inbox.shadowed, inbox.shadowed
    assert not list((store / ".gardener/journal").glob("*"))


@contextlib.contextmanager
def _garden() -> Iterator[Garden]:
    with scratch() as folder:
        garden = Garden(folder / "store")
        garden.settings("")
        garden.memory("p/fine")
        garden.write("notes/p/n.md", "A note.\r\n")
        yield garden


def forget() -> None:
    """A seeded fault: what is written into the pending folder is noted only when it is there."""
    expected: list[tuple[Cache, dict[str, tuple[bytes | None, bytes | None]]]] = []
    commit = filing.commit

    def afterwards(root: Root, operation: Operation, proposals: str) -> Outcome:
        outcome = commit(root, operation, proposals)
        with open_cache(root) as cache:
            for _, changes in expected:
                expect(cache, changes)
        return outcome

    filing.expect = lambda cache, changes: expected.append((cache, changes))
    filing.commit = afterwards


def _everything(store: Path) -> Tree:
    return {str(path.relative_to(store)): path.read_bytes() for path in store.rglob("*") if path.is_file()}


def _apply(garden: Garden) -> tuple[str, ...]:
    for letter in "abc":
        garden.memory(f"p/deploy-{letter}", SAME, description="the deploy")
    garden.tend()
    return gardener("apply", garden.one("dedup").id)


def _undo(garden: Garden) -> tuple[str, ...]:
    command = _apply(garden)
    with garden.decider() as decider:
        decider.answer(command[-1], Answer("accept"))
    return gardener("undo", command[-1])


def _reject(garden: Garden) -> tuple[str, ...]:
    return gardener("reject", "--reason", "both are needed", _apply(garden)[-1])


def _field(garden: Garden) -> tuple[str, ...]:
    garden.memory("p/gate", "The gate opens at nine on working days.\n", kind="gocha", description=None)
    garden.tend()
    assert len(garden.pending()) == 2
    return gardener("apply", garden.one("identity").id)


def _archive(garden: Garden) -> tuple[str, ...]:
    garden.memory("p/gate", kind="gocha")
    garden.tend()
    with garden.decider() as decider:  # twice, so that taking it back later is not the first time
        undo(decider, by_hand.archive(decider, "gate", "for a while").id)
    garden.tend()
    assert len(garden.pending()) == 1
    return gardener("archive", "gate", "--reason", "old")


def _tend(garden: Garden) -> tuple[str, ...]:
    """Each memory in a project of its own: nothing to compare, so that a run takes a moment."""
    stages = {name: f"memory/{name}/stage.md" for name in ("rewritten", "withdrawn", "by-hand")}
    for name in stages:
        garden.stage(f"{name}/stage", "Status: done", days=40, body=f"\nAbout {name} alone.\n")
    garden.memory("q/vanished")
    garden.tend(NOW - timedelta(days=1))
    first = garden.memories()
    carried_out = first[stages["by-hand"]]
    with garden.decider() as decider:
        for filed in garden.pending():
            if filed.document.proposal.subjects == (stages["by-hand"],):
                decider.answer(filed.id, Answer("accept"))
                carried_out = garden.bytes()[stages["by-hand"]]
                undo(decider, filed.id)
    garden.tend(NOW - timedelta(days=1))
    garden.write(stages["by-hand"], carried_out)
    garden.write(stages["rewritten"], first[stages["rewritten"]] + b"One more line.\n")
    garden.write(stages["withdrawn"], first[stages["withdrawn"]].replace(b"Status: done", b"Status: open"))
    garden.stage("new/stage", "Status: done", days=40)
    (garden.path / "memory/q/vanished.md").unlink()
    return gardener("tend")


_STORES = {"apply": _apply, "field": _field, "undo": _undo, "reject": _reject, "archive": _archive, "tend": _tend}

if __name__ == "__main__":
    forget()
    main()
