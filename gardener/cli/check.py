"""`check`: a hint at the moment a memory is written."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path

import click

from gardener.cli import out
from gardener.cli.context import Shared, pass_shared, shared
from gardener.cli.rows import problem_json
from gardener.config.store import Store
from gardener.errors import UsageError
from gardener.tend.check import Checked, check

MAX_BYTES = 1024 * 1024


@click.command("check")
@click.argument("files", metavar="[FILE...|-]", nargs=-1)
@click.option("--was", metavar="OLD", help="The text before the edit: says when the edit carries a new claim.")
@click.option("--check", "strict", is_flag=True, help="Exit 1 when there is anything to say.")
@click.option("--json", "as_json", is_flag=True, help="Print an array.")
@shared
@pass_shared
def check_command(given: Shared, files: tuple[str, ...], was: str | None, strict: bool, as_json: bool) -> None:
    """What a memory resembles, and its faults; without FILE, the store's problems and advice."""
    now = given.time()
    if was and len(files) != 1:
        raise UsageError("--was goes with one FILE")
    with given.open() as store:
        if not files:
            clean = _store(store, given, as_json)
        else:
            before = _bytes(was) if was else None
            found = [_checked(store, name, now, before) for name in files]
            clean = all(one.clean for one in found)
            if as_json:
                out.as_json([_json(one) for one in found])
            else:
                for one in found:
                    _print(one)
    if strict and not clean:
        raise click.exceptions.Exit(1)


def _bytes(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read(MAX_BYTES)
    path = Path(name)
    if not path.is_file():
        raise UsageError(f"{name}: no such file")
    with path.open("rb") as file:
        return file.read(MAX_BYTES)


def _checked(store: Store, name: str, now: datetime, was: bytes | None) -> Checked:
    """One file, called by its path from the store's folder where it lies inside it."""
    data = _bytes(name)
    if name == "-":
        return check(store, "standard input", data, now, was, inside=False)
    full, top = Path(name).resolve(), Path(store.path)
    inside = full.is_relative_to(top)
    return check(store, full.relative_to(top).as_posix() if inside else full.name, data, now, was, inside=inside)


def _store(store: Store, given: Shared, as_json: bool) -> bool:
    from gardener.tend import tend

    result = tend(store, given.time(), dry_run=True)
    advice = result.outcome.advice
    if as_json:
        told = [{"pass": one.pass_name, "summary": one.summary, "paths": list(one.subjects)} for one in advice]
        out.as_json({"problems": [problem_json(one) for one in result.problems], "advice": told})
    else:
        for problem in result.problems:
            out.say(f"problem  {out.plain(str(problem), 400)}")
        for finding in advice:
            out.say(f"{finding.pass_name}  {out.plain(finding.summary, 300)}")
        if not result.problems and not advice:
            out.note("No problems and no advice.")
    return not (result.problems or advice)


def _print(one: Checked) -> None:
    out.say(out.plain(one.path))
    if one.claim:
        out.say(f"  {one.claim}")
    for problem in one.problems:
        out.say(f"  problem: {out.plain(problem.reason, 300)}{f' (line {problem.line})' if problem.line else ''}")
    for finding in one.faults:
        out.say(f"  {finding.pass_name}: {out.plain(finding.summary, 300)}")
    for hint in one.hints:
        out.say(f"  {hint.judgement.verdict:<9}  {hint.cosine:.2f}  {out.plain(hint.path)}")
    if one.clean and not one.hints:
        out.say("  nothing like it, and nothing wrong")


def _json(one: Checked) -> dict[str, object]:
    return {
        "path": one.path,
        "claim": one.claim or None,
        "problems": [problem_json(problem) for problem in one.problems],
        "faults": [{"pass": finding.pass_name, "summary": finding.summary} for finding in one.faults],
        "near": [{"path": h.path, "cosine": round(h.cosine, 3), "verdict": h.judgement.verdict} for h in one.hints],
    }
