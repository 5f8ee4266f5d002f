"""Finding and opening a store: `--store`, then `GARDENER_STORE`, then upwards from the working directory."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from gardener.config import FILE, Settings, parse
from gardener.errors import NoStoreError, SettingsError
from gardener.storage.beneath import Root, exists, open_root, read
from gardener.storage.layout import Layout

_MAX_BYTES = 256 * 1024


@dataclass(frozen=True)
class Store:
    """An open store with its settings. `raw` is the settings file as written, to say where a value comes from."""

    root: Root
    settings: Settings
    raw: Mapping[str, Any]

    @property
    def path(self) -> str:
        return self.root.path

    @property
    def layout(self) -> Layout:
        return self.settings.store

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.root.close()


def locate(given: str | None, environment: Mapping[str, str], working: Path) -> Path:
    """The store's folder. NoStoreError with what to do where there is none."""
    named = given if given is not None else environment.get("GARDENER_STORE") or None
    if named == "":
        raise NoStoreError("--store names no folder; give the store's")
    if named is not None:
        folder = Path(named)
        return folder if (folder / FILE).is_file() or not (folder / "store" / FILE).is_file() else folder / "store"
    for folder in (working, *working.parents):
        for place in (folder, folder / "store"):
            if (place / FILE).is_file():
                return place
    raise NoStoreError(f"no {FILE} here or above; run gardener init, or name a store with --store DIR")


def open_store(path: Path) -> Store:
    """Open a store and read its settings. NoStoreError, or SettingsError where they cannot be used."""
    root = open_root(path)
    try:
        settings, raw = read_settings(root)
    except BaseException:
        root.close()
        raise
    return Store(root, settings, raw)


def read_settings(root: Root) -> tuple[Settings, Mapping[str, Any]]:
    """The settings of a store and the table they were written as. SettingsError where they cannot be used."""
    if not exists(root, FILE):
        return Settings(), {}
    try:
        text = read(root, FILE, _MAX_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise SettingsError(f"{FILE}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{FILE}: is not UTF-8; save it as such") from None
    settings = parse(text)
    return settings, tomllib.loads(text)
