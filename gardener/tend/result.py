"""What a run comes back with. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from gardener.model.finding import Finding
from gardener.model.memory import Problem
from gardener.model.snapshot import Snapshot
from gardener.proposals.inbox import Inbox
from gardener.proposals.reconcile import Outcome
from gardener.storage.load import Reading


@dataclass(frozen=True, slots=True)
class PassRow:
    """What one pass did. `status` is ok, failed, off or skipped; `seconds` is how long its `find` took."""

    name: str
    status: str
    found: int
    new: int
    kept: int
    withdrawn: int
    held_back: int
    seconds: float
    error: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """A finished run. `alarms` are losses nobody can explain, `news` what changed that is no alarm, `last_good` the day
    (YYYY-MM-DD) on which each pass last went well.
    """

    store: str
    now: datetime
    reading: Reading
    passes: tuple[PassRow, ...]
    outcome: Outcome
    inbox: Inbox
    findings: tuple[Finding, ...]
    alarms: tuple[str, ...] = ()
    news: tuple[str, ...] = ()
    last_good: Mapping[str, str] = field(default_factory=dict)
    report: str = ""
    dry: bool = False
    refused: bool = False
    """Whether the system would not show a proposal file."""

    @property
    def snapshot(self) -> Snapshot:
        return self.reading.snapshot

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self.snapshot.problems

    @property
    def partial(self) -> bool:
        """Whether a pass failed or the system refused a file, so that silence proves nothing."""
        failed = any(row.status == "failed" for row in self.passes)
        return failed or bool(self.snapshot.unheard) or self.refused
