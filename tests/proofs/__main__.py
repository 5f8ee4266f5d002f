"""Every proof of the file layer in one table: `python -m tests.proofs [SHARE]` (of the full size, which takes hours).

The same table with the whole command line in place of the victim is the caller's affair: every proof takes a `Case`.
"""

from __future__ import annotations

import sys

from tests.proofs import errors, kill, powercut, realcut, strace, victim, writers

Row = tuple[str, str, int]


def killed(share: float) -> Row:
    results = [kill.prove(victim.case(name), int(600 * share) or 1) for name in victim.ALONE]
    results.append(kill.prove_in_recovery(victim.case("apply"), int(20 * share) or 1))
    return "kill points", str(sum(result.points.total() for result in results)), sum(len(r.bad) for r in results)


def failed(share: float) -> Row:
    results = [errors.prove(victim.case(name), int(400 * share) or 1) for name in victim.ALONE]
    return "errors injected", str(sum(r.injected.total() for r in results)), sum(len(r.bad) for r in results)


def cut(share: float) -> list[Row]:
    states = bad = 0
    noticed: dict[str, bool] = {}
    for name in victim.STORES:
        for run in powercut.runs(victim.case(name)):
            result = powercut.prove(run, powercut.in_process, max(int(64 * share), 16))
            states, bad = states + result.states, bad + len(result.bad)
            known = [place for place, seen in noticed.items() if seen]
            for place, seen in powercut.mutants(run, powercut.in_process, max(int(64 * share), 16), known).items():
                noticed[place] = seen or noticed.get(place, False)
    unseen = sum(not seen for seen in noticed.values())
    return [("modelled power cuts", str(states), bad), ("flushes left out", str(len(noticed)), unseen)]


def really_cut(system: str, share: float) -> Row:
    if reason := realcut.missing(system):
        return f"real power cuts, {system}", f"skipped: {reason}", 0
    result = realcut.prove(system, [victim.case(name) for name in victim.ALONE], int(42 * share) or 1)
    return f"real power cuts, {system}", str(result.cuts), len(result.bad)


def written(share: float) -> Row:
    result = writers.prove(int(10_000 * share) or 100)
    return "concurrent edits", str(result.edits), len(result.lost)


def main(share: float) -> int:
    rows: list[Row] = [written(share)]
    if reason := strace.missing():
        print(f"skipped, all that needs system calls: {reason}", file=sys.stderr)
    else:
        rows += [killed(share), failed(share), *cut(share)]
    rows += [really_cut(system, share) for system in realcut.MAKE]
    print("| what | how many | bad |\n|---|---|---|")
    for what, count, bad in rows:
        print(f"| {what} | {count} | {bad} |")
    return 1 if any(bad for _, _, bad in rows) else 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if sys.argv[1:] else 1.0))
