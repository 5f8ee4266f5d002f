"""SIGKILL at every system call: `python -m tests.proofs.kill [N]` (N: how many points of each case, all by default).

Bad is a store that after recovery is neither as before nor as after, a second run that does not end as after, or a
record left behind.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from tests.proofs import strace, victim
from tests.proofs.case import CRASHED, Case, after, read_tree, run, store_of, verdict

T = TypeVar("T")


@dataclass
class Result:
    points: Counter[str] = field(default_factory=Counter)
    survived: int = 0
    bad: list[str] = field(default_factory=list)


def prove(case: Case, limit: int | None = None, calls: frozenset[str] = frozenset()) -> Result:
    """Kill the command at each of its calls (`limit` evenly spread ones), recover, judge, and run it once more.

    With `calls` only at calls of these names.
    """
    result = Result()
    points = [point for point in strace.points(case) if not calls or point.name in calls]
    for point in spread(points, limit):
        with store_of(case) as store:
            if not strace.killed_at(case, point, store):
                result.survived += 1
                continue
            result.points[point.name] += 1
            done = run(case.recover, store)
            found = verdict(case, store)
            if done.returncode:
                found.append(f"{case.name}: recovery exits {done.returncode}: {done.stderr.strip()}")
            again = run(case.command, store)
            if again.returncode in CRASHED or read_tree(store) != after(case):
                found.append(f"{case.name}: run once more it does not end as it should")
            result.bad += [f"{point}: {bad}" for bad in found]
    return result


def prove_in_recovery(case: Case, limit: int | None = None) -> Result:
    """The same within recovery: killed once in the command, then at each call of the recovery, then recovered."""
    result = Result()
    for first in spread(strace.points(case), limit):
        with store_of(case) as store:
            if not strace.killed_at(case, first, store):
                continue
            broken = _everything(store)
        recovery = Case(case.name, broken, case.recover, case.recover)
        for point in spread(strace.points(recovery), limit):
            with store_of(recovery) as store:
                if not strace.killed_at(recovery, point, store):
                    result.survived += 1
                    continue
                result.points[point.name] += 1
                run(case.recover, store)
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
