"""`show --diff` prints a patch that real git takes from the store folder, and it does what apply does."""

import subprocess
from pathlib import Path

import pytest

from gardener.model.edit import Append, Archive, Edit, Move
from gardener.model.finding import Finding
from gardener.proposals.answers import Answer
from tests.garden import Garden
from tests.review.test_apply import propose

TEXTS = {
    "lf": b"---\nkind: gotcha\nname: m\n---\nOne.\nTwo.\n",
    "crlf": b"---\r\nkind: gotcha\r\nname: m\r\n---\r\nOne.\r\nTwo.\r\n",
    "no final newline": b"---\nkind: gotcha\nname: m\n---\nOne.\nTwo.",
    "bytes": b"---\nkind: gotcha\nname: m\n---\nOne \xff.\n",
    "plain": b"One.\n",
}
PATHS = ("p/m.md", "p/with space.md", "p/näme.md", 'p/qu"ote.md')


@pytest.mark.parametrize("inner", ["", "sub/store"])
@pytest.mark.parametrize(("text", "path"), [(text, PATHS[0]) for text in TEXTS] + [("lf", path) for path in PATHS[1:]])
@pytest.mark.parametrize("what", ["archive", "move"])
def test_git_takes_the_patch(tmp_path: Path, inner: str, text: str, path: str, what: str) -> None:
    garden = Garden(tmp_path / inner)
    garden.settings("")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    full = f"memory/{path}"
    garden.write(full, TEXTS[text])
    garden.memory("p/other", "x\n")
    edits: tuple[Edit, ...] = (Append(full, "Kept too."), Archive(full, "old"))
    if what == "move":
        edits = (Move(full, f"notes/{path}"),)
    identity = propose(garden, Finding("placement", "x", (full,), edits))
    before = garden.memories()
    ran = garden.run("show", identity, "--diff")
    assert ran.code == 0, ran.err
    (tmp_path / "the.patch").write_bytes(ran.out)
    done = subprocess.run(
        ["git", "apply", str(tmp_path / "the.patch")], cwd=garden.path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    by_git = garden.memories()
    for name, data in before.items():
        garden.write(name, data)
    (garden.path / f"notes/{path}").unlink(missing_ok=True)
    with garden.decider() as decider:
        decider.answer(identity, Answer("accept"))
    assert {k: v for k, v in garden.memories().items() if k != "the.patch"} == {
        k: v for k, v in by_git.items() if k != "the.patch"
    }
