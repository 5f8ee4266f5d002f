"""How often each pass was right so far, and which ones hold themselves back for it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from gardener.proposals.inbox import Filed
from gardener.text.frontmatter import moment

ENOUGH = 20
"""Decisions before a pass is judged by them."""

BAR = 80
"""Percent of its decided proposals in which a pass has to be right."""

_RIGHT = frozenset({"apply", "keep"})
_WRONG = frozenset({"reject", "hide"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one decided proposal says of its pass. `at` is when it was decided, None where that cannot be read."""

    id: str
    pass_name: str
    did: str
    at: datetime | None

    @property
    def right(self) -> bool:
        """Applied, or answered with "keep both" or "still true"."""
        return self.did in _RIGHT


def verdicts(decided: Iterable[Filed]) -> Iterator[Verdict]:
    """The last word about each decided proposal; one that was taken back says nothing."""
    for filed in decided:
        one = filed.document.proposal
        if one.decided and one.decided[-1].did in _RIGHT | _WRONG:
            yield Verdict(filed.id, one.pass_name, one.decided[-1].did, moment(one.decided[-1].at))


def precision(said: Iterable[Verdict]) -> dict[str, tuple[int, int]]:
    """Pass → (right, decided)."""
    found: dict[str, tuple[int, int]] = {}
    for one in said:
        right, decided = found.get(one.pass_name, (0, 0))
        found[one.pass_name] = (right + one.right, decided + 1)
    return found


def doubted(figures: Mapping[str, tuple[int, int]]) -> frozenset[str]:
    """Passes that were wrong too often: they have one new thing open at a time until that is better."""
    return frozenset(
        name for name, (right, decided) in figures.items() if decided >= ENOUGH and right * 100 < decided * BAR
    )
