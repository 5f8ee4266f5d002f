"""Whether a text looks like a credential by itself: drawn at random, and no placeholder. Pure."""

from __future__ import annotations

import base64
import math
import re
from collections import Counter

SHORTEST = 8
"""Characters from which on a value counts, and the same text elsewhere is the same credential: what forms ask for."""
_PLACEHOLDER = re.compile(
    r"example|beispiel|placeholder|changeme|change[-_]me|redacted|dummy|sample|your[-_]?|my[-_]|dein[-_]|\.\.\.|…|\*\*\*|xxx"
    r"|<|>|%|\{|^\$|\$(?!(?-i:(?=[A-Z]*[a-z])(?=[a-z]*[A-Z]))[A-Za-z]+\d)"
    r"|os\.environ|process\.env|getenv|^test|^none$|^null$|^true$|^false$|foobar|deadbeef|1234567890|abcdef",
    re.IGNORECASE,
)
"""A dollar sign begins a variable, unless letters of both cases and a digit follow it in the midst of a value."""
_KNOWN_SHAPE = re.compile(
    r"[0-7][0-9A-HJKMNP-TV-Z]{25}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[\w./-]+\.[a-z]{1,5}|(?:[/~.]{0,2}[\w.-]+/)+[\w.-]*"
    r"|\w+=\d+|[a-z]+(?:[-_.][a-z]+)*|[A-Z]+(?:[-_.][A-Z]+)*|\d[\d.,:/-]*|[a-zA-Z_]\w*\.[a-zA-Z_.]+",
)
_HASH_OR_REFERENCE = re.compile(
    r"(?:#|0x)?[0-9a-fA-F]+|\w+=\d+|sha\d+[-:].*|[\w./-]*#(?:\d+|[a-zA-Z][a-z]*(?:-[a-z]+)*)|[0-7][0-9a-hjkmnp-tv-z]{25}"
)
_TURN = re.compile(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_TURNS = 3
"""Turns between letters and digits in a run without marks: `oauth2Token` has two, `T7q2` three."""
_SAMPLE_CLAIM = re.compile(rb'"sub"\s*:\s*"1234567890"|"name"\s*:\s*"John Doe"')
"""The claims of the token by which jwt.io, and every text after it, shows what one looks like."""


def is_placeholder(value: str) -> bool:
    """Whether a value only stands for one."""
    return _PLACEHOLDER.search(value) is not None or len(set(value)) < 6


def looks_random(value: str) -> bool:
    """Whether a value behind a telling word is one: mixed characters, no known shape, and nearly random.

    Words of a language stay below 3 bits a character at these lengths; drawn ones lie above (Shannon 1951).
    """
    if len(value) < SHORTEST or "://" in value or is_placeholder(value) or _KNOWN_SHAPE.fullmatch(value):
        return False
    classes = sum(bool(re.search(c, value)) for c in (r"[a-z]", r"[A-Z]", r"\d", r"[^\w]"))
    if classes < 2 or not re.search(r"\d|[^\w.-]", value):
        return False
    counts = Counter(value)
    bits = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
    return bits >= min(3.0, math.log2(len(value)) * 0.85)


def looks_drawn(value: str) -> bool:
    """The same where no colon or verb says that a value follows: no name in a program or text is built like this."""
    if not looks_random(value) or _HASH_OR_REFERENCE.fullmatch(value):
        return False
    if re.search(r"\w[!#$§]", value) and re.search(r"\d", value) and re.search(r"[A-Za-z]", value):
        return True
    return any(len(_TURN.findall(run)) >= _TURNS for run in re.split(r"[\W_]+", value))


def is_sample_jwt(value: str) -> bool:
    """Whether a JSON web token is the one that is shown everywhere; it is told by what it claims."""
    claims = value.split(".")[1]
    try:
        return _SAMPLE_CLAIM.search(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4))) is not None
    except ValueError:
        return False
