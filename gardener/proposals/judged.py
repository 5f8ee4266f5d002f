"""The judge's answers as a file: one line for each word said about a pair, sorted, pinned to both contents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from gardener.model.snapshot import Answer
from gardener.storage.beneath import Root, exists, read

FILE = "answers.jsonl"
WORDS = ("same", "contained", "supersedes", "conflict", "related", "different")
"""Read as "A is contained in B", "A supersedes B"."""

_MAX_BYTES = 256 * 1024 * 1024
_KEYS = ("a", "b", "a_sha256", "b_sha256", "word")


def pair_key(a: str, b: str) -> str:
    """Twelve hex that name a pair of paths, whichever way round."""
    return hashlib.sha256("\n".join(sorted((a, b))).encode("utf-8", "surrogateescape")).hexdigest()[:12]


def read_answers(root: Root, folder: str) -> tuple[Answer, ...]:
    """Every line that can be read; a merge may leave others, and those say nothing."""
    path = f"{folder}/{FILE}"
    if not exists(root, path):
        return ()
    lines = read(root, path, _MAX_BYTES).decode("utf-8", "replace").splitlines()
    return tuple(answer for line in lines if (answer := _answer(line)) is not None)


def answers_text(answers: Iterable[Answer]) -> str:
    """The file's text: each answer once, by pair key and then by what was said."""
    rows = {(pair_key(one.a, one.b), _line(one)) for one in answers}
    return "".join(f"{line}\n" for _, line in sorted(rows))


def _answer(line: str) -> Answer | None:
    try:
        raw = json.loads(line)
        said = [raw[key] for key in _KEYS]
    except (ValueError, KeyError, TypeError):
        return None
    more = [raw.get("by", ""), raw.get("why", "")]
    if not all(isinstance(value, str) for value in (*said, *more)) or raw["word"] not in WORDS:
        return None
    return Answer(*said, *more)


def _line(one: Answer) -> str:
    raw = {"pair": pair_key(one.a, one.b), "a": one.a, "b": one.b, "a_sha256": one.a_sha256, "b_sha256": one.b_sha256}
    more = {key: value for key, value in (("by", one.by), ("why", one.why)) if value}
    return json.dumps(raw | {"word": one.word} | more, ensure_ascii=False)
