"""One nightly run on every local date, in every zone there is, over three years: `python -m tests.proofs.every_zone`.

A fake clock steps through each zone's life: always awake, asleep every night, and shut for days. The suite runs the
same around the changes of the clock in the oddest zones.
"""

import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from gardener.daemon.due import Kind, Last, Schedule, due

START, END = datetime(2023, 7, 1, tzinfo=UTC), datetime(2026, 7, 1, tzinfo=UTC)
STEP = timedelta(minutes=30)
# Half-hour and two-hour shifts, changes at midnight, around Ramadan, by decree, far from Greenwich either way.
ODD_ZONES = """Europe/Berlin America/St_Johns Australia/Lord_Howe America/Havana Atlantic/Azores America/Santiago
Africa/Cairo Asia/Beirut Asia/Gaza Africa/Casablanca Antarctica/Troll Pacific/Apia Pacific/Kiritimati Asia/Kathmandu
America/Nuuk Asia/Almaty Pacific/Chatham Etc/GMT+12 America/Scoresbysund""".split()


def always(instant: datetime) -> bool:
    return True


def by_day(instant: datetime) -> bool:
    return 6 <= instant.hour < 21


def now_and_then(instant: datetime) -> bool:
    """Shut for two and a half days of every four, opened at odd times."""
    return (instant - START) % timedelta(hours=97) > timedelta(hours=60)


AWAKE = (always, by_day, now_and_then)


class NightCheck:
    """Collects the runs and says what is wrong with them."""

    def __init__(self, nightly: time) -> None:
        self.nightly = nightly
        self.runs: dict[date, datetime] = {}
        self.dates: set[date] = set()

    def ran(self, local: datetime) -> None:
        assert local.date() not in self.runs, f"two nightly runs: {self.runs[local.date()]} and {local}"
        self.runs[local.date()] = local

    def awake(self, local: datetime) -> None:
        self.dates.add(local.date())
        if local.time() >= self.nightly:
            assert any(day >= local.date() for day in list(self.runs)[-3:]), f"no nightly run by {local}"


def live(zone: ZoneInfo, nightly: time, awake: object, check: NightCheck, only_near_changes: bool = False) -> None:
    """Step through the zone's time and tick whenever awake."""
    assert callable(awake)
    schedule, last = Schedule(nightly=nightly, every=None), Last()
    for instant in _steps(zone, only_near_changes):
        if not awake(instant):
            continue
        local = instant.astimezone(zone)
        if due(local, last, schedule) is Kind.NIGHTLY:
            check.ran(local)
            last = Last(nightly=local.date())
        check.awake(local)


def _steps(zone: ZoneInfo, only_near_changes: bool) -> Iterator[datetime]:
    if only_near_changes:
        stretches = [(day - timedelta(days=1), day + timedelta(days=2), STEP) for day in _changes(zone)]
    else:
        changes, days = _changes(zone), (END - START).days
        minute = timedelta(minutes=1)
        each = [START + timedelta(days=number) for number in range(days)]
        stretches = [(day, day + timedelta(days=1), minute if day in changes else STEP) for day in each]
    for begin, end, step in stretches:
        while begin < end:
            yield begin
            begin += step


@cache
def _changes(zone: ZoneInfo) -> tuple[datetime, ...]:
    """The days (UTC) on which the zone's offset changes."""
    days = [START + timedelta(days=number) for number in range((END - START).days + 1)]
    offsets = [day.astimezone(zone).utcoffset() for day in days]
    return tuple(day for day, before, after in zip(days, offsets, offsets[1:], strict=False) if before != after)


def _distinct() -> dict[tuple[timedelta | None, ...], str]:
    """One name for each different course of local time: most of the 600 names are the same clock."""
    found: dict[tuple[timedelta | None, ...], str] = {}
    hours = [START + timedelta(hours=hour) for hour in range(int((END - START) / timedelta(hours=1)))]
    for name in sorted(available_timezones()):
        zone = ZoneInfo(name)
        found.setdefault(tuple(hour.astimezone(zone).utcoffset() for hour in hours), name)
    return found


def main() -> int:
    names = list(_distinct().values())
    print(f"{len(available_timezones())} zones, {len(names)} different clocks, {START:%Y-%m-%d} to {END:%Y-%m-%d}")
    for name in names:
        for nightly in (time(0, 0), time(2, 30), time(4, 30), time(23, 30)):
            for awake in AWAKE:
                check = NightCheck(nightly)
                live(ZoneInfo(name), nightly, awake, check)
                # The last date may end before its hour.
                missing = check.dates - check.runs.keys() - {max(check.dates)}
                if awake is always and missing:
                    print(f"{name} {nightly}: no nightly run on {sorted(missing)}")
                    return 1
    print("one nightly run on every local date")
    return 0


if __name__ == "__main__":
    sys.exit(main())
