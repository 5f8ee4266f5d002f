"""What happened that no figure shows, kept in the cache until a report has told it, and for the rest of that day."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from gardener.storage.cache import Cache

_MOST = 100


@dataclass(frozen=True, slots=True)
class Events:
    """`(told, kind, text)` each: the day of the report that told it or "", and alarm, change or news. An alarm or a
    change has to be told though no figure moved.
    """

    every: tuple[tuple[str, str, str], ...] = ()

    def with_more(self, kind: str, texts: Iterable[str]) -> Events:
        """With what is not among them yet, told or not."""
        known = {(kind, text) for _, kind, text in self.every}
        more = (("", kind, text) for text in dict.fromkeys(texts) if (kind, text) not in known)
        return replace(self, every=(*self.every, *more)[-_MOST:])

    def for_report(self, day: str) -> Events:
        """Without what an earlier day's report told."""
        return replace(self, every=tuple(one for one in self.every if one[0] in {"", day}))

    def told(self, day: str) -> Events:
        """As they are once that day's report is written."""
        return replace(self, every=tuple(dict.fromkeys((day, kind, text) for _, kind, text in self.every)))

    @property
    def loud(self) -> bool:
        """Whether something waits to be told whatever the figures are."""
        return any(not told and kind != "news" for told, kind, _ in self.every)

    @property
    def alarms(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(text for _, kind, text in self.every if kind == "alarm"))

    @property
    def news(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(text for _, kind, text in self.every if kind != "alarm"))


def recall_events(cache: Cache) -> Events:
    """Those of the earlier runs."""
    return Events(tuple((one[0], one[1], one[2]) for one in cache.fact("events", [])))


def keep_events(cache: Cache, events: Events, good: Mapping[str, str], confinement: str) -> None:
    """For the next run, with when each pass last went well, and the daemon's confinement where it ran."""
    level = {"confinement": confinement} if confinement else {}
    cache.keep({"events": [list(one) for one in events.every], "good": dict(good)} | level)


def confinement_change(cache: Cache, level: str) -> tuple[str, ...]:
    """A line where the daemon's confinement is another than when it last ran. `level` is "" for a run by hand."""
    if not level:
        return ()
    was = cache.fact("confinement", level)
    return () if was == level else (f"the daemon's confinement changed from {was} to {level}; see gardener status",)


def last_good(cache: Cache, status: Mapping[str, str], day: str) -> dict[str, str]:
    """Pass → the day it last went well, this run's included."""
    known: dict[str, str] = cache.fact("good", {})
    return known | {name: day for name, state in status.items() if state == "ok"}
