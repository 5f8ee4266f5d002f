"""SIGKILL at every system call: `python -m tests.proofs.kill [N]` (N: how many points of each case, all by default).

Bad is a store that after recovery is neither as before nor as after, a second run that does not end as after, or a
record left behind.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from tests.proofs import strace, victim
from tests.proofs.case import (
    CRASHED,
    Case,
    difference,
    much_later,
    read_tree,
    run,
    store_of,
    touched,
    twin_of,
    verdict,
)

T = TypeVar("T")


@dataclass
class Result:
    points: Counter[str] = field(default_factory=Counter)
    survived: int = 0
    bad: list[str] = field(default_factory=list)


def prove(case: Case, limit: int | None = None, calls: frozenset[str] = frozenset()) -> Result:
    """Kill the command at each of its calls (of these names where `calls` are given), see what becomes of the store.

    With `limit` at so many, those that change the store first, evenly spread.
    """
    points = [point for point in strace.deadly(case) if not calls or point.name in calls]
    changing = [point for point in points if point.changing]
    rest = [point for point in points if not point.changing]
    if limit is not None:
        changing = spread(changing, limit)
        rest = spread(rest, limit - len(changing))
    return _gather(lambda point: _killed(case, point), changing + rest)


def prove_in_recovery(case: Case, limit: int | None = None) -> Result:
    """The same within recovery: killed once in the command, then at each call of the recovery, then recovered."""
    found = strace.deadly(case)
    return _gather(lambda first: _killed_twice(case, first, limit), spread(found, limit))


def _gather(attempt: Callable[[strace.Point], Result], points: list[strace.Point]) -> Result:
    """All of them, two at a time: it is other processes that work."""
    result = Result()
    with ThreadPoolExecutor(2) as pool:
        for one in pool.map(attempt, points):
            result.points += one.points
            result.survived += one.survived
            result.bad += one.bad
    return result


def _killed(case: Case, point: strace.Point) -> Result:
    """Recovered by the case's own recovery, judged, run once more and lived on; and run once more without recovery."""
    with store_of(case) as store:
        if not strace.killed_at(case, point, store):
            return Result(survived=1)
        found = touched(case, store)
        twin = twin_of(store)
        recovered = run(case.recover, store)
        found += verdict(case, store)
        if recovered.returncode:
            found.append(f"{case.name}: recovery exits {recovered.returncode}: {recovered.stderr.strip()}")
        found += [f"{case.name}: once more: {bad}" for bad in _again(case, store)]
        if case.later is not None:
            case.later(store)
            found += [f"{case.name}: later: {bad}" for bad in difference(read_tree(store), much_later(case))]
        if case.command != case.recover:
            found += [f"{case.name}: at once: {bad}" for bad in _again(case, twin)]
    return Result(Counter([point.name]), 0, [f"{point}: {bad}" for bad in found])


def _again(case: Case, store: Path) -> list[str]:
    """What is wrong once the same command has run on what is left."""
    again = run(case.command, store)
    crashed = [again.stderr.strip()] if again.returncode in CRASHED else []
    return crashed + verdict(case, store, must_be_done=True)


def _killed_twice(case: Case, first: strace.Point, limit: int | None) -> Result:
    result = Result()
    with store_of(case) as store:
        if not strace.killed_at(case, first, store):
            return Result(survived=1)
        broken = _everything(store)
    command = (*case.recover, *case.copied)
    recovery = Case(case.name, broken, command, command)
    for point in spread(strace.deadly(recovery), limit):
        with store_of(recovery) as store:
            if not strace.killed_at(recovery, point, store):
                result.survived += 1
                continue
            result.points[point.name] += 1
            run(command, store)
            result.bad += [f"{first}, then {point}: {bad}" for bad in verdict(case, store)]
    return result


def spread(found: list[T], limit: int | None) -> list[T]:
    """At most `limit` of them, evenly."""
    if limit is None or limit >= len(found):
        return found
    return [found[index * len(found) // limit] for index in range(limit)]


def _everything(store: Path) -> tuple[tuple[str, bytes], ...]:
    files = sorted(path for path in store.rglob("*") if path.is_file())
    return tuple((str(path.relative_to(store)), path.read_bytes()) for path in files)


def main(limit: int | None) -> int:
    if reason := strace.missing():
        print(f"skipped: {reason}")
        return 0
    bad: list[str] = []
    for name in victim.ALONE:
        result = prove(victim.case(name), limit)
        bad += result.bad
        print(f"{name}: {result.points.total()} kill points, {result.survived} survived, {len(result.bad)} bad")
        print("  " + ", ".join(f"{call} {count}" for call, count in sorted(result.points.items())))
    nested = prove_in_recovery(victim.case("apply"), limit or 16)
    print(f"in recovery: {nested.points.total()} kill points, {len(nested.bad)} bad")
    print(*bad, *nested.bad, sep="\n")
    return 1 if bad or nested.bad else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else None))
