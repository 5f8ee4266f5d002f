"""Agents writing while decisions are applied: `python -m tests.proofs.writers [N]` (N edits in all, 10,000).

Two agents edit six memories in every way programs do: append in place, hold the file open and append later, write
anew and rename, rewrite in place. Two deciders commit changes over the same files as fast as they can. An edit is
lost when, at the end, it is in no memory and in no file under conflicts/ that some output named.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gardener.errors import GardenerError
from gardener.model.operation import FileChange, Operation
from gardener.storage import beneath, lock
from gardener.storage import commit as committing
from tests.proofs import victim
from tests.proofs.case import CRASHED, run, scratch

Decide = Callable[[Path, int, list[str]], str | None]
"""One decision on the store, given a number; what it prints is added to the list. The answer says how it ended."""
FILES = tuple(f"memory/p/{letter}.md" for letter in "abcdef")
CONFLICTS = "proposals/conflicts"


@dataclass(frozen=True)
class Result:
    edits: int
    lost: tuple[bytes, ...]
    in_conflicts: int
    decisions: Counter[str]


def begin_plain(store: Path) -> None:
    """Every file has one line."""
    (store / "memory/p").mkdir(parents=True)
    for path in FILES:
        (store / path).write_bytes(b"revision 0\n")


def prove(
    edits: int,
    *,
    fault: str = "",
    decide: Decide | None = None,
    beside: tuple[Decide, ...] = (),
    begin: Callable[[Path], None] = begin_plain,
    judge: Callable[[Path], None] | None = None,
) -> Result:
    """Let both sides run until all `edits` are made, then recover once more and look for every one of them.

    Two processes `decide`, and one each does what is in `beside`; `judge` has to be content with the store at the end.
    """
    with scratch() as folder:
        store = folder / "store"
        begin(store)
        over = multiprocessing.Event()
        said: multiprocessing.SimpleQueue[tuple[str, list[str]]] = multiprocessing.SimpleQueue()
        agents = [
            multiprocessing.Process(target=_agent, args=(store, FILES[first::2], edits // 2, first)) for first in (0, 1)
        ]
        everyone = (decide or commit_some, decide or commit_some, *beside)
        deciders = [
            multiprocessing.Process(target=_decider, args=(store, over, said, seed, fault, one))
            for seed, one in enumerate(everyone)
        ]
        for process in (*deciders, *agents):
            process.start()
        results = _collect(said, agents, deciders, over)
        result = _judge(store, edits // 2 * 2, results)
        if judge is not None:
            judge(store)
        return result


def commit_some(store: Path, number: int, said: list[str]) -> None:
    """Lock, recover, and give two or three of the files a new first line."""
    dice = random.Random(number)
    with beneath.open_root(store) as root, lock.hold(root):
        said += map(str, committing.recover(root).kept)
        changes = []
        for path in sorted(dice.sample(FILES, dice.choice((2, 3)))):
            before = beneath.read(root, path, 1 << 24)
            _, _, rest = before.partition(b"\n")
            changes.append(FileChange(path, before, b"revision %d\n" % number + rest))
        said += map(str, committing.commit(root, Operation("decide", tuple(changes))).kept)


def by_command(command: tuple[str, ...]) -> Decide:
    """Decisions made by running a command, `{store}` and `{number}` filled in."""

    def decide(store: Path, number: int, said: list[str]) -> str:
        done = run(tuple(part.replace("{number}", str(number)) for part in command), store)
        said += (done.stdout + done.stderr).splitlines()
        assert done.returncode not in CRASHED, done.stderr
        return f"{command[-1]}, exit {done.returncode}"

    return decide


def _agent(store: Path, files: tuple[str, ...], count: int, seed: int) -> None:
    """Make `count` edits on files of its own; each is a line that occurs nowhere else."""
    dice = random.Random(seed)
    ways = (_append, _append_late, _replace, _rewrite)
    for number in range(count):
        with suppress(FileNotFoundError):  # never: but the count at the end would tell
            dice.choice(ways)(store / dice.choice(files), b"edit %d of %d.\n" % (number, seed), dice)
        time.sleep(dice.random() * 0.002)


def _append(path: Path, line: bytes, dice: random.Random) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_APPEND)
    os.write(fd, line)
    os.close(fd)


def _append_late(path: Path, line: bytes, dice: random.Random) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_APPEND)
    time.sleep(dice.random() * dice.choice((0.002, 0.01, 0.4)))
    os.write(fd, line)
    os.close(fd)


def _replace(path: Path, line: bytes, dice: random.Random) -> None:
    temp = path.with_suffix(".agent")
    temp.write_bytes(path.read_bytes() + line)
    temp.rename(path)


def _rewrite(path: Path, line: bytes, dice: random.Random) -> None:
    with path.open("r+b") as file:
        data = file.read()
        file.seek(0)
        file.write(data + line)


def _decider(store: Path, over: object, said: object, seed: int, fault: str, decide: Decide) -> None:
    victim.FAULTS[fault]()
    number = seed
    try:
        while not over.is_set():  # type: ignore[attr-defined]
            number += 10
            lines: list[str] = []
            try:
                ended = decide(store, number, lines) or "applied"
            except (GardenerError, OSError) as error:
                ended = type(error).__name__
                lines.append(str(error))
            said.put((ended, lines))  # type: ignore[attr-defined]
    finally:  # also of one that fails: its exit code says so, and nobody waits for it
        said.put(("", []))  # type: ignore[attr-defined]


def _collect(
    said: multiprocessing.SimpleQueue[tuple[str, list[str]]],
    agents: list[multiprocessing.Process],
    deciders: list[multiprocessing.Process],
    over: object,
) -> list[tuple[str, list[str]]]:
    """Read what the deciders say until the agents are done and both have said their last."""
    results: list[tuple[str, list[str]]] = []
    running = len(deciders)
    while running:
        if not any(agent.is_alive() for agent in agents):
            over.set()  # type: ignore[attr-defined]
        ended, lines = said.get()
        running -= not ended
        results.append((ended, lines))
    for process in (*agents, *deciders):
        process.join()
        assert process.exitcode == 0
    return results


def _judge(store: Path, edits: int, results: list[tuple[str, list[str]]]) -> Result:
    with beneath.open_root(store) as root, lock.hold(root):
        results.append(("", list(map(str, committing.recover(root).kept))))
    output = "\n".join(line for _, lines in results for line in lines)
    memories = b"".join((store / path).read_bytes() for path in FILES)
    kept = sorted((store / CONFLICTS).glob("*"))
    named = b"".join(path.read_bytes() for path in kept if f"{CONFLICTS}/{path.name}" in output)
    in_memories, in_named = set(memories.splitlines()), set(named.splitlines())
    lines = [b"edit %d of %d." % (number, seed) for seed in (0, 1) for number in range(edits // 2)]
    missing = tuple(line for line in lines if line not in in_memories and line not in in_named)
    return Result(
        edits,
        missing,
        sum(line not in in_memories for line in lines) - len(missing),
        Counter(ended for ended, _ in results if ended),
    )


def main(edits: int, fault: str = "") -> int:
    result = prove(edits, fault=fault)
    told = ", ".join(f"{count} {ended}" for ended, count in sorted(result.decisions.items()))
    print(f"{result.edits} edits beside {result.decisions.total()} decisions ({told}):")
    print(f"{len(result.lost)} lost, {result.in_conflicts} kept under conflicts/ and named, the rest in place")
    print(*result.lost[:20], sep="\n")
    return 1 if result.lost else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 10_000, *sys.argv[2:]))
