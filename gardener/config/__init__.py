"""The settings of a store: `gardener.toml`, every key optional, an unknown one an error that names the nearest."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import time, timedelta
from typing import Any, Literal

import msgspec

from gardener.errors import SettingsError
from gardener.storage.layout import Layout

FILE = "gardener.toml"


class LimitSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    max_pending: int = 20


class BriefingSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    stage_unknown_max_age_days: int = 7


class ScheduleSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    nightly: str = "04:30"
    every: str = "60m"
    debounce: str = "2s"
    on_change: Literal["refresh", "propose"] = "refresh"


class DaemonSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    confine: Literal["require", "prefer", "off"] = "prefer"


class ReportSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    quiet: Literal["skip", "write"] = "skip"


class JudgeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    command: tuple[str, ...] = ()


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of them. `passes` is as written: each pass validates its own table (`passes.configured`)."""

    store: Layout = Layout()
    limits: LimitSettings = LimitSettings()
    briefing: BriefingSettings = BriefingSettings()
    schedule: ScheduleSettings = ScheduleSettings()
    daemon: DaemonSettings = DaemonSettings()
    reports: ReportSettings = ReportSettings()
    judge: JudgeSettings = JudgeSettings()
    passes: dict[str, dict[str, Any]] = {}


def parse(text: str, path: str = FILE) -> Settings:
    """Settings from TOML. Raises SettingsError: one line with the file, the key's full path and what to do."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: {error}") from None
    settings: Settings = convert(raw, Settings, path, "")
    _check(settings, path)
    return settings


def convert(raw: Mapping[str, Any], wanted: type[Any], path: str, prefix: str) -> Any:
    """`raw` as `wanted`; an error names the key from the top of the file."""
    try:
        return msgspec.convert(raw, wanted)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{path}: {_explained(str(error), wanted, prefix)}") from None


def duration(text: str) -> timedelta | None:
    """`90s`, `60m`, `2h`, `14d` as a timedelta; None where it is none."""
    found = re.fullmatch(r"(\d{1,5})\s*(s|m|h|d)", text.strip())
    if not found:
        return None
    unit = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}[found.group(2)]
    return timedelta(**{unit: int(found.group(1))})


def clock(text: str) -> time | None:
    """`04:30` as a time of day; None where it is none."""
    found = re.fullmatch(r"([01]\d|2[0-3]):([0-5]\d)", text)
    return time(int(found.group(1)), int(found.group(2))) if found else None


def rows(settings: Settings, raw: Mapping[str, Any]) -> Iterator[tuple[str, Any, bool]]:
    """(key, value, whether the file sets it) for each setting outside the passes, in the order of the manual."""
    for table in Settings.__struct_fields__:
        if table == "passes":
            continue
        values = getattr(settings, table)
        for key in values.__struct_fields__:
            yield f"{table}.{key}", getattr(values, key), key in raw.get(table, {})


def _check(settings: Settings, path: str) -> None:
    store = settings.store
    folders = [*store.memory, *store.notes, store.proposals, store.reports]
    for folder in folders:
        parts = folder.split("/")
        if folder != "." and (folder.startswith("/") or any(part in {"", ".", ".."} for part in parts)):
            raise SettingsError(f"{path}: store: {folder!r} is not a folder inside the store; write it as a/b")
    if not store.memory:
        raise SettingsError(f"{path}: store.memory names no folder; write at least one")
    for own in (store.proposals, store.reports):
        if own in {".", *store.memory, *store.notes} or own == ".gardener":
            raise SettingsError(f"{path}: store: {own!r} cannot hold both memories and gardener's own files")
    if store.proposals == store.reports:
        raise SettingsError(f"{path}: store.proposals and store.reports are the same folder")
    if clock(settings.schedule.nightly) is None:
        raise SettingsError(f"{path}: schedule.nightly is {settings.schedule.nightly!r}; write a time as 04:30")
    for key in ("every", "debounce"):
        value = getattr(settings.schedule, key)
        found = duration(value)
        if found is None or not found:
            raise SettingsError(f"{path}: schedule.{key} is {value!r}; write a span as 60m or 2s")
    if settings.limits.max_pending < 0:
        raise SettingsError(f"{path}: limits.max_pending is {settings.limits.max_pending}; write zero or more")
    if settings.briefing.stage_unknown_max_age_days < 0:
        raise SettingsError(f"{path}: briefing.stage_unknown_max_age_days is negative; write zero or more")


def _explained(message: str, wanted: type[Any], prefix: str) -> str:
    where = re.search(r" - at `\$\.?([^`]*)`", message)
    at = where.group(1) if where else ""
    head = message[: where.start()] if where else message
    unknown = re.search(r"unknown field `([^`]+)`", head)
    full = ".".join(part for part in (prefix, at, unknown.group(1) if unknown else "") if part)
    if not unknown:
        return f"{full}: {head}"
    near = difflib.get_close_matches(full, list(known_keys(wanted, prefix)), 1, 0.5)
    hint = f"; did you mean {near[0]}?" if near else "; gardener config show lists the settings"
    return f"{full} is not a setting{hint}"


def known_keys(wanted: type[Any], prefix: str = "") -> Iterator[str]:
    """Every key of a settings type, dotted from the top."""
    for field in msgspec.structs.fields(wanted):
        name = f"{prefix}.{field.name}" if prefix else field.name
        yield name
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            yield from known_keys(field.type, name)
