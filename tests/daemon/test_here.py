"""Local time as the system has it, checked against the zone database, and re-read when the zone changes."""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from gardener.daemon.here import Here, local_now


@pytest.fixture
def move_to() -> Iterator[object]:
    before = os.environ.get("TZ")

    def move(zone: str) -> None:
        os.environ["TZ"] = zone
        time.tzset()

    yield move
    os.environ.pop("TZ")
    if before is not None:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.parametrize("name", ["Europe/Berlin", "America/Nuuk", "Australia/Lord_Howe", "Asia/Kathmandu"])
def test_it_agrees_with_the_zone_database(move_to: object, name: str) -> None:
    assert callable(move_to)
    move_to(name)
    zone, here = ZoneInfo(name), Here()
    for hour in range(0, 366 * 24, 1):
        instant = datetime(2025, 1, 1, 0, 30, tzinfo=UTC) + timedelta(hours=hour)
        ours, theirs = instant.astimezone(here), instant.astimezone(zone)
        assert (ours.replace(tzinfo=None), ours.fold) == (theirs.replace(tzinfo=None), theirs.fold)
        assert ours.astimezone(UTC) == instant
        assert ours.tzname() == theirs.tzname()


def test_a_journey_is_noticed(move_to: object) -> None:
    assert callable(move_to)
    move_to("Asia/Tokyo")
    assert local_now().utcoffset() == timedelta(hours=9)
    os.environ["TZ"] = "America/Phoenix"
    assert local_now().utcoffset() == timedelta(hours=-7)
