"""Memory values written as text, without a store."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import Any

from gardener.model.memory import Conventions, Link, Memory
from gardener.text.similarity.align import Text
from gardener.text.similarity.subject import Subject
from gardener.text.similarity.verify import Judgement, verify

SEAMLESS = Conventions(
    name="seamless", title="Seamless", keys=frozenset({"description", "created", "updated"}), ids=True
)
_WIKI = re.compile(r"\[\[([^\]|#\n]+)")


def made(path: str, body: str, **more: Any) -> Memory:
    """A memory at `memory/PATH.md`; the first folder is its project, `_global` none."""
    folder, _, name = path.rpartition("/")
    data = body.encode("utf-8", "surrogateescape")
    project = folder.split("/")[0]
    links = tuple(
        Link("wiki", target, 1 + body[: at.start()].count("\n"))
        for at in _WIKI.finditer(body)
        for target in [at.group(1)]
    )
    plain = Memory(
        path=f"memory/{path}.md",
        root="memory",
        project="" if project == "_global" else project,
        name=name,
        conventions=SEAMLESS,
        data=data,
        sha256=hashlib.sha256(data).hexdigest(),
        body_at=0,
        body_line=1,
        links=links,
    )
    return replace(plain, **more)


def subject(memory: Memory) -> Subject:
    return Subject.of(memory, Text(memory.description, memory.body))


def judged(a: Memory, b: Memory) -> Judgement:
    return verify(subject(a), subject(b))


def said(a: str, b: str) -> Judgement:
    """The verdict on two texts whose names tell nothing apart."""
    return judged(made("p/note", a), made("p/memo", b))
