"""What names a proposal: its key, its six letters, the code of its plan, and its file name."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable

from gardener.model.edit import Edit
from gardener.model.finding import Choice
from gardener.model.proposal import Base
from gardener.proposals.grammar import write_base, write_edit

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no letter that reads as another."""

ID_LENGTH = 6
CODE_LENGTH = 8


def proposal_id(pass_name: str, question: str, subjects: Iterable[str], taken: Collection[str]) -> str:
    """Six letters from the key and how often it was decided before. `subjects` are ULIDs, else paths.

    The ids of earlier rounds are those of the same key with a lower count, so the first free one is ours.
    """
    key = [pass_name, question, *sorted(subjects)]
    count = 0
    while (found := _letters(json.dumps([*key, count]))) in taken:
        count += 1
    return found


def _letters(text: str) -> str:
    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()[:8], "big")
    return "".join(ALPHABET[number >> (5 * i) & 31] for i in range(ID_LENGTH))


def plan_code(pass_name: str, base: Iterable[Base], edits: Iterable[Edit], choices: Iterable[Choice]) -> str:
    """The first 8 hex of sha256 over what would be done to which bytes; a decision is valid for this plan alone."""
    plan = {
        "pass": pass_name,
        "base": [write_base(one) for one in base],
        "edits": [write_edit(edit) for edit in edits],
        "choices": [[c.letter, c.says, [write_edit(edit) for edit in c.edits]] for c in choices],
    }
    text = json.dumps(plan, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:CODE_LENGTH]


def file_name(pass_name: str, stem: str, identity: str) -> str:
    """`PASS-NAME-ID.md`, NAME being the first target's stem reduced to `[a-z0-9-]`."""
    name = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")[:48].strip("-")
    return f"{pass_name}-{name or 'memory'}-{identity}.md"


def id_of(name: str) -> str:
    """The id in a proposal's file name, "" where there is none."""
    found = re.search(rf"-([{ALPHABET}]{{{ID_LENGTH}}})\.md\Z", name)
    return found.group(1) if found else ""


def letter(number: int) -> str:
    """0 → A, 25 → Z, 26 → AA: the label of a base entry."""
    label = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        label = chr(65 + rest) + label
    return label


def resolve(wanted: str, known: Iterable[str], fail: Callable[[str], Exception]) -> str:
    """The one known id that `wanted` (an id, a unique prefix, or a proposal file's path) names."""
    name = wanted.rsplit("/", 1)[-1]
    asked = (id_of(name) or name).upper()
    found = sorted({one for one in known if one.startswith(asked)}) if asked else []
    if len(found) == 1:
        return found[0]
    if not found:
        raise fail(f"{wanted}: no such proposal; gardener list shows them")
    raise fail(f"{wanted}: more than one proposal begins so ({', '.join(found[:5])}); give more letters")
