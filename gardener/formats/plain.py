"""Markdown with no front matter, or with keys of nobody's format: read as it is, judged by its text alone."""

from __future__ import annotations

from collections.abc import Mapping

from gardener.formats.base import Format, word
from gardener.model.memory import Conventions, Raw
from gardener.text.frontmatter import FrontMatter


def _kind(fields: Mapping[str, Raw]) -> str:
    return word(fields.get("kind")).casefold()


def _recognises(_: FrontMatter) -> bool:
    return True


FORMAT = Format(Conventions(name="plain", title="plain markdown", keys=frozenset()), _recognises, _kind)
