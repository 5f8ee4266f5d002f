"""Credentials by where they stand: behind a word such as `password`, in a command's option, in a table's column. Pure.

Each is found only where a quick look for its words says so, and only where the value looks drawn at random.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from gardener.text.drawn import looks_drawn, looks_random

_PASSWORD = r"pass(?:word|wort|wd|phrase|code)s?|pwd|kennwort|zugangs(?:daten|code)"
_SECRET = (
    r"secret(?:[_ -]?(?:access)?[_ -]?key)?|(?:auth|access|refresh|bearer|api|session|bot|deploy|personal[_ -]access)?"
    r"[_ -]?token|(?:api|access|account|private|signing|encryption|master|client)[_ -]?(?:key|secret)"
)
_VALUE = r"(?:\\[\"']|[^\s\"'`,;<>(){}\[\]|]){8,200}"
_MARKS = r"[\"'`*]{0,3}"
_SAYS = r"(?::|=>?|\b(?:is|are|ist|lautet|lauten)\b(?: (?:now|jetzt))?:?)"
_TELLING = (
    rf"(?:(?P<password>{_PASSWORD}|(?:\b|_)(?:pass|pw)|\b(?:wlan|wi-?fi)\b[^\n:=.;]{{0,40}}?\b(?:key|schl(?:ü|ue)ssel))"
    rf"|(?:\b|_)(?:{_SECRET}|credentials?))(?:_(?:base|prod|staging|live|root|admin))?\b"
)
_WORD = re.compile(_TELLING, re.IGNORECASE)
_WHOSE = r"[ \t](?:(?:for|of|to|on|für|fuer|der|des|von|zum|zur)[ \t][^\n:=.,;|]{1,40}?|\([^()\n]{1,40}\))"
_NAMED = re.compile(
    rf"{_TELLING}(?:{_MARKS}\s{{0,3}}{_SAYS}{_MARKS}\s{{0,3}}"
    rf"|(?P<unsaid>{_MARKS}[ \t]*(?:\||->|→)[ \t]*|[ \t]{{1,3}}|{_WHOSE}[ \t]?{_SAYS}{_MARKS}\s{{1,3}}))"
    rf"{_MARKS}(?:pass:)?(?P<value>{_VALUE})",
    re.IGNORECASE,
)
"""The word, then the value behind a colon or verb, else (`unsaid`) in the next cell, right behind, or further on."""
_WORDS = ("pass", "pwd", "pw", "secret", "token", "key", "credential", "kennwort", "zugang", "ssel")
_ALONE = r"pw(?![a-z])(?<![a-z]pw)"
_AROUND = 50
"""Characters before and behind such a part within which its word begins and ends."""

_OPTION = r"(?:[^\n|;]|(?<=\\)\n){0,200}?\s"
_COMMANDS = {
    command: re.compile(rf"\b{pattern}[\"']?([^\s\"'`<>|]{{8,200}})")
    for command, pattern in {
        "curl": rf"curl\b{_OPTION}(?:-[a-zA-Z]*u ?|--user[ =])[\"']?[^\s:\"'`]{{1,60}}:",
        "http": rf"https?(?!:){_OPTION}(?:-a ?|--auth[ =])[\"']?[^\s:\"'`]{{1,60}}:",
        "mysql": rf"mysql\w*\b{_OPTION}-p",
        "mariadb": rf"mariadb(?:-\w+)?\b{_OPTION}-p",
        "sshpass": r"sshpass\s+-p ?",
        "login": rf"login\b{_OPTION}-p ",
        "redis-cli": rf"redis-cli\b{_OPTION}-a ",
        "ldap": rf"ldap\w+\b{_OPTION}-w ",
        "smbclient": rf"smbclient\b{_OPTION}-U ?[\"']?[^\s%\"'`]{{1,60}}%",
    }.items()
}
"""Command → its option that holds a password, as each one's manual has it."""
_PAIR = re.compile(
    r"\b(?:log-?in|credentials?|zugangsdaten|zugang|anmeldung)\b[^\n]{0,80}?[\s:`\"'][\w.@+-]{1,40}[`\"']? / "
    rf"{_MARKS}({_VALUE})",
    re.IGNORECASE,
)
_LOGINS = ("login", "log-in", "credential", "zugang", "anmeldung")
_RULE = re.compile(r"^(?=.*-)(?=.*\|)[ \t>|:-]+$", re.MULTILINE)
"""The line below the heads of a table's columns."""
_CELL = re.compile(rf"[\s*]*`?({_VALUE})`?[\s*]*")
_BAR = re.compile(r"(?<!\\)\|")
_COLUMN = re.compile(rf"[\s*_`]*(?:[\w-]+ )?(?:(?P<password>{_PASSWORD}|pw)|{_SECRET})[\s*_`]*", re.IGNORECASE)


def named(text: str) -> Iterator[tuple[str, int, int]]:
    """(kind, start, end) of each value that stands where a credential does, some of them twice."""
    lower = text.lower()
    if len(lower) != len(text):  # of the letters there are, one becomes two
        lower = "".join(small if len(small := c.lower()) == 1 else c for c in text)
    words = [word for word in _WORDS if word in lower]
    if words:
        yield from _behind_words(text, lower, words)
    if words and "|" in text:
        yield from _in_columns(text)
    if " -" in text:
        yield from _in_commands(text)
    if " / " in text and any(word in lower for word in _LOGINS):
        for match in _PAIR.finditer(text):
            if looks_drawn(_bare(match[1])):
                yield "password", *match.span(1)


def _behind_words(text: str, lower: str, words: list[str]) -> Iterator[tuple[str, int, int]]:
    end = 0
    hints = "|".join(_ALONE if word == "pw" else word for word in words)
    for hint in re.finditer(hints, lower):
        word = _WORD.search(text, max(end, hint.start() - _AROUND), hint.end() + _AROUND)
        if not word:
            continue
        end = word.end()
        match = _NAMED.match(text, word.start())
        if match and (looks_random if match["unsaid"] is None else looks_drawn)(_bare(match["value"])):
            end = match.end()
            yield ("password" if match["password"] else "key"), *match.span("value")


def _in_commands(text: str) -> Iterator[tuple[str, int, int]]:
    for command, pattern in _COMMANDS.items():
        for match in pattern.finditer(text) if command in text else ():
            if looks_random(_bare(match[1])):
                yield "password", *match.span(1)


def _in_columns(text: str) -> Iterator[tuple[str, int, int]]:
    end = 0
    for rule in _RULE.finditer(text):
        if rule.start() < end:
            continue  # within the table before
        head = text.rfind("\n", 0, max(0, rule.start() - 1)) + 1
        names = [_COLUMN.fullmatch(text, *span) for span in _cells(text, head, rule.start() - 1)]
        kinds = {at: "password" if name["password"] else "key" for at, name in enumerate(names) if name}
        for row in _rows(text, rule.end() + 1) if kinds else ():
            end = row[-1][1]
            cells = {at: _CELL.fullmatch(text, *row[at]) for at in kinds if at < len(row)}
            for at, cell in cells.items():
                if cell and looks_drawn(_bare(cell[1])):
                    yield kinds[at], *cell.span(1)


def _rows(text: str, start: int) -> Iterator[list[tuple[int, int]]]:
    """The cells of each row of the table whose first row begins at `start`."""
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        cells = list(_cells(text, start, end))
        if len(cells) < 2:
            return
        yield cells
        start = end + 1


def _cells(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The spans between the bars of a table's row, the empty one before the first bar included."""
    bars = [start - 1, *(bar.start() for bar in _BAR.finditer(text, start, end)), end]
    yield from ((before + 1, bar) for before, bar in pairwise(bars))


def _bare(value: str) -> str:
    return value.lstrip("*").rstrip(".:!?*_~")
