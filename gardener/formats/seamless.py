"""The contract's own format: one fact a file, a ULID for identity, a kind for its lifecycle (DESIGN §3.1)."""

from __future__ import annotations

from collections.abc import Mapping

from gardener.formats.base import LIFECYCLE_KEYS, Format, word
from gardener.model.memory import LIFECYCLE_KINDS, Conventions, Raw
from gardener.text.frontmatter import FrontMatter

_OWN = ("id", "valid_from", "invalid_at", "superseded_by", "source_session")


def _kind(fields: Mapping[str, Raw]) -> str:
    return word(fields.get("kind")).casefold()


def _recognises(front: FrontMatter) -> bool:
    fields = front.fields
    return _kind(fields) in LIFECYCLE_KINDS or ("kind" in fields and any(key in fields for key in _OWN))


FORMAT = Format(
    Conventions(
        name="seamless",
        title="lifecycle memories with ids (kind, name, invalid_at, superseded_by)",
        keys=LIFECYCLE_KEYS | {"id", "kind"},
        ids=True,
    ),
    _recognises,
    _kind,
)
