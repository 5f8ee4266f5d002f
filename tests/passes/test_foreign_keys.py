"""Keys that a store's format does not define mean whatever their author likes: no pass speaks of them."""

import pytest

from gardener.passes import discover
from gardener.passes.base import Pass
from tests.garden import Garden
from tests.passes.test_every_pass import findings, snapshot_of

KEYS = """id: 12
status: draft
project: elsewhere
superseded_by: ADR-77
valid_from: never
created: 2019-01-01
tags: draft
"""
PLAIN = "title: {word}\nkind: {kind}\nupdated: 2018-01-01\nimportance: 11\nassociations: [{{relation: x, target: y}}]\n"
CLAUDE = (
    "name: {word}\ndescription: what to know of the {word} before touching it\ntype: feedback\nupdated: 2026-08-31\n"
)
WORDS = "harvest lantern pebble thunder velvet walnut".split()
KINDS = "stage refuted gotcha runbook decisoin reference".split()
BODY = "The {word} of the {word} house is painted by the {word} people, who like it that way and say so.\n"


@pytest.mark.parametrize("one", discover(), ids=lambda one: one.name)
@pytest.mark.parametrize(("form", "front"), [("plain", PLAIN), ("claude_code", CLAUDE)])
def test_no_pass_speaks_of_them(one: Pass, form: str, front: str, garden: Garden) -> None:
    for word, kind in zip(WORDS, KINDS, strict=True):
        text = f"---\n{front.format(word=word, kind=kind)}{KEYS}---\n{BODY.format(word=word)}"
        garden.write(f"memory/{word}.md", text)
    for number in range(40 if form == "plain" else 0):
        garden.write(f"memory/plain-{number}.md", f"Plain text number {number} of no front matter at all.\n")
    snapshot = snapshot_of(garden)
    assert {memory.conventions.name for memory in snapshot.memories} == {form}
    assert [said.summary for said in findings(one, snapshot) if any(word in said.summary for word in WORDS)] == []
