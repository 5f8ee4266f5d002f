"""Setting one front matter key by exact source span: nothing else of the file changes."""

from __future__ import annotations

import json
import re

from gardener.model.edit import JsonValue
from gardener.model.memory import Raw
from gardener.text.frontmatter import DATE, Entry, FrontMatter, cut_by_comment, read

ORDER = (
    "id kind name description project created updated valid_from invalid_at superseded_by source_session model favorite"
).split()
"""The order in which missing keys are inserted (DESIGN §3.1)."""


def scalar(value: JsonValue, style: str | None = None) -> str:
    """YAML for one value on one line, in the quoting style it had where that can hold it."""
    if value is None:
        return "null"
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if style == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    if style != '"' and _plain(value):
        return value
    return quoted_scalar(value)


def quoted_scalar(value: str) -> str:
    """The text in double quotes, on one line, as every YAML reader takes it back."""
    # JSON leaves DEL, C1 and the Unicode line separators raw; YAML would break or refuse lines there.
    return "".join(
        f"\\u{ord(c):04x}" if ord(c) in {0x7F, 0x2028, 0x2029, 0xFEFF} or 0x80 <= ord(c) < 0xA0 else c
        for c in json.dumps(value, ensure_ascii=False)
    )


_SAFE_PLAIN = re.compile(r"[A-Za-z0-9/(][^\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]*\Z")
_TYPED = re.compile(r"(?i:[-+.\d][\d_.,:xoe+-]*|true|false|yes|no|on|off|y|n|null|~)\Z")


def _plain(value: str) -> bool:
    """Whether the text may stand unquoted: every YAML reader takes it as the same string (or the same time)."""
    if DATE.match(value):
        return True
    if not _SAFE_PLAIN.match(value) or _TYPED.match(value) or value != value.strip():
        return False
    return ": " not in value and " #" not in value and not value.endswith(":")


def set_key(text: str, key: str, value: JsonValue) -> str:
    """`text` with one key set, every other character as it was. Raises ValueError where that cannot be done safely.

    An existing value is replaced in place, a missing key inserted as a line of its own in the order
    of §3.1, and a file without front matter gets a block in front of its text.
    """
    block = read(text)
    if not block.exists:
        if not block.closed:
            raise ValueError(f"{block.error}; mend it first")
        changed = _first_block(text, key, value)
    elif key in block.entries:
        changed = _replace(text, block.entries[key], value)
    elif "." in key:
        raise ValueError(f"there is no key {key} to change")
    else:
        changed = _insert(text, block, key, value)
    _verify(block, read(changed), key, value)
    return changed


def _first_block(text: str, key: str, value: JsonValue) -> str:
    mark, rest = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
    newline = "\r\n" if "\r\n" in rest[:2000] else "\n"
    return f"{mark}---{newline}{key}: {scalar(value)}{newline}---{newline}{rest}"


def _replace(text: str, entry: Entry, value: JsonValue) -> str:
    end = entry.end
    cut = cut_by_comment(text, entry) if text.startswith("description", entry.key_at) else None
    if cut is not None:
        end = entry.start + len(cut)
    style = entry.style if entry.style in {"'", '"'} else None
    new = scalar(value, style)
    colon = text.index(":", entry.key_at) if entry.start == entry.end else -1
    if entry.start == entry.end:
        return text[: colon + 1] + " " + new + text[colon + 1 :]
    if entry.style == "collection" and "\n" in text[entry.key_at : entry.start]:
        head = text.rindex(":", entry.key_at, entry.start) + 1
        return text[:head] + " " + new + text[end:]
    return text[: entry.start] + new + text[end:]


def _insert(text: str, block: FrontMatter, key: str, value: JsonValue) -> str:
    at = block.end
    if key in ORDER:
        rank = ORDER.index(key)
        tops = {k: e for k, e in block.entries.items() if "." not in k}
        before = [e for k, e in tops.items() if k in ORDER and ORDER.index(k) < rank]
        after = [e for k, e in tops.items() if k in ORDER and ORDER.index(k) > rank]
        if before:
            newline = text.find("\n", max(e.end for e in before), block.end)
            at = newline + 1 if newline >= 0 else block.end
        elif after:
            at = min(e.key_at for e in after)
    return f"{text[:at]}{key}: {scalar(value)}{block.newline}{text[at:]}"


def _verify(before: FrontMatter, after: FrontMatter, key: str, value: JsonValue) -> None:
    """What was read back must differ in the one key alone: a change that does more is never made."""
    wanted = {k: e.value for k, e in before.entries.items() if k != key and not key.startswith(f"{k}.")}
    found = {k: e.value for k, e in after.entries.items()}
    got = found.get(key)
    fits = got == value if isinstance(value, str) else got == as_raw(value)
    rest = all(found.get(k) == v for k, v in wanted.items() if not k.startswith(f"{key}."))
    if not (
        fits
        and rest
        and len(after.entries) >= len(wanted)
        and bool(after.error) == bool(before.error and before.exists)
    ):
        raise ValueError(f"the key {key} cannot be changed without touching others; edit it by hand")


def as_raw(value: JsonValue) -> Raw:
    """A value as the reader gives it back: every scalar as text."""
    if isinstance(value, list):
        return [as_raw(item) for item in value]
    if isinstance(value, dict):
        return {key: as_raw(item) for key, item in value.items()}
    return value if value is None or isinstance(value, str) else json.dumps(value)
