"""When the daemon runs: pure answers from a clock reading, what ran before, and the settings. No clock is read here."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum

# No two places on earth differ by more than 26 hours, so a night "done" further ahead was stamped by a wrong clock.
_FURTHEST_AHEAD = timedelta(days=2)
# A path that never falls quiet (a log, a program that saves all the time) is looked at after this long anyway.
LONGEST_WAIT = 30.0


class Kind(StrEnum):
    """Why a run is due, in order of rank."""

    NIGHTLY = "nightly"
    CHANGE = "change"
    PERIODIC = "periodic"


@dataclass(frozen=True, slots=True)
class Schedule:
    """The `[schedule]` settings. `nightly` is local time; `every` None means no periodic refresh."""

    nightly: time = time(4, 30)
    every: timedelta | None = timedelta(minutes=60)
    debounce: timedelta = timedelta(seconds=2)
    on_change: str = "refresh"


@dataclass(frozen=True, slots=True)
class Last:
    """What ran before: the local date of the last nightly run, and the instant any run last began."""

    nightly: date | None = None
    run: datetime | None = None


def due(now: datetime, last: Last, schedule: Schedule, changed: bool = False) -> Kind | None:
    """The one run that is due at `now` (aware, in the zone the user lives in), or None.

    At most one nightly run falls on each local date, however the clock or the zone moves. It is due once the local
    time of day reaches `nightly`, and earlier in the day when the night before was missed (the lid was shut): then it
    is made up at once and stands for today. `changed` says that the store has settled after a change (`settles_in`).
    """
    if _night_is_due(now, last.nightly, schedule.nightly):
        return Kind.NIGHTLY
    if changed:
        return Kind.CHANGE
    if schedule.every is not None and _period_is_over(now, last.run, schedule.every):
        return Kind.PERIODIC
    return None


def next_nightly(now: datetime, last: Last, schedule: Schedule) -> datetime:
    """The local wall time (naive) at which the next nightly run is promised; `now` itself when it is due."""
    local = now.replace(tzinfo=None)
    if _night_is_due(now, last.nightly, schedule.nightly):
        return local
    today = datetime.combine(now.date(), schedule.nightly)
    done = _believed(last.nightly, now.date())
    if done is not None and done >= now.date():
        return datetime.combine(done + timedelta(days=1), schedule.nightly)
    return today


def settles_in(first: float, latest: float, now: float, debounce: float) -> float:
    """Seconds until a path is due that was touched at `first` and last at `latest` (all monotonic); 0 when it is."""
    return max(0.0, min(latest + debounce, first + LONGEST_WAIT) - now)


def _night_is_due(now: datetime, recorded: date | None, nightly: time) -> bool:
    today = now.date()
    done = _believed(recorded, today)
    if done is not None and done >= today:
        return False
    missed_the_night_before = done is None or done < today - timedelta(days=1)
    return missed_the_night_before or now.time() >= nightly or _never_comes(now, nightly)


def _never_comes(now: datetime, nightly: time) -> bool:
    """Whether today ends before its hour and is about to: in spring, Greenland goes from 23:00 to tomorrow."""
    hour = datetime.combine(now.date(), nightly, now.tzinfo)
    if hour.astimezone(UTC).astimezone(now.tzinfo).date() == now.date():
        return False
    # Counted back from tomorrow, by the offset that holds then.
    return now.astimezone(UTC) >= hour.replace(fold=1).astimezone(UTC)


def _believed(recorded: date | None, today: date) -> date | None:
    if recorded is not None and recorded - today > _FURTHEST_AHEAD:
        return None
    return recorded


def _period_is_over(now: datetime, began: datetime | None, every: timedelta) -> bool:
    # A run "in the future" means that the clock was set back: running once more sets it right.
    return began is None or now < began or now - began >= every
