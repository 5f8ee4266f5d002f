"""Sending questions to the user's own command, and reading its words back strictly."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gardener.config.store import Store
from gardener.errors import PartialError, UsageError
from gardener.judge.ask import Question
from gardener.judge.record import answer_for, record
from gardener.model.snapshot import Answer
from gardener.proposals.judged import WORDS

BATCH = 20
TIMEOUT_SECONDS = 600
_LONGEST_LINE = 4_000


@dataclass(frozen=True, slots=True)
class Judged:
    """How many answers were recorded, and a line for each reply that could not be used."""

    answered: int
    refused: tuple[str, ...] = ()


def cost(asked: Sequence[Question]) -> tuple[int, int]:
    """(pairs, characters) that would be sent."""
    return len(asked), sum(len(one.as_json()) for one in asked)


def run(store: Store, asked: Sequence[Question], timeout: float = TIMEOUT_SECONDS) -> Judged:
    """Ask the command of `[judge] command`, a batch at a time, each recorded before the next is sent.

    UsageError where no command is set; PartialError where it cannot be run, fails or takes too long.
    """
    command = store.settings.judge.command
    if not command:
        raise UsageError("no judge is set; name your agent's command under [judge] command, or use gardener label")
    answered, refused = 0, []
    for start in range(0, len(asked), BATCH):
        batch = {one.pair: one for one in asked[start : start + BATCH]}
        good, bad = parse(_reply(command, batch.values(), timeout, answered), batch, command[0])
        record(store, good)
        answered += len(good)
        refused += bad
    return Judged(answered, tuple(refused))


def parse(reply: str, batch: dict[str, Question], by: str) -> tuple[list[Answer], list[str]]:
    """(answers, refusals) of a reply: a line each, `{"pair", "answer", "why"?}`, of this batch, each pair once."""
    good: dict[str, Answer] = {}
    bad: list[str] = []
    for number, line in enumerate(reply.splitlines(), 1):
        if not line.strip():
            continue
        raw = _object(line)
        if raw is None or raw.get("answer") not in WORDS:
            bad.append(f"line {number} of the reply is not {{pair, answer, why}} with one of {', '.join(WORDS)}")
        elif raw.get("pair") not in batch or raw["pair"] in good:
            bad.append(f"line {number} of the reply names a pair that was not asked, or twice")
        else:
            one = batch[raw["pair"]]
            good[one.pair] = answer_for(one.a, one.b, raw["answer"], by, raw.get("why", ""))
    return list(good.values()), bad


def _object(line: str) -> dict[str, str] | None:
    """The line as an object with text under the three keys, None for anything else."""
    try:
        raw = json.loads(line) if len(line) <= _LONGEST_LINE else None
    except ValueError:
        return None
    if not isinstance(raw, dict) or not set(raw) <= {"pair", "answer", "why"}:
        return None
    return raw if all(isinstance(value, str) for value in raw.values()) else None


def _reply(command: Sequence[str], asked: Iterable[Question], timeout: float, before: int) -> str:
    text = "".join(f"{one.as_json()}\n" for one in asked)
    try:
        done = subprocess.run(
            list(command), input=text, capture_output=True, text=True, timeout=timeout, check=False, errors="replace"
        )
    except subprocess.TimeoutExpired:
        raise PartialError(f"{command[0]} took more than {timeout:.0f} s; {before} answers were recorded") from None
    except OSError as error:
        raise PartialError(f"{command[0]}: {error.strerror}; {before} answers were recorded") from None
    if done.returncode:
        raise PartialError(f"{command[0]} ended with {done.returncode}; {before} answers were recorded")
    return done.stdout
