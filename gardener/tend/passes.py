"""Running the passes over one snapshot: a failed one is named, and never counts as having found nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias

from gardener.model.edit import Archive, Edit, Redact
from gardener.model.finding import Finding
from gardener.model.snapshot import Snapshot
from gardener.passes import discover
from gardener.passes.base import Pass, PassSettings
from gardener.proposals.grammar import write_edit
from gardener.text.secrets import masker


@dataclass(slots=True)
class Heard:
    """What the passes said. `status` is by pass in table order: ok, failed, off, skipped. `withheld` are passes whose
    archives were held back because the system refused to show something; their open files stay as they are.
    """

    findings: tuple[Finding, ...] = ()
    status: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    withheld: frozenset[str] = frozenset()


Listener: TypeAlias = Callable[[str, int, int], None]
"""Hears a pass's name, its place among all, from 0, and how many there are, before the pass runs."""


def silence(name: str, place: int, of: int) -> None:
    """Listens to nothing."""


def hear(
    snapshot: Snapshot,
    settings: Mapping[str, PassSettings],
    now: datetime,
    only: Collection[str] = (),
    listen: Listener = silence,
) -> Heard:
    """Every finding of every pass that is switched on (of those in `only`, where it names any)."""
    heard = Heard()
    findings: list[Finding] = []
    every = discover()
    for place, one in enumerate(every):
        listen(one.name, place, len(every))
        if only and one.name not in only:
            heard.status[one.name] = "skipped"
        elif not settings[one.name].enabled:
            heard.status[one.name] = "off"
        else:
            findings += _listen(one, snapshot, settings[one.name], now, heard)
    if snapshot.unheard:
        archives = [finding for finding in findings if _archives(finding)]
        heard.withheld = frozenset(finding.pass_name for finding in archives)
        findings = [finding for finding in findings if not _archives(finding)]
    heard.findings = tuple(shown for finding in findings for shown in _without_credentials(finding, snapshot))
    return heard


def _listen(one: Pass, snapshot: Snapshot, settings: PassSettings, now: datetime, heard: Heard) -> list[Finding]:
    began = time.perf_counter()
    try:
        found = list(one.find(snapshot, settings, now))
        heard.status[one.name] = "ok"
    except Exception as error:  # noqa: BLE001 - one broken pass must not silence the others
        found = []
        heard.status[one.name] = "failed"
        # The type alone: a message may quote a memory, and with it a credential.
        heard.errors[one.name] = f"{type(error).__name__} in {_where(error)}"
    heard.seconds[one.name] = time.perf_counter() - began
    return found


def _where(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}" if trace else "?"


def _without_credentials(finding: Finding, snapshot: Snapshot) -> Iterator[Finding]:
    """What it says, without the credentials of the files it speaks of; nothing where its plan itself would copy one
    into the proposal file."""
    masked = masker(*(snapshot.by_path[path].data for path in finding.subjects if path in snapshot.by_path))
    told = (write_edit(edit) for edit in _every_edit(finding) if not isinstance(edit, Redact))
    if all(masked(line) == line for line in told):
        choices = tuple(replace(choice, says=masked(choice.says)) for choice in finding.choices)
        why, rejecting = tuple(map(masked, finding.why)), masked(finding.rejecting)
        yield replace(finding, summary=masked(finding.summary), choices=choices, why=why, rejecting=rejecting)


def _archives(finding: Finding) -> bool:
    return any(isinstance(edit, Archive) for edit in _every_edit(finding))


def _every_edit(finding: Finding) -> tuple[Edit, ...]:
    return (*finding.edits, *(edit for choice in finding.choices for edit in choice.edits))
