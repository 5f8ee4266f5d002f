"""`init`, `doctor`, `config` and `explain`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from gardener.cli import out
from gardener.cli.context import Shared, pass_shared, shared
from gardener.errors import UsageError


@click.command("init")
@click.argument("folder", metavar="[DIR]", default=".")
@shared
@pass_shared
def init_command(given: Shared, folder: str) -> None:
    """Make a store, or adopt a folder of markdown; no memory is touched."""
    from gardener.cli.progress import progress
    from gardener.config.store import open_store
    from gardener.tend import tend
    from gardener.tend.adopt import adopt

    adopted = adopt(Path(given.store or folder))
    out.carried("the store was set up")
    for line in adopted.says:
        out.say(line)
    with open_store(adopted.store) as store, progress(quiet=given.quiet) as listen:
        result = tend(store, given.time(), dry_run=True, listen=listen)
    for root, form in result.reading.formats.items():
        out.say(f"{root}: {form.conventions.title}")
    out.say(f"{out.count(len(result.snapshot.memories), 'memory', 'memories')} found.")
    for problem in result.problems:
        out.note(f"problem: {out.plain(str(problem), 400)}")
    rows = [(row.name, str(row.found)) for row in result.passes if row.found]
    if rows:
        out.say("A first run would look into:")
        out.table(rows)
    drafts = [one for one in result.outcome.open.values() if one is not None]
    for draft in sorted(drafts, key=lambda one: -one.finding.score)[:3]:
        out.say(f"  for example ({draft.finding.pass_name}): {out.plain(draft.finding.summary)}")
    where = os.path.relpath(adopted.store)
    out.say(f"Nothing was proposed yet. Next: gardener tend{'' if where == '.' else f' --store {where}'}")


@click.command("explain")
@click.argument("pass_name", metavar="[PASS]", required=False)
@shared
@pass_shared
def explain_command(given: Shared, pass_name: str | None) -> None:
    """What a pass finds, why it matters, and what it proposes."""
    from gardener.passes import discover, docstring

    names = [one.name for one in discover()]
    if pass_name is None:
        out.table([(name, docstring(name).strip().splitlines()[0]) for name in names])
        return
    if pass_name not in names:
        raise UsageError(f"{pass_name}: no such pass; the passes are {', '.join(names)}")
    out.say(docstring(pass_name).strip())


@click.command("config")
@click.argument("what", type=click.Choice(["show", "validate"]), default="show")
@shared
@pass_shared
def config_command(given: Shared, what: str) -> None:
    """Show the settings in force and where each comes from, or check them."""
    from gardener.config import rows
    from gardener.tend.configure import configured

    with given.open() as store:
        passes = configured(store.settings.passes)
        if what == "validate":
            out.say(f"{store.path}/gardener.toml is fine")
            return
        for key, value, is_set in rows(store.settings, store.raw):
            out.say(f"{key} = {_toml(value)}{'' if is_set else '  # default'}")
        for name, table in passes.items():
            for key in table.__struct_fields__:
                is_set = key in store.settings.passes.get(name, {})
                out.say(f"passes.{name}.{key} = {_toml(getattr(table, key))}{'' if is_set else '  # default'}")


@click.command("doctor")
@click.option("--recover", is_flag=True, help="Finish an interrupted apply.")
@click.option("--copied", is_flag=True, help="With --recover: also one that came with a copy of this folder.")
@shared
@pass_shared
def doctor_command(given: Shared, recover: bool, copied: bool) -> None:
    """Look the store and this machine over."""
    from gardener.review.health import examine, mend

    with given.open() as store:
        if recover:
            told = mend(store, copied=copied)
            out.carried("the recovery was done")
            out.say(told)
        findings = list(examine(store))
    worst = 0
    for mark, line in findings:
        out.say(f"{mark}  {out.plain(line, 400)}")
        worst = max(worst, {"ok": 0, "--": 0, "!!": 4}[mark])
    if worst:
        raise click.exceptions.Exit(worst)


def _toml(value: object) -> str:
    import json

    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
