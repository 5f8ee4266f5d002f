"""What the pass tests share: accept the one proposal, and graph memories."""

from __future__ import annotations

from typing import Any

from gardener.proposals.answers import Answer
from tests.garden import Garden


def accept(garden: Garden, pass_name: str, choice: str = "") -> None:
    """Accept the only open proposal of a pass, or one of its choices."""
    with garden.decider() as decider:
        answer = Answer("choose", choice=choice) if choice else Answer("accept")
        decider.answer(garden.one(pass_name).id, answer)


def proposed(garden: Garden, pass_name: str) -> list[tuple[str, ...]]:
    """The subjects of each open proposal of a pass, after a run."""
    garden.tend()
    return [one.document.proposal.subjects for one in garden.pending(pass_name)]


def advice(garden: Garden, pass_name: str) -> list[str]:
    """What a pass only says, after a run."""
    return [finding.summary for finding in garden.tend().outcome.advice if finding.pass_name == pass_name]


def graph(garden: Garden, path: str, body: str | None = None, associations: str = "", **front: Any) -> None:
    """A memory-graph file."""
    front = {"kind": None, "type": "fact", "importance": "0.6"} | front
    if associations:
        front["associations"] = "\n" + associations.rstrip("\n")
    garden.memory(path, body, **front)
