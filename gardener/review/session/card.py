"""One proposal as it is shown: what is asked, what would be lost, why, and the change itself. It writes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from rich.cells import cell_len
from rich.text import Text

from gardener.model.edit import Supersede
from gardener.model.operation import FileChange
from gardener.proposals.answers import members
from gardener.proposals.identity import letter
from gardener.proposals.inbox import Filed
from gardener.review.hunks import hunks
from gardener.review.outlook import NOTHING, Outlook
from gardener.text.quote import quoted, unescaped, visible
from gardener.text.secrets import values

SIDE_BY_SIDE = 140
LEAST = 0.005
"""What a contribution to a score has to come to so that it is shown."""
MODES = ("words", "lines", "none")
_WORDS = re.compile(r"\w(?:[\w.:+/@-]*\w)?|\s+|[^\w\s]")
_MADE_INERT = re.compile(r"\\(?=[<!&])")
_SECTION = re.compile(r"^## ", re.MULTILINE)


@dataclass(frozen=True)
class Card:
    """All that one screenful needs. `chosen` are the letters ticked so far, `ahead` what accepting would do now."""

    filed: Filed
    place: tuple[int, int]
    score: float | None = None
    parts: tuple[tuple[str, float], ...] = ()
    chosen: frozenset[str] = frozenset()
    choice: str = ""
    ahead: Outlook = NOTHING
    notices: tuple[str, ...] = field(default=())
    mode: str = "words"

    def lines(self, width: int) -> list[Text]:
        """The card from top to bottom, for a terminal of that many columns."""
        found = [self._header(), Text(visible(self.filed.document.proposal.summary), style="bold"), Text()]
        found += [Text(visible(notice), style="yellow") for notice in self.notices]
        found += list(self._answers())
        found += lost_lines(self.ahead)
        for title, text in self._sections():
            found += [Text(), Text(title, style="bold")]
            found += [_prose(line) for line in text]
        if self.mode == "none" and self.ahead.changes:
            found += [Text(), Text("The change is hidden; d shows it.", style="yellow")]
        for change in self.ahead.changes if self.mode != "none" else ():
            found += [Text(), *changed_lines(change, width, words=self.mode == "words")]
        return found

    def _header(self) -> Text:
        one = self.filed.document.proposal
        score = f" · {self.score:.2f}" if self.score is not None else ""
        return Text(
            f"[{self.place[0]}/{self.place[1]}] {one.pass_name} · {one.risk}{score} · {self.filed.id}", style="cyan"
        )

    def _answers(self) -> Iterator[Text]:
        """The memories with their boxes, or the choices, each with the digit that toggles it."""
        one = self.filed.document.proposal
        about = dict(re.findall(r"^- \*\*([A-Z]+)[^:]*:\*\* (.*)$", self.filed.document.body, re.MULTILINE))
        runs = members(one)
        places = {path: letter(i) for i, path in enumerate(one.subjects)}
        kept = {places.get(edit.by) for edit in one.edits if isinstance(edit, Supersede)}
        for name, said in about.items():
            if name not in runs or len(runs) == 1 or one.choices:
                yield Text(f"    {name}{', kept' if name in kept else ''}  {_plain_link(said)}")
        if len(runs) > 1 and not one.choices:
            for number, name in enumerate(runs, 1):
                mark = "x" if name in self.chosen else " "
                yield Text(f"{number} [{mark}] {name}  {_plain_link(about.get(name, ''))}")
        for number, choice in enumerate(one.choices, 1):
            yield Text(f"{number} ({'x' if choice.letter == self.choice else ' '}) {visible(choice.says)}")

    def _sections(self) -> Iterator[tuple[str, list[str]]]:
        """The parts of the file below the boxes; the change itself is shown from the bytes instead."""
        for part in _SECTION.split(self.filed.document.body)[1:]:
            title, _, text = part.partition("\n")
            stale = self.ahead.otherwise and title.startswith(("Only ", "Why"))
            if title.strip() != "What happens" and not stale:
                yield title.strip(), text.strip("\n").split("\n")
        if self.parts:
            yield "Score", [", ".join(f"{name} {value:+.2f}" for name, value in self.parts if abs(value) >= LEAST)]


def lost_lines(ahead: Outlook) -> Iterator[Text]:
    """Where it is other than what was proposed: which kept memories changed, and what would be lost now."""
    for path in ahead.kept:
        yield from (Text(), Text(f"{visible(path)} changed since this was proposed. As it is now:", style="yellow"))
    for one in ahead.losses:
        title = f"Only {visible(one.path)} says ({len(one.sentences)} of {one.total} sentences)"
        yield from (Text(), Text(title, style="bold"))
        yield from (_prose(line) for line in quoted("\n".join(one.sentences)).split("\n"))


def changed_lines(change: FileChange, width: int, *, words: bool) -> Iterator[Text]:
    """The change to one file: replaced lines with their words marked, side by side where there is room."""
    if change.before is None or change.after is None:
        yield Text(f"{visible(change.path)}: {'is created' if change.before is None else 'moves away'}", style="bold")
        return
    yield Text(visible(change.path), style="bold")
    for first, old, new in hunks(*_without_credentials(change.before, change.after)):
        yield Text(f"  line {first}", style="dim")
        pairs = list(_paired(old, new)) if words else [(line, None) for line in old] + [(None, line) for line in new]
        for before, after in pairs:
            left, right = _marked(before, after) if words else (_whole(before, "red"), _whole(after, "green"))
            if width >= SIDE_BY_SIDE and words:
                yield from beside(left, right, width)
            else:
                if before is not None:
                    yield Text("- ", style="red") + left
                if after is not None:
                    yield Text("+ ", style="green") + right


def _without_credentials(*sides: bytes) -> tuple[bytes, ...]:
    """Both versions, told apart still, with the kind in place of each credential of either."""
    texts = [side.decode("utf-8", "surrogateescape") for side in sides]
    for value, kind in values("\n".join(texts)).items():
        texts = [text.replace(value, f"<{kind}>") for text in texts]
    return tuple(text.encode("utf-8", "surrogateescape") for text in texts)


def _paired(old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[tuple[str | None, str | None]]:
    for i in range(max(len(old), len(new))):
        yield (old[i] if i < len(old) else None, new[i] if i < len(new) else None)


def _whole(line: str | None, style: str) -> Text:
    return Text(visible(line.rstrip("\r\n")) if line is not None else "", style=style)


def _marked(before: str | None, after: str | None) -> tuple[Text, Text]:
    """Both lines with the words that differ marked: by style, and by brackets so that no colour is needed."""
    if before is None or after is None:
        return _whole(before, "red"), _whole(after, "green")
    a, b = _WORDS.findall(before.rstrip("\r\n")), _WORDS.findall(after.rstrip("\r\n"))
    left, right = Text(), Text()
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        gone, come = visible("".join(a[i1:i2])), visible("".join(b[j1:j2]))
        if tag == "equal":
            left.append(gone)
            right.append(come)
            continue
        if gone:
            left.append(f"[-{gone}-]", style="red")
        if come:
            right.append(f"{{+{come}+}}", style="green")
    return left, right


def beside(left: Text, right: Text, width: int) -> Iterator[Text]:
    """Two lines next to each other, each wrapped in its half of `width` columns."""
    half = (width - 5) // 2
    a, b = _cut(left, half), _cut(right, half)
    for i in range(max(len(a), len(b))):
        one = a[i] if i < len(a) else Text()
        pad = " " * (half - cell_len(one.plain))
        yield Text("  ") + one + Text(f"{pad} │ ") + (b[i] if i < len(b) else Text())


def _cut(text: Text, width: int) -> list[Text]:
    """The text in pieces of at most `width` columns."""
    pieces: list[Text] = []
    start = used = 0
    for i, character in enumerate(text.plain):
        size = cell_len(character)
        if used + size > width:
            pieces.append(text[start:i])
            start, used = i, 0
        used += size
    pieces.append(text[start:])
    return pieces


def _prose(line: str) -> Text:
    if line.startswith(">"):
        return Text(f"│ {visible(_MADE_INERT.sub('', line[1:].lstrip()))}", style="dim")
    return Text(visible(unescaped(line)))


def _plain_link(said: str) -> str:
    """`name: description` of a line that links the name, or the name alone."""
    named = re.sub(r"\[((?:[^\]\\]|\\.)*)\]\([^)]*\)\.?", r"\1:", said)
    return visible(unescaped(named.removesuffix(":")))
