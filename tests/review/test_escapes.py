"""Ways out of the store: through links, special files, names and proposals. Nothing outside is opened or written."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from gardener.errors import GardenerError
from tests.garden import NOW, Garden, days_ago
from tests.proofs import strace
from tests.review.test_forged import run

Make = Callable[[Garden, Path], object]


def linked(path: str, target: str) -> Make:
    """`path` in the store is a symbolic link to `target` outside."""

    def make(garden: Garden, outside: Path) -> None:
        place = garden.path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(outside / target)

    return make


def relative(path: str, target: str) -> Make:
    def make(garden: Garden, outside: Path) -> None:
        assert outside.exists()
        place = garden.path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)

    return make


def hard(path: str) -> Make:
    def make(garden: Garden, outside: Path) -> None:
        place = garden.path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        os.link(outside / "memory/p/stale.md", place)

    return make


def special(path: str) -> Make:
    def make(garden: Garden, outside: Path) -> None:
        assert outside.exists()
        place = garden.path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(place)

    return make


def front(**keys: str) -> Make:
    """A stale memory that says so of itself."""
    return lambda garden, _: garden.memory("p/m", updated=days_ago(400), created=days_ago(500), **keys)


def body(text: str, **keys: str) -> Make:
    return lambda garden, outside: garden.memory("p/m", text.format(outside=outside), **keys)


def settings(text: str) -> Make:
    return lambda garden, outside: garden.settings(text.format(outside=outside))


def proposal(old: str, new: str) -> Make:
    """A pending file whose plan names another path."""

    def make(garden: Garden, outside: Path) -> None:
        garden.stage("p/done", "Status: done")
        garden.tend()
        filed = garden.one("stale_stage")
        text = filed.data.decode()
        assert old in text
        garden.write(filed.path, text.replace(old, new.format(outside=outside)).replace("pending ", "accept ", 1))

    return make


def journal(text: str) -> Make:
    return lambda garden, outside: garden.write(".gardener/journal/intent", text.format(outside=outside))


ESCAPES: dict[str, Make] = {
    "a memory that is a link": linked("memory/p/link.md", "memory/p/stale.md"),
    "a memory that is a relative link": relative("memory/p/link.md", "../../../outside/memory/p/stale.md"),
    "a memory that links to a folder": linked("memory/p/link.md", "memory"),
    "a memory that links to itself": relative("memory/p/link.md", "link.md"),
    "a memory that links to a device": relative("memory/p/zero.md", "/dev/zero"),
    "a project that is a link": linked("memory/q", "memory/p"),
    "a deep folder that is a link": linked("memory/p/a/b", "memory/p"),
    "a folder that links upwards": relative("memory/p/up", "../../.."),
    "a memory that is a hard link": hard("memory/p/hard.md"),
    "a memory that is a pipe": special("memory/p/pipe.md"),
    "notes that are a link": linked("notes", "memory"),
    "an index that is a link": linked("memory/MEMORY.md", "memory/p/stale.md"),
    "proposals that are a link": linked("proposals", "proposals"),
    "pending that is a link": linked("proposals/pending", "proposals/pending"),
    "applied that is a link": linked("proposals/applied", "proposals/applied"),
    "conflicts that are a link": linked("proposals/conflicts", "proposals"),
    "answers that are a link": linked("proposals/answers.jsonl", "answers.jsonl"),
    "a proposal that is a link": linked("proposals/pending/dedup-x-AAAAAA.md", "memory/p/stale.md"),
    "a proposal that is a pipe": special("proposals/pending/dedup-x-AAAAAA.md"),
    "reports that are a link": linked("reports", "reports"),
    "history that is a link": linked("reports/history.jsonl", "history.jsonl"),
    "a report that is a link": linked(f"reports/{NOW:%Y-%m-%d}.md", "memory/p/stale.md"),
    "a cache that is a link": linked(".gardener", "gardener"),
    "a journal that is a link": linked(".gardener/journal", "gardener"),
    "a database that is a link": linked(".gardener/cache.sqlite3", "gardener/cache.sqlite3"),
    "settings that are a link": lambda garden, outside: (
        (garden.path / "gardener.toml").unlink(),
        (garden.path / "gardener.toml").symlink_to(outside / "gardener.toml"),
    ),
    "a project called ..": front(project=".."),
    "a project with a path": front(project="../../outside/memory/p"),
    "an absolute project": front(project="/etc"),
    "a name called ..": front(name=".."),
    "a name with a path": front(name="../../../outside/memory/p/stale"),
    "a name with NUL": front(name='"a\\0b"'),
    "a successor outside": front(superseded_by="../../outside/memory/p/stale", invalid_at=days_ago(3)),
    "a wiki link outside": body("See [[../../../outside/memory/p/stale]] and [[/etc/passwd]].\n"),
    "a markdown link outside": body("See [x](../../../outside/memory/p/stale.md), [y]({outside}/x.md).\n"),
    "a link to a file address": body("See [x](file://{outside}/memory/p/stale.md).\n"),
    "an association outside": body("x\n", associations="[{{relation: related, target: ../../outside/x}}]"),
    "memories set to lie outside": settings('[store]\nmemory = ["../outside/memory"]\n'),
    "memories set to an absolute folder": settings('[store]\nmemory = ["{outside}/memory"]\n'),
    "proposals set to lie outside": settings('[store]\nproposals = "../outside/proposals"\n'),
    "reports set to lie in git": settings('[store]\nreports = ".git/reports"\n'),
    "a plan that moves outside": proposal("archive memory/p/done.md: stage done", "move memory/p/done.md to ../x.md"),
    "a plan that moves to a link": proposal("archive memory/p/done.md: stage done", "move memory/p/done.md to x/x.md"),
    "a plan for a file outside": proposal("memory/p/done.md", "../outside/memory/p/stale.md"),
    "a plan for an absolute file": proposal("memory/p/done.md", "{outside}/memory/p/stale.md"),
    "a record for a file outside": journal("{outside}"),
    "a record for an absolute file": journal('{{"changes": [{{"path": "{outside}/memory/p/stale.md"}}]}}'),
}  # fmt: skip


@pytest.fixture
def outside(garden: Garden) -> Path:
    """What lies beside the store: a stale memory, and folders called as ours."""
    other = Garden(garden.path.parent / "outside")
    other.memory("p/stale", updated=days_ago(400), created=days_ago(500))
    for name in ("proposals/pending", "proposals/applied", "reports", "gardener"):
        (other.path / name).mkdir(parents=True)
    for name in ("answers.jsonl", "history.jsonl", "gardener.toml"):
        other.write(name, "")
    return other.path


def picture(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Inode, time of change and bytes of everything in a folder."""
    return {
        str(path): (path.lstat().st_ino, path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in sorted(folder.rglob("*"))
    }


def do_everything(garden: Garden) -> None:
    run(garden, "tend")
    run(garden, "apply", "--decided", "--edited")
    with suppress(GardenerError, OSError):
        for one in garden.pending():
            run(garden, "apply", one.id)
            run(garden, "undo", one.id)
    for command in (["tend"], ["doctor", "--recover"], ["status"], ["why", "memory/p/m.md"], ["check"]):
        run(garden, *command)
    for command in (
        ["archive", "memory/p/link.md"],
        ["archive", "../outside/memory/p/stale.md"],
        ["check", "memory/p/link.md"],
    ):
        run(garden, *command)


@pytest.mark.parametrize("name", ESCAPES)
def test_nothing_outside_is_written(garden: Garden, outside: Path, name: str) -> None:
    ESCAPES[name](garden, outside)
    garden.memory("p/usual", updated=days_ago(400), created=days_ago(500))
    before = picture(outside)
    do_everything(garden)
    after = picture(outside)
    if name == "a memory that is a hard link":  # its own name in the store may get new bytes; the other keeps the old
        assert {path: (state[0], state[2]) for path, state in after.items()} == {
            path: (state[0], state[2]) for path, state in before.items()
        }
    else:
        assert after == before
    assert not list(garden.path.parent.glob("*.md"))


@pytest.mark.skipif(bool(strace.missing()), reason=strace.missing() or "-")
def test_nothing_outside_is_opened_either(garden: Garden, outside: Path, tmp_path: Path) -> None:
    """All that can stand side by side in one store, under the eyes of the kernel."""
    apart = {
        "settings that are a link",
        "a cache that is a link",
        "proposals that are a link",
        "reports that are a link",
    }
    for name, make in ESCAPES.items():
        if name not in apart and make.__qualname__.split(".")[0] in {"linked", "relative", "front", "body"}:
            with suppress(FileExistsError):
                make(garden, outside)
    garden.memory("p/usual", updated=days_ago(400), created=days_ago(500))
    log = tmp_path / "calls"
    for command in (["tend"], ["apply", "--pass", "staleness"], ["check"], ["doctor"]):
        traced = ("strace", "-f", "-A", "-y", "-o", str(log), "-e", "trace=%file")
        subprocess.run(
            [*traced, sys.executable, "-m", "gardener", *command],
            cwd=garden.path, capture_output=True, check=False, timeout=120,
        )  # fmt: skip
    calls = log.read_text(errors="replace")
    assert "usual.md" in calls
    got = re.compile(r"open(?:at2?)?\(.*= \d+<[^>]*/outside[/>]")
    opened = [line for line in calls.splitlines() if got.search(line)]
    assert opened == []
