"""A modelled power cut at every moment: `python -m tests.proofs.powercut [N]` (N: states looked at per moment, 64).

The command is traced once, `tests.proofs.disk` says what the disk may hold afterwards, recovery runs on each such
state. Traced are each operation, one that has to be put back, and a recovery. Then the mutants: with each flush left
out in turn some state has to be bad, else the flush is not needed or the proof is blind.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.proofs import strace, victim
from tests.proofs.case import Case, leaks, read_tree, run, scratch, store_of, verdict, visible
from tests.proofs.disk import Disk, Image, Sync, cuts, final, trace

Recover = Callable[[Path], int]


@dataclass
class Result:
    states: int = 0
    different: int = 0
    bad: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Run:
    """A traced run of a case: `name` for people."""

    name: str
    case: Case
    disk: Disk


def runs(case: Case) -> list[Run]:
    """The case's command; the same failing at its last exchange or rename; and its recovery from half-way."""
    found = [_traced(case.name, case, case.command)]
    calls = [point for point in strace.points(case) if point.name == "renameat2"]
    last = calls[-1]
    fail = ("-e", f"inject=renameat2:error=EIO:when={last.number}")
    found.append(_traced(f"{case.name}, put back", case, case.command, fail))
    with store_of(case) as store:
        assert strace.killed_at(case, calls[len(calls) // 2], store)
        disk, code = trace(case, case.recover, store)
        assert code == 0
        found.append(Run(f"{case.name}, recovery", case, disk))
    return found


def _traced(name: str, case: Case, command: tuple[str, ...], options: tuple[str, ...] = ()) -> Run:
    with store_of(case) as store:
        disk, code = trace(case, command, store, *options)
        assert (code == 0) == (not options), f"{name}: exit {code}"
        assert dict(final(disk)) == _on_disk(store), "the model has to agree with the file system"
        return Run(name, case, disk)


def prove(run: Run, recover: Recover, per_point: int = 64, skip: int | None = None, *, first: bool = False) -> Result:
    """Recover from every state and judge; with `first` stop at the first bad one."""
    result = Result()
    seen: set[tuple[bool, Image]] = set()
    end = len(run.disk.ops) - (skip is not None)
    with scratch() as folder:
        for done, image in cuts(run.disk, per_point, seed=1, skip=skip):
            result.states += 1
            key = (done == end, image)
            if key in seen:
                continue
            seen.add(key)
            store = folder / str(len(seen))
            _write(store, image)
            result.bad += [
                f"{run.name}, after {done} of {end}: {bad}" for bad in _judge(run, store, recover, done == end)
            ]
            shutil.rmtree(store)
            if first and result.bad:
                break
    result.different = len(seen)
    return result


def mutants(run: Run, recover: Recover, per_point: int = 64) -> dict[str, bool]:
    """Each flush of the run by what it flushes, numbered, and whether leaving it out was noticed."""
    found: dict[str, bool] = {}
    for index, op in enumerate(run.disk.ops):
        if isinstance(op, Sync):
            result = prove(run, recover, per_point, skip=index, first=True)
            found[f"{run.name} #{index} {op.what}"] = bool(result.bad)
    return found


def _judge(run: Run, store: Path, recover: Recover, ended: bool) -> list[str]:
    bad = []
    promised = visible(
        {path: data for path, data in final(run.disk) if data is not None and not path.startswith(".gardener/")}
    )
    if ended and visible(read_tree(store)) != promised:
        bad.append("what the command had reported is not on the disk")
    if ended and promised != dict(run.case.before):
        bad += leaks(run.case, store)
    code = recover(store)
    if code:
        bad.append(f"recovery exits {code}")
    return bad + verdict(run.case, store)


def _write(store: Path, image: Image) -> None:
    store.mkdir()
    for path, data in image:
        if data is None:
            (store / path).mkdir(exist_ok=True)
        else:
            (store / path).write_bytes(data)


def _on_disk(store: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(store)): None if path.is_dir() else path.read_bytes() for path in store.rglob("*")}


def by_command(case: Case) -> Recover:
    """Recovery by the case's own command, a process each time."""
    return lambda store: run(case.recover, store).returncode


def in_process(store: Path) -> int:
    """The victim's recovery without a new process: thousands a minute."""
    with contextlib.redirect_stderr(io.StringIO()):
        return victim.main(str(store), "recover")


def main(per_point: int) -> int:
    if reason := strace.missing():
        print(f"skipped: {reason}")
        return 0
    bad: list[str] = []
    unseen: list[str] = []
    states = different = flushes = 0
    for name in victim.OPERATIONS:
        for traced in runs(victim.case(name)):
            result = prove(traced, in_process, per_point)
            caught = mutants(traced, in_process, per_point)
            states, different, flushes = states + result.states, different + result.different, flushes + len(caught)
            bad += result.bad
            unseen += [flush for flush, noticed in caught.items() if not noticed]
            told = f"{result.states} states, {result.different} different, {len(result.bad)} bad"
            print(
                f"{traced.name}: {told}; {sum(caught.values())} of {len(caught)} flushes missed when left out",
                flush=True,
            )
    print(
        f"all: {states} states, {different} different, {len(bad)} bad; {flushes - len(unseen)} of {flushes} mutants caught"
    )
    print(*bad[:40], *[f"not caught: {flush}" for flush in unseen], sep="\n")
    return 1 if bad or unseen else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 64))
