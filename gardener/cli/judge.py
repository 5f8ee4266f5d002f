"""`judge` and `label`: answering look-alikes whose texts prove nothing."""

from __future__ import annotations

import shlex

import click

from gardener.cli import out
from gardener.cli.context import Shared, pass_shared, shared
from gardener.judge.ask import questions, snapshot_of
from gardener.judge.record import answer_for, record
from gardener.judge.run import cost, run
from gardener.proposals.judged import WORDS
from gardener.review.plan import memory_named


@click.command("judge")
@click.option("--run", "send", is_flag=True, help="Send them to the command set under [judge].")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most this many pairs.")
@click.option("--json", "as_json", is_flag=True, help="One JSON line a pair, for an agent.")
@shared
@pass_shared
def judge_command(given: Shared, send: bool, limit: int | None, as_json: bool) -> None:
    """List look-alikes that only a reader can judge, or have them judged."""
    with given.open() as store:
        asked = questions(store, limit)
        if send:
            pairs, characters = cost(asked)
            command = shlex.join(store.settings.judge.command)
            if command:
                out.note(f"Sending {out.count(pairs, 'pair')}, {characters:,} characters, to {command}.")
            judged = run(store, asked)
            out.carried("the answers are recorded")
            for line in judged.refused:
                out.note(f"gardener: {line}")
            out.say(f"{out.count(judged.answered, 'answer')} recorded. gardener tend turns them into proposals.")
            if judged.refused:
                raise click.exceptions.Exit(4)
            return
    for one in asked:
        if as_json:
            out.say(one.as_json())
            continue
        out.say(f"A  {out.plain(one.a.path)}")
        out.say(f"   {out.plain(one.masked(one.a.description or one.a.body), 300)}")
        out.say(f"B  {out.plain(one.b.path)}")
        out.say(f"   {out.plain(one.masked(one.b.description or one.b.body), 300)}")
        out.say(f"   gardener label {out.plain(one.a.path)} {out.plain(one.b.path)} ANSWER")
        out.say()
    if not asked:
        out.note("No look-alikes are left to judge.")
    elif not as_json:
        out.note(f"ANSWER is one of {', '.join(WORDS)}; as in: A is contained in B, A supersedes B.")


@click.command("label")
@click.argument("a")
@click.argument("b")
@click.argument("word", metavar="ANSWER", type=click.Choice(WORDS))
@click.option("--by", metavar="NAME", help="Who says so.")
@click.option("--why", default="", metavar="TEXT", help="One line, kept beside the answer.")
@shared
@pass_shared
def label_command(given: Shared, a: str, b: str, word: str, by: str | None, why: str) -> None:
    """Say how two memories stand to each other."""
    with given.open() as store:
        memories = snapshot_of(store).by_path
        answer = answer_for(memory_named(memories, a), memory_named(memories, b), word, by or given.by, why)
        record(store, [answer])
    out.carried("the answer is recorded")
    out.say(f"Recorded: {answer.a} {word} {answer.b}. The next gardener tend takes it into account.")
