"""Every proof, and the table of them: `python -m tests.proofs [SHARE] [NAME ...]` (SHARE of the full size, 1).

What a proof found is kept in docs/proofs.json when it ends, and the tables in docs/proofs.md and the README are made
from that; so they hold nothing that was not run, and a proof can be run again by itself.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace

from tests.proofs import clones, errors, fuzz, kill, powercut, realcut, strace, victim, whole, writers
from tests.proofs.case import REPOSITORY, Case

KEPT = REPOSITORY / "docs/proofs.json"
PAGES = (REPOSITORY / "docs/proofs.md", REPOSITORY / "README.md")
BEGIN, END = "<!-- proofs -->", "<!-- /proofs -->"


@dataclass(frozen=True)
class Figures:
    """What one run of a proof, of that `share` of its full size, came to. `says` is for docs/proofs.md."""

    tried: int
    bad: int
    says: str = ""
    share: float = 1


@dataclass(frozen=True)
class Proof:
    """`what` is the table's first column; `run(share)` tries that share of the full size; `missing` says why it cannot
    here.
    """

    what: str
    run: Callable[[float], Figures]
    missing: Callable[[], str] = lambda: ""


def many(full: int, share: float) -> int:
    return max(int(full * share), 1)


def by_name(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common())


def killed(cases: Iterable[Case], points: int) -> Figures:
    results = {case.name: kill.prove(case, points) for case in cases}
    show(bad for one in results.values() for bad in one.bad)
    at = sum((one.points for one in results.values()), Counter[str]())
    survived = sum(one.survived for one in results.values())
    each = by_name(Counter({name: one.points.total() for name, one in results.items()}))
    # A point that nobody died at is a hole in the proof.
    return Figures(at.total(), sum(len(one.bad) for one in results.values()) + survived, f"{each}; at {by_name(at)}")


def killed_twice(share: float) -> Figures:
    results = [
        kill.prove_in_recovery(case, many(8, share))
        for case in (whole.case("apply"), whole.case("tend"), victim.case("apply"), victim.case("redact"))
    ]
    show(bad for one in results for bad in one.bad)
    at = sum((one.points for one in results), Counter[str]())
    return Figures(at.total(), sum(len(one.bad) + one.survived for one in results), f"at {by_name(at)}")


def failed(cases: Iterable[Case], points: int) -> Figures:
    results = [errors.prove(case, points) for case in cases]
    show(bad for one in results for bad in one.bad)
    codes = sum((one.codes for one in results), Counter[int]())
    said = ", ".join(f"exit {code} {count} times" for code, count in sorted(codes.items()))
    at = sum((one.injected for one in results), Counter[str]())
    return Figures(at.total(), sum(len(one.bad) for one in results), f"{said}; at {by_name(at)}")


def cut(share: float) -> Figures:
    """At most so many states of each moment: of the whole command line fewer, since each takes ten times as long."""
    layer = [(run, powercut.in_process, 64) for name in victim.STORES for run in powercut.runs(victim.case(name))]
    line = [
        (run, whole.in_process(whole.case(name)), 12) for name in whole.NAMES for run in powercut.runs(whole.case(name))
    ]
    results = [powercut.prove(run, recover, many(states, share) + 4) for run, recover, states in (*line, *layer)]
    show(bad for one in results for bad in one.bad)
    states, different = sum(one.states for one in results), sum(one.different for one in results)
    commands = sum(one.states for one in results[: len(line)])
    says = f"{different} of them different, in {len(results)} runs; {commands} of whole commands"
    return Figures(states, sum(len(one.bad) for one in results), says)


def flushes_left_out(share: float) -> Figures:
    noticed: dict[str, bool] = {}
    for name in victim.STORES:
        for run in powercut.runs(victim.case(name)):
            known = [place for place, seen in noticed.items() if seen]
            for place, seen in powercut.mutants(run, powercut.in_process, many(64, share) + 16, known).items():
                noticed[place] = seen or noticed.get(place, False)
    unseen = [place for place, seen in noticed.items() if not seen]
    show(unseen)
    return Figures(len(noticed), len(unseen), ", ".join(noticed))


def really_cut(system: str) -> Proof:
    def run(share: float) -> Figures:
        line = realcut.prove(
            system, [whole.case(name) for name in ("apply", "undo", "reject", "tend")], many(28, share)
        )
        layer = realcut.prove(system, [victim.case(name) for name in victim.ALONE], many(18, share))
        show((*line.bad, *layer.bad))
        return Figures(line.cuts + layer.cuts, len(line.bad) + len(layer.bad), f"{line.cuts} of whole commands")

    return Proof(f"real power cuts on {system}", run, lambda: realcut.missing(system))


def written(result: writers.Result) -> Figures:
    show(map(repr, result.lost))
    beside = "; ".join(f"{count} times {ended}" for ended, count in result.decisions.most_common())
    return Figures(result.edits, len(result.lost), f"beside {beside}")


def cloned(share: float) -> Figures:
    clones.prove(many(30, share), 20)
    return Figures(many(30, share), 0, "sequences of up to 20 steps")


def tested(count: Callable[[], int], *files: str) -> Callable[[float], Figures]:
    """A table of attempts that is a test: `count` of them, all held off or the test fails."""

    def run(_: float) -> Figures:
        done = subprocess.run([sys.executable, "-m", "pytest", "-n", "0", *files], cwd=REPOSITORY, check=False)
        return Figures(count(), int(done.returncode != 0), f"`pytest {' '.join(files)}`")

    return run


def forged() -> int:
    from tests.review.test_forged import FORGED

    return FORGED


def escapes() -> int:
    from tests.review.test_escapes import ESCAPES

    return len(ESCAPES)


def attacks() -> int:
    from tests.daemon.intruder import AGAINST_THE_PARENT, WAYS

    return len(WAYS | AGAINST_THE_PARENT)


def fuzzed(share: float) -> Figures:
    result = fuzz.prove(many(1_000_000, share))
    show(result.bad)
    return Figures(result.inputs, len(result.bad), ", ".join(fuzz.SHARES))


def show(bad: Iterable[str]) -> None:
    for line in bad:
        print(f"BAD {line}", file=sys.stderr, flush=True)


PROOFS: dict[str, Proof] = {
    "kill": Proof(
        "SIGKILL at a system call of `apply`, `undo`, `reject`, `archive`, `tend`",
        lambda share: killed(map(whole.case, whole.NAMES), many(60, share)),
        strace.missing,
    ),
    "kill-layer": Proof(
        "the same of the file layer alone",
        lambda share: killed(map(victim.case, victim.ALONE), many(200, share)),
        strace.missing,
    ),
    "recovery": Proof("SIGKILL within the recovery from a SIGKILL", killed_twice, strace.missing),
    "errors": Proof(
        "ENOSPC, EIO, EACCES or EMFILE from a system call of those commands",
        lambda share: failed(map(whole.case, whole.NAMES), many(50, share)),
        strace.missing,
    ),
    "errors-layer": Proof(
        "the same of the file layer alone",
        lambda share: failed(map(victim.case, victim.ALONE), many(100, share)),
        strace.missing,
    ),
    "cuts": Proof("states a modelled power cut leaves", cut, strace.missing),
    "flushes": Proof("flushes left out in turn (bad: not noticed)", flushes_left_out, strace.missing),
    "ext4": really_cut("ext4"),
    "xfs": really_cut("xfs"),
    "writers": Proof(
        "edits by agents beside two command lines and a running `tend` (bad: lost)",
        lambda share: written(whole.beside_writers(many(10_000, share))),
    ),
    "writers-layer": Proof(
        "edits by agents beside the file layer at full speed (bad: lost)",
        lambda share: written(writers.prove(many(10_000, share))),
    ),
    "clones": Proof("histories of two clones that tend, decide, edit and merge", cloned),
    "forged": Proof("forged decisions", tested(forged, "tests/review/test_forged.py")),
    "escapes": Proof("ways out of the store", tested(escapes, "tests/review/test_escapes.py")),
    "confinement": Proof(
        "ways to write to a memory from the confined daemon", tested(attacks, "tests/daemon/test_sandbox.py")
    ),
    "fuzz": Proof("fuzzed inputs", fuzzed, fuzz.missing),
}


def kept() -> dict[str, Figures]:
    found = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    return {name: Figures(**figures) for name, figures in found.items() if name in PROOFS}


def table(figures: dict[str, Figures]) -> str:
    rows = [
        f"| {proof.what} | {one.tried:,} | {one.bad} | `python -m tests.proofs {one.share:g} {name}` |"
        for name, proof in PROOFS.items()
        if (one := figures.get(name))
    ]
    return "\n".join(["| what | tried | bad | command |", "|---|---:|---:|---|", *rows])


def details(figures: dict[str, Figures]) -> str:
    return "\n".join(f"- `{name}`: {figures[name].says}" for name in PROOFS if name in figures and figures[name].says)


def with_figures(text: str, figures: dict[str, Figures]) -> str:
    """A page with what stands between its marks made anew."""
    head, rest = text.split(BEGIN)
    inside = table(figures)
    if "proofs.md" not in head:  # the README points there
        inside += f"\n\n{details(figures)}"
    return f"{head}{BEGIN}\n{inside}\n{END}{rest.split(END)[1]}"


def main(share: float, names: list[str]) -> int:
    """Run the named proofs, or all, one after another."""
    found = kept()
    for name in names or PROOFS:
        if reason := PROOFS[name].missing():
            print(f"{name}: skipped: {reason}", flush=True)
            continue
        began = time.monotonic()
        figures = replace(PROOFS[name].run(share), share=share)
        found = kept() | {name: figures}  # read now: others may be running beside
        took = time.monotonic() - began
        print(f"{name}: {found[name].tried} tried, {found[name].bad} bad, {took:.0f} s; {found[name].says}", flush=True)
        KEPT.write_text(json.dumps({key: asdict(one) for key, one in found.items()}, indent=1) + "\n")
        for page in PAGES:
            page.write_text(with_figures(page.read_text(), found))
    return 1 if any(found[name].bad for name in names or PROOFS if name in found) else 0


if __name__ == "__main__":
    numbers = [argument for argument in sys.argv[1:] if argument[0].isdigit()]
    sys.exit(main(float(numbers[0]) if numbers else 1.0, [name for name in sys.argv[1:] if name in PROOFS]))
