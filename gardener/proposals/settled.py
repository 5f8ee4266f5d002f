"""What people already decided, as it still holds for the memories of today. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from itertools import combinations
from typing import TypeAlias

from gardener.model.finding import Finding
from gardener.model.memory import Memory
from gardener.model.proposal import Decided, Proposal
from gardener.proposals.answers import members
from gardener.proposals.document import Document
from gardener.proposals.identity import letter
from gardener.proposals.sketch import holds, sketch
from gardener.text.frontmatter import moment

Unit: TypeAlias = tuple[str, ...]
"""What one refusal is about: a pair of paths, sorted, or a single path."""

PAIR_PASSES = frozenset({"dedup", "conflict", "refuted_echo"})
"""They ask about the same pair from different sides, so that one answer serves them all."""


@dataclass(frozen=True, slots=True)
class Settled:
    """Refusals in force: (pass, unit) → when it was said, None for one that is hidden and never lapses."""

    units: Mapping[tuple[str, Unit], datetime | None]

    @property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Pairs that the passes comparing memories leave alone."""
        return frozenset((unit[0], unit[1]) for name, unit in self.units if name in PAIR_PASSES and len(unit) == 2)

    def holds(self, finding: Finding, now: datetime) -> bool:
        """Whether everything the finding would ask was refused before, recently enough for its pass."""
        return all(self._unit_holds(finding, unit, now) for unit in units(finding))

    def _unit_holds(self, finding: Finding, unit: Unit, now: datetime) -> bool:
        if (finding.pass_name, unit) not in self.units:
            return False
        at = self.units[finding.pass_name, unit]
        return at is None or finding.holds_days is None or now - at < timedelta(days=finding.holds_days)


def units(finding: Finding) -> tuple[Unit, ...]:
    """The pairs or files a finding asks about."""
    if finding.choices or len(finding.subjects) == 1 or not finding.edits:
        return (tuple(sorted(finding.subjects)),)
    proposal = Proposal("", finding.pass_name, finding.risk, (), finding.edits)
    return tuple(_unit_of(run) for run in proposal.members)


def _unit_of(run: tuple[object, ...]) -> Unit:
    paths = {getattr(edit, name) for edit in run for name in ("path", "by") if hasattr(edit, name)}
    return tuple(sorted(paths))


def declined(proposal: Proposal, accepted: Iterable[str] = ()) -> tuple[Unit, ...]:
    """What stays as it is, in base letters, when `accepted` members are applied: single letters or pairs.

    All pairs among those that stay are settled, else the rest would be asked about each other next.
    """
    letters = {path: letter(i) for i, path in enumerate(proposal.subjects)}
    if len(letters) == 1 or proposal.choices:
        return () if accepted else (tuple(sorted(letters.values())),)
    runs = members(proposal)
    refused = {name: run for name, run in runs.items() if name not in set(accepted)}
    kept = {by for run in runs.values() for edit in run if (by := getattr(edit, "by", None))}
    if not kept:
        return tuple((name,) for name in refused)
    staying = sorted({*refused, *(letters[path] for path in kept)})
    return tuple(combinations(staying, 2)) if refused else ()


def seen(proposal: Proposal, memories: Mapping[str, Memory]) -> dict[str, tuple[str, str]]:
    """The sketches that a refusal is bound to, by small base letter."""
    known = ((letter(i).lower(), memories.get(path)) for i, path in enumerate(proposal.subjects))
    return {name: sketch(memory) for name, memory in known if memory is not None}


def settled(decided: Iterable[Document], memories: Iterable[Memory]) -> Settled:
    """Every refusal of the decided files that still holds, by the paths its subjects have now."""
    everyone = tuple(memories)
    by_path = {memory.path: memory for memory in everyone}
    by_hash = {memory.sha256: memory for memory in everyone}

    now = cache(lambda path: sketch(by_path[path]))

    found: dict[tuple[str, Unit], datetime | None] = {}
    for document in decided:
        one = document.proposal
        bases = [base for base in one.base if not base.index]
        places = {
            letter(i): place.path
            for i, base in enumerate(bases)
            if (place := by_path.get(base.path) or by_hash.get(base.sha256))
        }
        for entry in _in_force(one.decided):
            for unit in entry.declined:
                paths = [places[name] for name in unit if name in places]
                if len(paths) == len(unit) and _unchanged(entry, unit, paths, now):
                    at = None if entry.did == "hide" else moment(entry.at)
                    _note(found, (one.pass_name, tuple(sorted(paths))), at)
    return Settled(found)


def _note(found: dict[tuple[str, Unit], datetime | None], key: tuple[str, Unit], at: datetime | None) -> None:
    if key not in found:
        found[key] = at
    else:
        before = found[key]
        found[key] = None if before is None or at is None else max(before, at)


def _in_force(entries: tuple[Decided, ...]) -> tuple[Decided, ...]:
    last = max((i for i, entry in enumerate(entries) if entry.did == "undone"), default=-1)
    return entries[last + 1 :]


def _unchanged(entry: Decided, unit: Unit, paths: list[str], now: Callable[[str], tuple[str, str]]) -> bool:
    if entry.did == "hide":
        return True
    return all(
        holds(entry.seen[name.lower()], now(path))
        for name, path in zip(unit, paths, strict=True)
        if name.lower() in entry.seen
    )
