"""File changes as a patch that `git apply` takes from the store folder. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from gardener.model.operation import FileChange
from gardener.review.hunks import lines_of

CONTEXT = 3


def patch(changes: Iterable[FileChange]) -> bytes:
    """The changes as a unified diff, byte for byte as the files hold them.

    Without git's own header line: git takes paths below such a line from the top of the repository and silently
    leaves out those that lie elsewhere, and others from the folder it is run in.
    """
    return b"".join(part for change in changes for part in _file(change))


def _file(change: FileChange) -> Iterator[bytes]:
    old, new = _name("a/", change.path), _name("b/", change.path)
    before, after = lines_of(change.before or b""), lines_of(change.after or b"")
    if not before and not after:
        return
    yield b"--- %s\n" % (b"/dev/null" if change.before is None else _tabbed(old))
    yield b"+++ %s\n" % (b"/dev/null" if change.after is None else _tabbed(new))
    for group in SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(CONTEXT):
        first, last = group[0], group[-1]
        yield b"@@ -%s +%s @@\n" % (_range(first[1], last[2]), _range(first[3], last[4]))
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from _lines(b" ", before[i1:i2])
            else:
                yield from _lines(b"-", before[i1:i2])
                yield from _lines(b"+", after[j1:j2])


def _lines(sign: bytes, lines: list[str]) -> Iterator[bytes]:
    for line in lines:
        data = line.encode("utf-8", "surrogateescape")
        yield sign + data if data.endswith(b"\n") else sign + data + b"\n\\ No newline at end of file\n"


def _range(start: int, stop: int) -> bytes:
    length = stop - start
    return b"%d,%d" % (start + 1 if length else start, length)


def _name(side: str, path: str) -> bytes:
    """A path as git writes it: quoted in C's way where it holds a quote, a backslash, control or non-ASCII bytes."""
    raw = f"{side}{path}".encode("utf-8", "surrogateescape")
    if all(0x20 <= byte < 0x7F and byte not in b'"\\' for byte in raw):
        return raw
    return b'"' + b"".join(_escaped(byte) for byte in raw) + b'"'


def _escaped(byte: int) -> bytes:
    if byte in b'"\\':
        return b"\\" + bytes([byte])
    return bytes([byte]) if 0x20 <= byte < 0x7F else b"\\%03o" % byte


def _tabbed(name: bytes) -> bytes:
    # git ends a name that holds a space with a tab, so that nothing behind it is taken for part of it
    return name + b"\t" if b" " in name and not name.startswith(b'"') else name
