"""`.gardener/status.json`, the heartbeat: what the daemon last did, what it promises, and what to worry about."""

import os
import tempfile
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from pathlib import Path

import msgspec
import msgspec.structs

# A beat is written every minute; after a lid was shut the next one takes up to a minute to come.
_BEAT_IS_LATE = timedelta(minutes=10)
# A service manager starts a process that died again after some seconds.
_GONE_FOR_GOOD = timedelta(seconds=90)
# A promised night run may wait for a lock, for git, or for a big store to be read.
_NIGHT_IS_LATE = timedelta(hours=2)


class PassBeat(msgspec.Struct, frozen=True):
    """How a pass fared in the last run, and when it last went well (UTC)."""

    state: str
    last_good: datetime | None = None


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """The whole file. `by` is daemon or timer; instants are UTC, `next_nightly` is local wall time. `held_back`
    counts what the last run found and asked nobody; `held_at_night` is that of the last run that was free to ask."""

    by: str
    pid: int
    state: str
    beat: datetime
    started: datetime
    confinement: str = "none"
    confinement_says: str = ""
    watcher: str = ""
    watcher_says: str = ""
    nightly: date | None = None
    next_nightly: datetime | None = None
    last_run: datetime | None = None
    last_kind: str | None = None
    last_good: datetime | None = None
    seconds: float | None = None
    held_back: int = 0
    held_at_night: int = 0
    failures: int = 0
    error: str | None = None
    waiting: str | None = None
    passes: Mapping[str, PassBeat] = msgspec.field(default_factory=dict)


def read_status(path: Path) -> Status | None:
    """The heartbeat at `path`, or None where there is none or it cannot be read (it is cache, so that is no error)."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Status)
    except (OSError, msgspec.DecodeError):
        return None


def write_status(path: Path, status: Status) -> None:
    """Replace the file at `path` in one step, by a temporary file beside it."""
    descriptor, name = tempfile.mkstemp(prefix=".status-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            _give_away(file.fileno(), path.parent)
            file.write(msgspec.json.format(msgspec.json.encode(status), indent=2) + b"\n")
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink()
        raise


def promises(status: Status) -> bool:
    """Whether more runs are to come. Not after an end that was asked for; a process that died promises still."""
    return status.state not in {"stopped", "uninstalled"}


def withdraw(path: Path) -> None:
    """Let the heartbeat at `path` promise nothing: what wrote it was uninstalled. OSError where that is impossible."""
    status = read_status(path)
    if status is not None and promises(status) and not path.parent.is_symlink():
        write_status(path, changed(status, state="uninstalled", next_nightly=None))


def news(status: Status) -> int:
    """How many findings came up since the last run that was free to ask about them."""
    return max(0, status.held_back - status.held_at_night)


def worries(status: Status, now: datetime, *, runs: bool = True) -> list[str]:
    """One line for each thing that should be well and is not, at `now` (aware). Empty means that all is well.

    `runs` is False where it is known that no daemon runs.
    """
    if not promises(status):
        return []
    found = []
    if status.by == "daemon" and not runs and now - status.beat > _GONE_FOR_GOOD:
        found.append(f"{status.by} {status.pid} ended without a word after {status.beat:%Y-%m-%d %H:%M} UTC")
    elif status.by == "daemon" and now - status.beat > _BEAT_IS_LATE:
        found.append(f"{status.by} {status.pid} was last heard of at {status.beat:%Y-%m-%d %H:%M} UTC")
    # A daemon at work beats, a timer's run that was killed at work never will.
    waits = status.state == "idle" or status.by == "timer"
    if waits and status.next_nightly is not None and _is_late(status.next_nightly, now):
        found.append(f"the night run promised for {status.next_nightly:%Y-%m-%d %H:%M} has not happened")
    if status.error is not None:
        found.append(f"the last run failed: {status.error}")
    if status.waiting is not None:
        found.append(f"waiting: {status.waiting}")
    failed = sorted(name for name, beat in status.passes.items() if beat.state == "failed")
    found.extend(f"the pass {name} failed in the last run" for name in failed)
    return found


def _give_away(descriptor: int, folder: Path) -> None:
    """Let root leave nothing that the folder's owner cannot read."""
    owner = folder.stat()
    if os.geteuid() == 0 and owner.st_uid != 0:
        os.fchown(descriptor, owner.st_uid, owner.st_gid)


def _is_late(promised: datetime, now: datetime) -> bool:
    # A naive time is local; astimezone finds the offset that held on that day.
    return now - promised.astimezone() > _NIGHT_IS_LATE


def changed(status: Status, **fields: object) -> Status:
    """`status` with some fields changed."""
    return msgspec.structs.replace(status, **fields)
