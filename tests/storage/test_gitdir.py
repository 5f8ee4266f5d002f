from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path

import pytest

from gardener.storage import beneath, gitdir
from gardener.storage.beneath import Root


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"},
    )
    return done.stdout.strip()


@pytest.fixture
def repository(store: Path) -> Path:
    """A repository one folder above the store."""
    git(store.parent, "init", "-q", "-b", "main")
    (store / "memory/a.md").write_bytes(b"a")
    return store.parent


def commit(repository: Path) -> str:
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "--allow-empty", "-m", "x")
    return git(repository, "rev-parse", "HEAD")


def test_no_repository(root: Root, store: Path) -> None:
    assert gitdir.git_dir(root) is None
    assert gitdir.git_busy(root) is None
    assert gitdir.head(root) is None
    (store / ".git").mkdir()  # empty: git looks further up, too
    assert gitdir.git_dir(root) is None


@pytest.mark.usefixtures("repository")
def test_an_unborn_branch_is_its_name(root: Root) -> None:
    assert gitdir.head(root) == "ref: refs/heads/main"


def test_head_follows_commits_packing_branches_and_detaching(root: Root, repository: Path) -> None:
    first = commit(repository)
    assert gitdir.head(root) == first
    git(repository, "pack-refs", "--all")
    assert gitdir.head(root) == first
    second = commit(repository)
    assert gitdir.head(root) == second != first
    git(repository, "checkout", "-q", "--detach", first)
    assert gitdir.head(root) == first
    git(repository, "checkout", "-q", "-b", "feature/x")
    assert gitdir.head(root) == first


def test_head_in_a_worktree(repository: Path, tmp_path: Path) -> None:
    first = commit(repository)
    tree = tmp_path / "tree"
    git(repository, "worktree", "add", "-q", "-b", "other", str(tree))
    with beneath.open_root(tree / "store") as root:
        assert gitdir.head(root) == first
        assert gitdir.git_busy(root) is None
        found = gitdir.git_dir(root)
        assert found is not None
        (found / "MERGE_HEAD").write_text(first)
        assert gitdir.git_busy(root) == "MERGE_HEAD"
        git(repository, "pack-refs", "--all")
        assert gitdir.head(root) == first


def test_head_where_references_are_in_tables(root: Root, repository: Path) -> None:
    commit(repository)
    tables = repository / ".git/reftable"
    tables.mkdir()
    (tables / "tables.list").write_text("0x1.ref\n")
    (repository / ".git/HEAD").write_text("ref: refs/heads/.invalid\n")
    first = gitdir.head(root)
    assert first is not None
    assert first.startswith("reftable:")
    (tables / "tables.list").write_text("0x2.ref\n")
    assert gitdir.head(root) != first


@pytest.mark.parametrize("text", ["nonsense", "ref: refs/../../../etc/passwd", "ref: HEAD", "ref: refs/x\0y"])
def test_a_strange_head_says_nothing(root: Root, repository: Path, text: str) -> None:
    (repository / ".git/HEAD").write_text(text)
    assert gitdir.head(root) is None


@pytest.mark.parametrize(
    "name", ["index.lock", "MERGE_HEAD", "CHERRY_PICK_HEAD", "BISECT_LOG", "rebase-merge/x", "rebase-apply/x"]
)
def test_in_the_middle(root: Root, repository: Path, name: str) -> None:
    assert gitdir.git_busy(root) is None
    path = repository / ".git" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"")
    assert gitdir.git_busy(root) == name.split("/")[0]


@pytest.mark.parametrize("name", ["HEAD", "refs/heads/main", "packed-refs"])
def test_hostile_files_are_neither_waited_for_nor_read_for_ever(root: Root, repository: Path, name: str) -> None:
    path = repository / ".git" / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    gitdir.head(root)
    gitdir.git_busy(root)
    path.unlink()
    path.symlink_to("/dev/zero")
    gitdir.head(root)
    path.unlink()
    path.write_bytes(b"x" * 10_000)
    gitdir.head(root)


def test_git_itself_is_never_run(root: Root, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(repository)
    git(repository, "config", "core.fsmonitor", f"touch {repository}/ran; true")
    monkeypatch.setenv("PATH", "")
    assert gitdir.head(root)
    assert gitdir.git_busy(root) is None
    assert not (repository / "ran").exists()


def test_what_the_system_refuses_is_said(root: Root, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    commit(repository)
    with monkeypatch.context() as patch:
        patch.setattr(os, "pread", refuse)
        with pytest.raises(OSError, match="Too many"):
            gitdir.head(root)
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(OSError, match="Too many"):
        gitdir.git_busy(root)
