"""An index that does not list what is there (formats whose agents load an index file).

What it finds
    Active memories without a line in any index beside them, where the index lists most of the others; lines that lead
    to a file that is gone; and (as advice) an index of more than the 200 lines agents load.

Why it matters
    Agents see the index and open what it names. What has no line is never read; past line 200 nothing is, and there
    stand the newest. Read on 3 public stores with an index: 3 findings, 3 right.

What it proposes
    The missing lines at the end of the index, in the form of the others, and the removal of lines that lead nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from gardener.model.edit import Edit, Replace
from gardener.model.finding import Finding
from gardener.model.memory import IndexLine, Memory
from gardener.model.snapshot import Snapshot
from gardener.passes.base import Pass, PassSettings
from gardener.text.links import read_links, without_code

FEW = 0.2
"""Where more than this share has no line the index is a choice of its owner's, and only said to be one."""
_LABEL = re.compile(r"\[([^\[\]]+)\]\(")
_HEADING = re.compile(r"^# +([^\[\]`\r\n]*[^\[\]`\r\n#\s])[ #]*\r?$", re.MULTILINE)
_README = re.compile(r"readme\Z|index\b|_", re.IGNORECASE)


class IndexSettings(PassSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`longest` index in lines that agents load."""

    longest: int = 200


def find(snapshot: Snapshot, settings: IndexSettings, now: datetime) -> Iterator[Finding]:
    listed = {line.target for line in snapshot.index_lines if line.target}
    for index in snapshot.indexes:
        if index.path.rsplit("/", 1)[-1] not in _names(snapshot, index.root):
            continue
        lines = index.data.decode("utf-8", "surrogateescape").split("\n")
        if len(lines) > settings.longest:
            says = f"{index.path} has {len(lines)} lines; agents load the first {settings.longest}"
            yield Finding("index", says, (index.path,), score=0.9)
        beside = [m for m in snapshot.active if _beside(m, index) and not _README.match(m.stem)]
        missing = [memory for memory in beside if memory.path not in listed]
        if len(missing) > len(beside) * FEW:
            says = f"{index.path} and its like list {len(beside) - len(missing)} of {len(beside)} memories"
            yield Finding("index", says, (index.path,), score=0.5)
            missing = []
        gone = [line for line in snapshot.index_lines if line.path == index.path and _leads_nowhere(line, snapshot)]
        if missing or gone:
            titled = bool(missing) and _titled(index, snapshot)
            yield _finding(index, [_line(one, titled) for one in missing], gone, lines)


def _names(snapshot: Snapshot, root: str) -> frozenset[str]:
    """The index files that agents of the root's format load."""
    return next((m.conventions.index_files for m in snapshot.memories if m.root == root), frozenset())


def _beside(memory: Memory, index: Memory) -> bool:
    return memory.path.rpartition("/")[0] == index.path.rpartition("/")[0]


def _leads_nowhere(line: IndexLine, snapshot: Snapshot) -> bool:
    """One link, into this very folder, to a file that is not there."""
    links = [link for link in read_links(line.text) if not link.fenced]
    if line.target or len(links) != 1 or links[0].kind != "markdown" or "/" in links[0].target:
        return False
    return f"{line.path.rpartition('/')[0]}/{links[0].target}".lstrip("/") not in snapshot.files


def _titled(index: Memory, snapshot: Snapshot) -> bool:
    """Whether most lines of an index call their memories by a title rather than by name."""
    votes = []
    for line in snapshot.index_lines:
        memory, label = snapshot.by_path.get(line.target), _LABEL.search(line.text)
        if line.path == index.path and memory is not None and label:
            votes.append(label[1].strip() not in {memory.name, memory.stem, f"{memory.stem}.md"})
    return sum(votes) * 2 > len(votes)


def _finding(index: Memory, missing: list[str], gone: list[IndexLine], lines: list[str]) -> Finding:
    edits: list[Edit] = [Replace(index.path, line.line, line.text, None) for line in gone]
    if missing:
        number = max((i for i, line in enumerate(lines, 1) if line.strip()), default=1)
        last = lines[number - 1].removesuffix("\r")
        fresh = "\n".join(missing)
        edits = [edit for edit in edits if isinstance(edit, Replace) and edit.line != number]
        kept = "" if any(line.line == number for line in gone) else f"{last}\n"
        edits.append(Replace(index.path, number, last, f"{kept}{fresh}" if last or kept.strip() else fresh))
    says = [f"lacks {len(missing)} memor{'y' if len(missing) == 1 else 'ies'}"] if missing else []
    says += [f"lists {len(gone)} that {'is' if len(gone) == 1 else 'are'} gone"] if gone else []
    return Finding(
        "index",
        f"{index.path} {' and '.join(says)}",
        (index.path,),
        tuple(edits),
        risk="safe",
        score=0.8,
        why=("Agents open what the index names.",),
    )


def _line(memory: Memory, titled: bool) -> str:
    about = f" — {' '.join(memory.description.split())}" if memory.description else ""
    return f"- [{_title(memory) if titled else memory.name}]({memory.path.rsplit('/', 1)[-1]}){about}"


def _title(memory: Memory) -> str:
    """Its first heading, else its name in words; a kind in front of a file's name is there to sort files by."""
    heading = _HEADING.search(without_code(memory.body))
    if heading:
        return heading[1]
    first, _, rest = re.sub(r"[-_]+", " ", memory.name).strip().partition(" ")
    words = rest if rest and first.casefold() == memory.kind.casefold() else f"{first} {rest}".strip()
    return words[:1].upper() + words[1:]


PASS = Pass("index", IndexSettings, find)
