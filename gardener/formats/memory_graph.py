"""Memory-graph files: a `type`, an importance and typed associations; `forgotten` takes one out of recall."""

from __future__ import annotations

from collections.abc import Mapping

from gardener.formats.base import LIFECYCLE_KEYS, Format, word
from gardener.model.memory import GRAPH_TYPES, Conventions, Raw
from gardener.text.frontmatter import FrontMatter


def _kind(fields: Mapping[str, Raw]) -> str:
    return word(fields.get("type")).casefold()


def _recognises(front: FrontMatter) -> bool:
    fields = front.fields
    own = any(key in fields for key in ("importance", "associations", "forgotten"))
    return "kind" not in fields and (_kind(fields) in GRAPH_TYPES or (own and bool(_kind(fields))))


FORMAT = Format(
    Conventions(
        name="memory_graph",
        title="memory-graph files (type, importance, associations)",
        keys=LIFECYCLE_KEYS | {"id", "type", "importance", "associations", "forgotten"},
        ids=True,
    ),
    _recognises,
    _kind,
)
