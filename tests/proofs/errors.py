"""Every system call failing: `python -m tests.proofs.errors [N]` (N: how many points of each case, all by default).

Each call of the command fails as ENOSPC, EIO, EACCES and EMFILE in turn. Bad is a store that is neither as before nor
as after once recovered, success reported for what was not done, a traceback, or a record left behind.
"""

from __future__ import annotations

import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from tests.proofs import strace, victim
from tests.proofs.case import CRASHED, Case, after, read_tree, run, store_of, touched, verdict, visible
from tests.proofs.kill import spread

ERRORS = ("ENOSPC", "EIO", "EACCES", "EMFILE")


@dataclass
class Result:
    injected: Counter[str] = field(default_factory=Counter)
    codes: Counter[int] = field(default_factory=Counter)
    bad: list[str] = field(default_factory=list)


def prove(
    case: Case,
    limit: int | None = None,
    errors: tuple[str, ...] = ERRORS,
    calls: frozenset[str] = frozenset(),
) -> Result:
    """Let `limit` evenly spread calls fail, judge what is left, recover, and judge again; `calls` as in `kill`.

    Half of them are calls that change the store.
    """
    points = [point for point in strace.points(case) if not calls or point.name in calls]
    changing = [(point, error) for point in points for error in errors if point.changing]
    rest = [(point, error) for point in points for error in errors if not point.changing]
    if limit is not None:
        changing = spread(changing, limit - min(limit // 2, len(rest)))
        rest = spread(rest, limit - len(changing))
    chosen = changing + rest
    result = Result()
    with ThreadPoolExecutor(2) as pool:
        for (point, _), (code, bad) in zip(chosen, pool.map(lambda at: _failed(case, *at), chosen), strict=True):
            result.injected[point.name] += 1
            result.codes[code] += 1
            result.bad += bad
    return result


def _failed(case: Case, point: strace.Point, error: str) -> tuple[int, list[str]]:
    """The exit code, and what is wrong."""
    with store_of(case) as store:
        code = strace.failed_at(case, point, error, store)
        left = visible(read_tree(store))
        found = ["a traceback"] if code in CRASHED else []
        found += touched(case, store)
        if code == 0 and left != after(case):
            found.append("says it is done, and is not")
        if code == 3 and left != case.old:
            found.append("says that nothing was changed")
        recovered = run(case.recover, store)
        if recovered.returncode:
            found.append(f"recovery exits {recovered.returncode}: {recovered.stderr.strip()}")
        found += verdict(case, store, must_be_done=code == 0)
        return code, [f"{case.name}, {point} {error}: {bad}" for bad in found]


def main(limit: int | None) -> int:
    if reason := strace.missing():
        print(f"skipped: {reason}")
        return 0
    bad: list[str] = []
    for name in victim.ALONE:
        result = prove(victim.case(name), limit)
        bad += result.bad
        codes = ", ".join(f"{count} x exit {code}" for code, count in sorted(result.codes.items()))
        print(f"{name}: {result.injected.total()} errors injected ({codes}), {len(result.bad)} bad")
    print(*bad, sep="\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else None))
