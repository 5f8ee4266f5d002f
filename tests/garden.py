"""A store written as text in a test, on a real disk, and the real functions over it."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from gardener.config.store import Store, open_store
from gardener.proposals.inbox import Filed, Inbox, read_inbox
from gardener.review.decide import Decider
from gardener.tend import Result, tend

NOW = datetime(2026, 9, 1, 12, 0, 0, tzinfo=UTC)


def days_ago(days: float, now: datetime = NOW) -> str:
    """A time stamp that many days before now."""
    return (now - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def ulid(number: int) -> str:
    """A well-formed id, the same for the same number."""
    return f"01K{number:023d}"


def words(seed: str) -> str:
    """A body that shares no claim with any other's: a few words drawn by the path."""
    chance = random.Random(seed)
    return " ".join("".join(chance.choices("abcdefghijklmnoprstuvwy", k=7)) for _ in range(9)).capitalize() + ".\n"


@dataclass
class Garden:
    """A store folder. Every method works on real files."""

    path: Path

    def write(self, path: str, text: str | bytes) -> Path:
        """A file of any kind, its folders made."""
        target = self.path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape"))
        return target

    def memory(self, path: str, body: str | None = None, **front: Any) -> Path:
        """A memory `memory/PATH.md` in the contract's own format; keys given replace the usual ones, None drops one."""
        name = path.rsplit("/", 1)[-1]
        body = words(path) if body is None else body
        project = path.split("/")[0] if "/" in path and not path.startswith("_global/") else ""
        number = sum(ord(c) * 31**i for i, c in enumerate(path)) % 10**20
        keys: dict[str, Any] = {
            "id": ulid(number),
            "kind": "gotcha",
            "name": name,
            "description": f"what holds for {name.replace('-', ' ')}",
            "project": project,
            "created": days_ago(20),
            "updated": days_ago(1),
        }
        keys |= front
        lines = [f"{key}: {value}".rstrip() for key, value in keys.items() if value is not None]
        return self.write(f"memory/{path}.md", "\n".join(["---", *lines, "---", body]))

    def stage(self, path: str, header: str, days: float = 30, body: str = "\nWork.\n", **front: Any) -> Path:
        """A stage with a header line, last updated that many days ago."""
        front = {"kind": "stage", "updated": days_ago(days), "created": days_ago(days + 10)} | front
        return self.memory(path, f"{header}\n{body}", **front)

    def settings(self, text: str) -> None:
        """The store's gardener.toml."""
        self.write("gardener.toml", text)

    @contextmanager
    def open(self) -> Iterator[Store]:
        with open_store(self.path) as store:
            yield store

    def tend(self, now: datetime = NOW, **options: Any) -> Result:
        """One real run."""
        with self.open() as store:
            return tend(store, now, **options)

    @property
    def inbox(self) -> Inbox:
        with self.open() as store:
            return read_inbox(store.root, store.layout.proposals)

    def pending(self, pass_name: str | None = None) -> list[Filed]:
        """The open proposals, of one pass where named."""
        return [one for one in self.inbox.pending if pass_name in {None, one.document.proposal.pass_name}]

    def one(self, pass_name: str | None = None) -> Filed:
        """The only open proposal."""
        (found,) = self.pending(pass_name)
        return found

    @contextmanager
    def decider(self, now: datetime = NOW) -> Iterator[Decider]:
        with self.open() as store:
            yield Decider(store, "ann", now)

    def bytes(self) -> dict[str, bytes]:
        """Every file outside `.gardener/` and `.git/`."""
        return {
            str(path.relative_to(self.path)): path.read_bytes()
            for path in sorted(self.path.rglob("*"))
            if path.is_file() and not {".gardener", ".git"} & set(path.relative_to(self.path).parts)
        }

    def memories(self) -> dict[str, bytes]:
        """Every file outside gardener's own folders."""
        own = ("proposals/", "reports/")
        return {path: data for path, data in self.bytes().items() if not path.startswith(own)}

    def run(self, *arguments: str, now: datetime = NOW, stdin: str = "", **environment: str) -> Ran:
        """The real command in a real process."""
        done = subprocess.run(
            [sys.executable, "-m", "gardener", *arguments],
            cwd=self.path,
            input=stdin.encode(),
            capture_output=True,
            env=os.environ | {"GARDENER_NOW": now.isoformat()} | environment,
            timeout=120,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr.decode())

    def git(self, *arguments: str) -> str:
        """Real git in the store's folder, with an author of its own."""
        identity = ["-c", "user.name=ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"]
        done = subprocess.run(
            ["git", *identity, *arguments], cwd=self.path, capture_output=True, text=True, check=False, timeout=60
        )
        return done.stdout + done.stderr


@dataclass(frozen=True)
class Ran:
    """How a process ended."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()
