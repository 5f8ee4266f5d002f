"""Memory text shown to a person: it can neither leave its quote, nor reach a terminal as control
codes, nor give a credential away.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

from gardener.text.secrets import mask

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_PLAIN = re.compile(r"[\x20-\x7e]*\Z")
_ENTITY = r"&(?=#?\w+;)"
_MARKUP = re.compile(
    rf"[\\`*\[\]<>|~]|{_ENTITY}|(?<![^\W_])_|_(?![^\W_])"  # an underscore within a word marks nothing
    r"|(?<=[A-Za-z]):(?=//)|(?<=www)\."  # a bare address would become a link
)


def visible(text: str) -> str:
    r"""`text` with every control, format, private and odd line-break character as an escape such as `\u200b`."""
    if _PLAIN.match(text):
        return text
    return "".join(_escape(c) if unicodedata.category(c) in _UNSEEN else c for c in text)


def _escape(character: str) -> str:
    number = ord(character)
    if 0xDC80 <= number <= 0xDCFF:  # a byte that was not UTF-8, kept by surrogateescape
        return f"\\x{number - 0xDC00:02x}"
    if character in "\t\r\n":
        return {"\t": "\\t", "\r": "\\r", "\n": "\\n"}[character]
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON of the same value in which nothing is unseen; other letters stay as they are."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if _PLAIN.match(text):
        return text
    return "".join(json.dumps(c)[1:-1] if c != "\n" and unicodedata.category(c) in _UNSEEN else c for c in text)


def quoted(text: str) -> str:
    """A markdown block quote: each line prefixed, so that none can be read as anything else."""
    lines = mask(text).replace("\r\n", "\n").split("\n")
    return "\n".join(f"> {_inert(visible(line))}".rstrip() for line in lines)


def _inert(line: str) -> str:
    """The line with nothing in it that a viewer would take for HTML, a character's number, or fetch as a picture."""
    return re.sub(rf"<(?=[A-Za-z/!?])|!(?=\[)|{_ENTITY}", lambda found: f"\\{found.group()}", line)


def inline(text: str, limit: int = 200) -> str:
    """One line of memory text inside our own markdown: no link, tag, emphasis or line break of its own."""
    flat = visible(" ".join(mask(text).split()))
    if len(flat) > limit:
        flat = flat[: limit - 1].rstrip() + "…"
    return _MARKUP.sub(r"\\\g<0>", flat)


def unescaped(markdown: str) -> str:
    """What a reader sees of text that `inline` made safe."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown)


def plain(text: str, limit: int = 200) -> str:
    """One line of memory text for a terminal."""
    flat = visible(" ".join(mask(text).split()))
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"
