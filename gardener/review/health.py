"""What `doctor` says of a store and this machine, and ending an interrupted apply."""

from __future__ import annotations

from collections.abc import Iterator

from gardener.config.store import Store
from gardener.proposals.document import parse
from gardener.proposals.identity import file_name, id_of
from gardener.proposals.inbox import read_inbox
from gardener.review.locked import recovered
from gardener.storage import atomic
from gardener.storage.beneath import exists
from gardener.storage.cache import open_cache
from gardener.storage.commit import recover
from gardener.storage.gitdir import git_busy, git_dir
from gardener.storage.journal import unfinished
from gardener.storage.load import load
from gardener.storage.lock import hold


def mend(store: Store, *, copied: bool = False) -> str:
    """End an interrupted apply, also one of another place when `copied`. PartialError where a person has to look."""
    with hold(store.root):
        outcome = recover(store.root, store.layout.proposals, copied=copied)
        recovered(outcome)
        back = _write_back(store)
    said = "No apply was interrupted." if outcome.ended == "nothing" else f"{outcome.name}: {outcome.ended}."
    return f"{said} Wrote back {', '.join(back)}." if back else said


def _write_back(store: Store) -> list[str]:
    """Rejections whose files were deleted, from the cache into their folder again."""
    with open_cache(store.root, create=False) as cache:
        kept: dict[str, str] = cache.fact("rejected", {})
    inbox = read_inbox(store.root, store.layout.proposals)
    present = {*inbox.by_id, *(id_of(one.path) for one in inbox.malformed)}
    back = []
    for identity, text in kept.items():
        if identity not in present:
            one = parse(text).proposal
            name = file_name(one.pass_name, one.subjects[0].rsplit("/", 1)[-1].removesuffix(".md"), identity)
            atomic.write(store.root, f"{store.layout.proposals}/rejected/{name}", text.encode(), was=None)
            back.append(identity)
    return back


def examine(store: Store) -> Iterator[tuple[str, str]]:
    """(mark, line): `ok`, `--` for what is worth knowing, `!!` for what needs a hand."""
    yield "ok", f"store {store.path}"
    yield from _settings(store)
    reading = load(store.root, store.layout)
    for place, form in reading.formats.items():
        count = sum(1 for memory in reading.snapshot.memories if memory.root == place)
        yield "ok", f"{place}: {count} memories, read as {form.conventions.title}"
    for problem in reading.snapshot.problems:
        yield "!!" if problem.kind == "refused" else "--", str(problem)
    inbox = read_inbox(store.root, store.layout.proposals)
    yield "ok", f"{len(inbox.pending)} pending proposals, {len(inbox.decided)} decided"
    for malformed in inbox.malformed:
        yield "!!", f"{malformed.path}: {malformed.reason}"
    for shadowed in inbox.shadowed:
        yield "--", f"{shadowed.path}: the same id lies in another folder, which counts; this copy may go"
    if unfinished(store.root):
        yield "!!", "an apply was interrupted; gardener doctor --recover finishes it"
    yield from _git(store)


def _settings(store: Store) -> Iterator[tuple[str, str]]:
    schedule = store.settings.schedule
    table = store.raw.get("schedule", {})
    for key in ("nightly", "every", "on_change"):
        where = "gardener.toml" if key in table else "default"
        yield "ok", f"schedule.{key} = {getattr(schedule, key)} ({where})"


def _git(store: Store) -> Iterator[tuple[str, str]]:
    if git_dir(store.root) is None:
        yield "--", "not in a git repository; git is where reports and proposals are read and merged"
        return
    busy = git_busy(store.root)
    yield ("!!", f"git is in the middle of something ({busy})") if busy else ("ok", "git is at rest")
    attributes = f"{store.layout.proposals}/.gitattributes"
    if not exists(store.root, attributes):
        yield "--", f"{attributes} is missing; gardener init writes it, so that proposals merge as text"
