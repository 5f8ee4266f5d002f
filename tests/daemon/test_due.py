"""When runs are due: what is left alone first, then what is due, then a simulated life in odd zones."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from gardener.daemon.due import Kind, Last, Schedule, due, next_nightly, settles_in
from tests.proofs.every_zone import AWAKE, ODD_ZONES, NightCheck, live

BERLIN = ZoneInfo("Europe/Berlin")
QUIET = Schedule(every=None)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN)


DONE = [
    ("night done, before the hour", "2026-07-10T02:00", date(2026, 7, 9)),
    ("night done, after the hour", "2026-07-10T05:00", date(2026, 7, 10)),
    ("travelled west over midnight", "2026-07-09T22:00", date(2026, 7, 10)),
    ("travelled west as far as can be", "2026-07-08T23:00", date(2026, 7, 10)),
]


@pytest.mark.parametrize(("now", "nightly"), [row[1:] for row in DONE], ids=[row[0] for row in DONE])
def test_no_night_is_due(now: str, nightly: date) -> None:
    assert due(at(now), Last(nightly), QUIET) is None


NIGHTS = [
    ("the hour came", "2026-07-10T04:30", date(2026, 7, 9)),
    ("slept past the hour", "2026-07-10T11:00", date(2026, 7, 9)),
    ("slept a whole night, awake before the hour", "2026-07-10T02:00", date(2026, 7, 8)),
    ("slept for a month", "2026-07-10T00:00", date(2026, 6, 10)),
    ("never ran", "2026-07-10T00:00", None),
    ("a wrong clock ran ahead", "2026-07-10T00:00", date(2038, 1, 19)),
    ("the hour does not exist on this day", "2026-03-29T03:00", date(2026, 3, 28)),
]


@pytest.mark.parametrize(("now", "nightly"), [row[1:] for row in NIGHTS], ids=[row[0] for row in NIGHTS])
def test_a_night_is_due(now: str, nightly: date | None) -> None:
    hour = time(2, 30) if "03-29" in now else time(4, 30)
    assert due(at(now), Last(nightly), Schedule(nightly=hour, every=None)) is Kind.NIGHTLY


NOON = datetime(2026, 7, 10, 12, tzinfo=UTC)
PERIODS = [
    ("just ran", timedelta(minutes=59), None),
    ("an hour ago", timedelta(minutes=60), Kind.PERIODIC),
    ("in the future, so the clock was set back", timedelta(minutes=-1), Kind.PERIODIC),
]


@pytest.mark.parametrize(("ago", "expected"), [row[1:] for row in PERIODS], ids=[row[0] for row in PERIODS])
def test_periods(ago: timedelta, expected: Kind | None) -> None:
    assert due(NOON, Last(NOON.date(), NOON - ago), Schedule()) is expected


def test_the_first_run_of_all_is_periodic_where_the_night_is_done() -> None:
    assert due(NOON, Last(NOON.date(), None), Schedule()) is Kind.PERIODIC


def test_a_change_comes_before_the_period_and_after_the_night() -> None:
    assert due(NOON, Last(NOON.date(), None), Schedule(), changed=True) is Kind.CHANGE
    assert due(NOON, Last(None, None), Schedule(), changed=True) is Kind.NIGHTLY


SETTLING = [
    ("just touched", 10.0, 10.0, 10.0, 2.0),
    ("still being written", 10.0, 14.5, 15.0, 1.5),
    ("quiet long enough", 10.0, 14.5, 16.5, 0.0),
    ("quiet for ages", 10.0, 14.5, 99.0, 0.0),
    ("never quiet, waits at most half a minute", 10.0, 39.0, 39.5, 0.5),
    ("never quiet, and has waited", 10.0, 40.0, 40.0, 0.0),
]


@pytest.mark.parametrize(("first", "latest", "now", "expected"), [row[1:] for row in SETTLING])
def test_settling(first: float, latest: float, now: float, expected: float) -> None:
    assert settles_in(first, latest, now, 2.0) == expected


PROMISES = [
    ("tonight", "2026-07-10T02:00", date(2026, 7, 9), "2026-07-10T04:30"),
    ("tomorrow", "2026-07-10T05:00", date(2026, 7, 10), "2026-07-11T04:30"),
    ("due now", "2026-07-10T05:00", date(2026, 7, 9), "2026-07-10T05:00"),
    ("after travelling west", "2026-07-09T22:00", date(2026, 7, 10), "2026-07-11T04:30"),
]


@pytest.mark.parametrize(("now", "nightly", "promised"), [row[1:] for row in PROMISES])
def test_the_promise(now: str, nightly: date, promised: str) -> None:
    assert next_nightly(at(now), Last(nightly), Schedule()) == datetime.fromisoformat(promised)


@pytest.mark.parametrize("zone", ODD_ZONES)
@pytest.mark.parametrize("nightly", [time(0, 0), time(2, 30), time(4, 30), time(23, 30)], ids=str)
def test_one_night_a_date_around_every_change_of_the_clock(zone: str, nightly: time) -> None:
    for lid in AWAKE:
        live(ZoneInfo(zone), nightly, lid, NightCheck(nightly), only_near_changes=True)
