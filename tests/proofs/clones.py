"""Two clones of one store that tend, decide, edit and merge in every order a state machine finds, with real git.

`python -m tests.proofs.clones [EXAMPLES]`. A short version runs in the suite.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from gardener.errors import BusyError, StaleError, UsageError
from gardener.proposals.answers import Answer
from gardener.review.undo import undo
from tests.garden import NOW, Garden, days_ago, ulid

SIDES = st.sampled_from([0, 1])
WORDS = st.sampled_from(["accept", "reject", "hide", "snooze"])


class Side(Garden):
    """One clone."""

    def filed_in(self, state: str) -> list[Path]:
        return sorted((self.path / "proposals" / state).glob("*.md"))


class Clones(RuleBasedStateMachine):
    """Both sides start from one commit. A merge resolves a torn memory to one side's bytes, as a person would."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="clones-"))
        self.clock = NOW

    @initialize()
    def begin(self) -> None:
        first = Side(self.folder / "a")
        first.settings("[limits]\nmax_pending = 4\n")
        for name in ("one", "two"):
            first.memory(f"p/{name}", "The same few words in two files, word for word.\n", id=ulid(ord(name[0])))
        for name in ("x", "y"):
            first.stage(f"p/stage-{name}", "Status: done", days=40, body=f"\nAbout {name} alone.\n")
        first.memory("p/old", "An old fact.\n", updated=days_ago(120))
        first.write(".gitignore", ".gardener/\n")
        first.write("proposals/.gitattributes", "* text eol=lf\nconflicts/** -text\nanswers.jsonl merge=union\n")
        first.write("reports/.gitattributes", "*.md merge=union\nhistory.jsonl merge=union\n")
        first.git("init", "-q", "-b", "main")
        self.commit(first)
        first.git("clone", "-q", str(first.path), str(self.folder / "b"))
        self.sides = (first, Side(self.folder / "b"))
        self.sides[1].git("remote", "rename", "origin", "other")
        first.git("remote", "add", "other", str(self.sides[1].path))

    def commit(self, side: Garden) -> None:
        side.git("add", "-A")
        side.git("commit", "-qm", "x", "--allow-empty")

    @rule(side=SIDES)
    def tend(self, side: int) -> None:
        self.clock += timedelta(minutes=1)
        self.sides[side].tend(self.clock)
        self.commit(self.sides[side])

    @rule(side=SIDES, which=st.integers(0, 9), word=WORDS)
    def decide(self, side: int, which: int, word: str) -> None:
        self.clock += timedelta(minutes=1)
        garden = self.sides[side]
        pending = garden.pending()
        if not pending:
            return
        filed = pending[which % len(pending)]
        with garden.decider(self.clock) as decider:
            try:
                decider.answer(filed.id, Answer(word, days=3 if word == "snooze" else 0))  # type: ignore[arg-type]
            except (StaleError, UsageError):
                return  # the other side's merge moved something on: nothing was touched
        self.commit(garden)

    @rule(side=SIDES, which=st.integers(0, 9))
    def take_back(self, side: int, which: int) -> None:
        self.clock += timedelta(minutes=1)
        garden = self.sides[side]
        decided = [one for one in garden.inbox.decided if one.document.proposal.decided[-1].did != "undone"]
        if not decided:
            return
        with garden.decider(self.clock) as decider:
            try:
                undo(decider, decided[which % len(decided)].id)
            except (StaleError, UsageError):
                return
        self.commit(garden)

    @rule(side=SIDES, name=st.sampled_from(["one", "stage-x", "old"]))
    def edit(self, side: int, name: str) -> None:
        path = self.sides[side].path / f"memory/p/{name}.md"
        path.write_text(path.read_text() + f"Another line for {name} on side {side}.\n")
        self.commit(self.sides[side])

    @rule(side=SIDES, favour=st.sampled_from(["ours", "theirs"]))
    def merge(self, side: int, favour: str) -> None:
        garden = self.sides[side]
        garden.git("fetch", "-q", "other")
        garden.git("merge", "-q", "--no-edit", "other/main")
        torn = garden.git("diff", "--name-only", "--diff-filter=U").split()
        if torn or (garden.path / ".git/MERGE_HEAD").exists():
            try:
                garden.tend(self.clock)
                raise AssertionError("tended in the middle of a merge")
            except BusyError:
                pass
            for path in torn:
                if not path.startswith("proposals/pending/"):
                    garden.git("checkout", f"--{favour}", "--", path)
                garden.git("add", "-A", "--", path)
            self.commit(garden)

    @invariant()
    def every_state_is_settled(self) -> None:
        for garden in getattr(self, "sides", ()):
            inbox = garden.inbox
            ids = [one.id for one in inbox.files]
            assert len(ids) == len(set(ids))
            assert not [one for one in inbox.malformed if one.state != "pending"], inbox.malformed
            for one in inbox.files:
                assert (one.state == "pending") == (not one.document.proposal.decided)
            decided = {path.stem[-6:] for state in ("applied", "rejected") for path in garden.filed_in(state)}
            assert not decided & {one.id for one in inbox.pending}, "decided once, it is never open again"
            memories = {path: data for path, data in garden.memories().items() if path.startswith("memory/")}
            assert len(memories) == 5, "nothing is ever deleted"
            for data in memories.values():
                assert data.count(b"\ninvalid_at: 2") <= 1

    def teardown(self) -> None:
        """Both sides end alike once they have merged each other and tended, and then tending changes nothing more."""
        try:
            for side in (0, 1, 0, 1):
                self.merge(side, "ours")
                self.tend(side)
            self.merge(0, "ours")
            self.every_state_is_settled()
            for side in (0, 1):
                self.tend(side)
            assert proposals(self.sides[0]) == proposals(self.sides[1])
            assert self.sides[0].memories() == self.sides[1].memories()
            assert not [path for side in self.sides for path in side.inbox.shadowed]
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)


def proposals(side: Garden) -> dict[str, bytes]:
    return {path: data for path, data in side.bytes().items() if path.startswith("proposals/")}


def prove(examples: int, steps: int, *, shrink: bool = True) -> None:
    """Run that many sequences of that many steps, the same ones every time."""
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        Clones,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.explicit, Phase.generate, *([Phase.shrink] if shrink else [])),
            derandomize=True,
            database=None,
            print_blob=False,
        ),
    )


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    prove(count, 20)
    print(f"{count} sequences of up to 20 steps over two clones: 0 unsettled states")
