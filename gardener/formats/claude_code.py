"""Claude Code memory: name, description and a type (on the top level or under `metadata:`), the path as identity.

The agent loads `MEMORY.md` whole and ignores `invalid_at`, so retiring also marks the description
and takes the memory's line out of every index.
"""

from __future__ import annotations

from collections.abc import Mapping

from gardener.formats.base import Format, lookup, word
from gardener.model.memory import Conventions, Raw
from gardener.text.frontmatter import FrontMatter

TYPES = frozenset({"user", "feedback", "project", "reference"})


def _kind(fields: Mapping[str, Raw]) -> str:
    return word(lookup(fields, "type")).casefold()


def _recognises(front: FrontMatter) -> bool:
    fields = front.fields
    nested = fields.get("metadata")
    typed = _kind(fields) in TYPES or (isinstance(nested, dict) and "type" in nested)
    return "kind" not in fields and typed and ("name" in fields or "description" in fields)


FORMAT = Format(
    Conventions(
        name="claude_code",
        title="Claude Code memory (name, description, type; MEMORY.md as index)",
        keys=frozenset({"name", "description", "type", "metadata"}),
        marks_description=True,
        index_files=frozenset({"MEMORY.md"}),
    ),
    _recognises,
    _kind,
)
