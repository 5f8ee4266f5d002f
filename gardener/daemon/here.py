"""The time and the zone of this machine, read anew every time: a laptop travels while the daemon runs."""

import time
from datetime import UTC, datetime, timedelta, tzinfo


class Here(tzinfo):
    """The system's own rules for local time, past and future; `datetime.astimezone()` alone gives a fixed offset."""

    def utcoffset(self, dt: datetime | None) -> timedelta | None:
        """The offset that holds at a local time, `fold` telling apart the two that share a name."""
        return None if dt is None else dt.replace(tzinfo=None).astimezone().utcoffset()

    def dst(self, dt: datetime | None) -> timedelta | None:  # noqa: ARG002
        """Not known."""
        return None

    def tzname(self, dt: datetime | None) -> str | None:
        """The abbreviation that the system uses at a local time."""
        return None if dt is None else dt.replace(tzinfo=None).astimezone().tzname()

    def fromutc(self, dt: datetime) -> datetime:
        """The local time of an instant, with `fold` set in the second of two hours that share a name."""
        local = dt.replace(tzinfo=UTC).astimezone()
        named = local.replace(tzinfo=self)
        return named if named.utcoffset() == local.utcoffset() else named.replace(fold=1)


def local_now() -> datetime:
    """The time here, aware."""
    time.tzset()
    return datetime.now(UTC).astimezone(Here())
