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
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.proofs import strace, victim
from tests.proofs.case import Case, leaks, lost, read_tree, run, scratch, store_of, unignored, verdict, visible
from tests.proofs.disk import Data, Disk, Image, Sync, cuts, final, trace

Recover = Callable[[Path], int]
DONE = "commit.record.enter done"


@dataclass
class Result:
    states: int = 0
    different: int = 0
    bad: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Run:
    """A traced run of a case, with where each of its flushes comes from. `kept_from`: `case.kept` is durable then."""

    name: str
    case: Case
    disk: Disk
    flushes: tuple[str, ...]
    kept_from: int = 0


def runs(case: Case) -> list[Run]:
    """The case's command; its last exchange failing; its record not becoming durable at the end; a recovery."""
    if case.kept:
        return [_disturbed(case)]
    found = [_traced(case.name, case, case.command)]
    calls = [point for point in strace.points(case) if point.name == "renameat2"]
    if case.separate or case.settles or not calls:
        return found
    found.append(_traced(f"{case.name}, put back", case, case.command, f"renameat2:error=EIO:when={calls[-1].number}"))
    if DONE in found[0].flushes:
        done = found[0].flushes.index(DONE) + 1
        found.append(_traced(f"{case.name}, put back when done", case, case.command, f"fsync:error=EIO:when={done}"))
    with store_of(case) as store:
        assert strace.killed_at(case, calls[len(calls) // 2], store)
        found.append(_trace(f"{case.name}, recovery", case, (*case.recover, *_named(case)), store))
    return found


def _traced(name: str, case: Case, command: tuple[str, ...], failing: str = "", code: int | None = None) -> Run:
    with store_of(case) as store:
        options = ("-e", f"inject={failing}") if failing else ()
        return _trace(name, case, (*command, *_named(case)), store, *options, code=code)


def _trace(name: str, case: Case, command: tuple[str, ...], store: Path, *options: str, code: int | None = None) -> Run:
    disk, exited, printed = trace(command, store, *options)
    assert exited == code if code is not None else (exited == 0) == (not options), f"{name}: exit {exited}"
    modelled = {path: data for path, data in final(disk) if _matters(path)}
    assert modelled == _on_disk(store), "the model has to agree with the file system"
    count = sum(isinstance(op, Sync) for op in disk.ops)
    return Run(name, case, disk, tuple(printed) if _named(case) else ("?",) * count)


def _disturbed(case: Case) -> Run:
    run = _traced(case.name, case, case.command, code=0 if case.name == "by-hand" else 4)
    written = [
        index
        for index, op in enumerate(run.disk.ops)
        if isinstance(op, Data) and any(kept in op.data for kept in case.kept)
    ]
    third = next(index for index in reversed(written) if case.kept[0] in run.disk.ops[index].data)  # type: ignore[union-attr]
    flushed = [index for index, op in enumerate(run.disk.ops) if isinstance(op, Sync) and index > third]
    return replace(run, kept_from=flushed[1] + 1)  # the file, then its folder


def _named(case: Case) -> tuple[str, ...]:
    """Only the victim can say where its flushes come from."""
    return ("name-flushes",) if victim.__name__ in case.command else ()


def prove(
    run: Run, recover: Recover, per_point: int = 64, skip: frozenset[int] = frozenset(), *, first: bool = False
) -> Result:
    """Recover from every state and judge; with `first` stop at the first bad one."""
    result = Result()
    seen: set[tuple[bool, bool, Image]] = set()
    end = len(run.disk.ops)
    with scratch() as folder:
        for done, image in cuts(run.disk, per_point, seed=1, skip=skip):
            result.states += 1
            key = (done == end, done >= run.kept_from, image)
            if key in seen:
                continue
            seen.add(key)
            store = folder / str(len(seen))
            _write(store, image)
            result.bad += [
                f"{run.name}, after {done} of {end}: {bad}" for bad in _judge(run, store, recover, done, end)
            ]
            shutil.rmtree(store)
            if first and result.bad:
                break
    result.different = len(seen)
    return result


def mutants(run: Run, recover: Recover, per_point: int = 64, known: Iterable[str] = ()) -> dict[str, bool]:
    """The places in the code that flush, and whether leaving one out is noticed. Those in `known` are taken as such."""
    at = [index for index, op in enumerate(run.disk.ops) if isinstance(op, Sync)]
    assert len(at) == len(run.flushes)
    found: dict[str, bool] = {}
    for place in dict.fromkeys(run.flushes):
        skip = frozenset(index for index, flush in zip(at, run.flushes, strict=True) if flush == place)
        found[place] = place in known or bool(prove(run, recover, per_point, skip, first=True).bad)
    return found


def _judge(run: Run, store: Path, recover: Recover, done: int, end: int) -> list[str]:
    bad = unignored(store)
    end_tree = {path: data for path, data in final(run.disk) if data is not None and not path.startswith(".gardener/")}
    if done == end and visible(read_tree(store)) != visible(end_tree):
        bad.append("what the command had reported is not on the disk")
    if done == end and visible(end_tree) != run.case.old:
        bad += leaks(run.case, store)
    code = recover(store)
    if code:
        bad.append(f"recovery exits {code}")
    if done == end and visible(read_tree(store)) != visible(end_tree):
        bad.append("recovery undoes what the command had reported")
    if not run.case.kept:
        return bad + verdict(run.case, store)
    return bad + (lost(run.case, store) if done >= run.kept_from else [])


def _write(store: Path, image: Image) -> None:
    store.mkdir()
    for path, data in image:
        if data is None:
            (store / path).mkdir(exist_ok=True)
        else:
            (store / path).write_bytes(data)


def _on_disk(store: Path) -> dict[str, bytes | None]:
    found = {str(path.relative_to(store)): path for path in store.rglob("*")}
    return {name: None if path.is_dir() else path.read_bytes() for name, path in found.items() if _matters(name)}


def _matters(path: str) -> bool:
    """Not the cache, which a database may write through memory."""
    return not path.startswith(".gardener/") or path.startswith(".gardener/journal")


def by_command(case: Case) -> Recover:
    """Recovery by the case's own command, a process each time; a modelled disk is a copy, with other inodes."""
    return lambda store: run((*case.recover, *case.copied), store).returncode


def in_process(store: Path) -> int:
    """The victim's recovery without a new process: thousands a minute."""
    with contextlib.redirect_stderr(io.StringIO()):
        return victim.main(str(store), "recover")


def main(per_point: int) -> int:
    if reason := strace.missing():
        print(f"skipped: {reason}")
        return 0
    bad: list[str] = []
    caught: dict[str, bool] = {}
    states = different = 0
    for name in victim.STORES:
        for traced in runs(victim.case(name)):
            result = prove(traced, in_process, per_point)
            states, different, bad = states + result.states, different + result.different, bad + result.bad
            known = [place for place, noticed in caught.items() if noticed]
            for place, noticed in mutants(traced, in_process, per_point, known).items():
                caught[place] = noticed or caught.get(place, False)
            print(
                f"{traced.name}: {result.states} states, {result.different} different, {len(result.bad)} bad",
                flush=True,
            )
    print(f"all: {states} states, {different} different, {len(bad)} bad")
    print(f"flushes left out: {sum(caught.values())} of {len(caught)} places noticed")
    print(*bad[:40], *[f"not noticed: {place}" for place, noticed in caught.items() if not noticed], sep="\n")
    return 1 if bad or not all(caught.values()) else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 64))
