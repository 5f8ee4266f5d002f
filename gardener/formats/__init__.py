"""The formats, and the choice among them: per memory root, by counting. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from gardener.formats import claude_code, memory_graph, plain, seamless
from gardener.formats.base import Format, Source, build, problems
from gardener.model.memory import Memory, Problem
from gardener.text.frontmatter import FrontMatter, read

FORMATS: tuple[Format, ...] = (seamless.FORMAT, memory_graph.FORMAT, claude_code.FORMAT, plain.FORMAT)
"""In the order in which ties are broken; `plain` takes what no other recognises."""

_FAMILIES = (seamless.FORMAT, memory_graph.FORMAT)
_LINK_LINE = re.compile(r"[ \t]*(?:[-*+|]|\d+\.)[ \t].*(?:\]\([^)]*\.mdc?\b|\[\[)")
_INDEX_NAME = re.compile(r"(?:MEMORY|(?i:index|readme)(?:[-_].*)?)\.md\Z")


def vote(front: FrontMatter) -> Format:
    """The first format that recognises one file."""
    return next(form for form in FORMATS if form.recognises(front))


def choose(votes: Iterable[Format]) -> Format:
    """The format of a root: what most of its files that say anything are written in."""
    counts = Counter(form.name for form in votes)
    spoken = [form for form in FORMATS[:-1] if counts[form.name]]
    best = max(spoken, key=lambda form: counts[form.name], default=plain.FORMAT)
    # A handful of files with familiar keys among many plain ones does not make the folder theirs.
    return best if counts[best.name] * 5 >= counts.total() else plain.FORMAT


def read_memory(source: Source, form: Format) -> tuple[Memory, tuple[Problem, ...]]:
    """One file of a root written in `form`; the two families of our own may stand side by side."""
    text = decode(source.data)
    front = read(text)
    if form in _FAMILIES:
        form = next((family for family in _FAMILIES if family.recognises(front)), form)
    return build(source, form, text, front), tuple(problems(source.path, text, front))


def is_index(path: str, data: bytes) -> bool:
    """Whether a file is a list of the other files rather than a memory: by its name and by what its lines are."""
    name = path.rsplit("/", 1)[-1]
    if name == "MEMORY.md":
        return True
    if not _INDEX_NAME.match(name):
        return False
    lines = [line for line in decode(data[:200_000]).split("\n") if line.strip()]
    links = sum(1 for line in lines if _LINK_LINE.match(line))
    return links >= 3 and links * 4 >= len(lines)


def decode(data: bytes) -> str:
    """The text of a file; bytes that are not UTF-8 survive as surrogates."""
    return data.decode("utf-8", "surrogateescape")
