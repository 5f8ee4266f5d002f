"""What a text says is still to be done. Wrong only towards doubt: what merely may be open counts as open."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from gardener.text.stage import HEADER_LINES, header_pair, normalise

_THINGS = r"(?:work|items?|points?|questions?|issues?|tasks?|steps?|things?|topics?|bits|parts?|actions?|todos?)"
_TITLE = re.compile(
    r"(?:(?:the|my|our|all) )?(?:what(?:'s| is| was| remains)?(?: to)? )?(?:(?:still|yet|noch|was|work) )?"
    rf"(?:left(?: ?overs?)?(?: to do)?|next(?: up| {_THINGS})?|remain(?:s|ing|der)?|to[ -]?dos?|do next|open"
    r"|outstanding|pending|missing|unresolved|unfinished|incomplete|not (?:yet )?(?:done|finished|started)|not yet"
    r"|(?:known )?(?:gaps?|limitations?)|known (?:issues?|problems?|bugs?)|follow[ -]?ups?|loose ends|backlog|blockers?"
    r"|later|deferred|postponed|offene?s?|nächste[rsn]?(?: schritte?)?|naechste schritte?|ausstehend|verbleibend"
    r"|fehlt|fehlend|übrig|zu tun|zu erledigen|restarbeiten|offene \w+)"
    rf"(?: {_THINGS}| punkte| fragen| aufgaben| schritte)?"
    r"(?: ?\(\d+| (?:for|before|after|in|on|until|by|from|of|here|now|vor|für|bis)\b.*)?",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"(?:there (?:is|are) )?(?:none|nothing|nil|n/?a|no|not any|nichts|keine?[rs]?|zero|0)"
    r"(?: (?:is|are|was|left|open|outstanding|pending|remain(?:s|ing)?|more|further|other|else|known|to do|to-?dos?"
    rf"|{_THINGS}|gaps|limitations|follow-?ups?|blockers?|now|here|mehr|übrig|offen\w*|punkte|fragen|aufgaben|schritte))*"
    r"|(?:(?:it is|all|everything|alles)(?: (?:of it|items|is|are|ist))* )?(?:done|closed|complete|finished|erledigt)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\b\w+://\S+|\[\[[^\[\]]*\]\]|(?<=\])\([^()\s]*\)")
_LONGEST = 400
"""Characters of a line among which a title is looked for."""
_LABELLED, _LOOSE = 7, 8
"""Levels below those of markdown headings: bold lines and labels alone on a line; titles without any mark."""
_MARKS = re.compile(r"^(?:[\W_]|\d+[.)]?(?=\W))+|[\W_]+$")
_ITEM = re.compile(r"\s*(?:>\s*)*(?:[-*+•]|\d+[.)])\s+")
_UNCHECKED = re.compile(r"\s*(?:>\s*)*(?:(?:[-*+•]|\d+[.)])\s+)?(?:\[[ /~>?!]?\](?![(\[])|[☐⬜🔲⏳⌛🔜🚧❌✗✘])")
_CHECKED = re.compile(r"\s*(?:>\s*)*(?:(?:[-*+•]|\d+[.)])\s+)?(?:\[[xX-]\](?!\()|[✓✔✅☑]|~~)")
_HASHES = re.compile(r"\s*(#{1,6})\s")
_BOLD = re.compile(r"\s*(\*\*|__)[^*_]+\1\s*:?\s*$|\s*(\*\*|__)[^*_]+:\2\s*$")
_PLAIN = re.compile(r"\s*[A-Za-z][A-Za-z' -]{0,40}:\s*$")
_LABEL = re.compile(r"[^:]{1,80}?(?=:(?!//)|\s[-–—|]\s|\s?\()")
_GATE = re.compile(r"\bgate\b[^.!?]{0,60}?\b(?:passed|approved|cleared|closed|accepted|signed off)\b", re.IGNORECASE)
_NO_GATE = frozenset({"", "ai", "none", "no", "passed", "closed", "done"})
_DENIED = re.compile(
    r"\b(?:not|never|no|un\w+|waits?|waiting|until|before|must|once|yet|will|if|can|to be)\b|n't\b", re.IGNORECASE
)

_SAID = re.compile(
    r"(?:\b(?:not|no|none|nothing|nobody)\b|n't)[^.!?]{0,60}?\byet\b|\byet\s+to\b"
    r"|\bstill\s+(?:\w+\s+){0,2}?(?:missing|open|pending|outstanding|waiting|waits?|blocked|need(?:s|ed)?|must|lacks?|to"
    r"|ha(?:s|ve)\s+to|requires?|required|unresolved|undone|fail(?:s|ing)?|broken|left|remains?|not|unclear)\b"
    r"|\b(?:done|completed?|finished|everything|all|live|shipped|merged|closed|ready|fertig|erledigt|alles)\b[^.!?]{0,40}?"
    r"\b(?:except|apart\s+from|aside\s+from|other\s+than|but\s+(?:for|not|the)|save\s+for|bis\s+auf|außer|ausser)\b"
    r"|\b(?:is|are|remains?|be)\s+(?:\w+\s+)?(?:left|missing|incomplete|open(?=\s*[.;,!]|$))(?!\s+(?:of|hand|side)\b)"
    r"|\bleft\s+(?:to\s+do|open|undone|over|for\s+(?:later|now))\b"
    rf"|\bremaining\s+{_THINGS}\b|\bremains?\s*(?:[.;,]|$|to\b|open\b|un)"
    r"|\b(?:must|needs?\s+to|ha(?:s|ve)\s+to|should)\b[^.!?]{0,80}?\b(?:before|first|until|soon)\b"
    r"|\b(?:needs?|ha(?:s|ve)|is|are|remains?)\s+to\s+be\s+\w+|\bto\s+be\s+(?:done|decided|determined|written|fixed|continued)\b"
    r"|\bha(?:s|ve)(?:\s+not|n't)\s+\w+|\bnobody\s+has\b|(?:\bnot|n't)\s+(?:\w+\s+)?(?:done|finished|completed?|merged|deployed"
    r"|released|shipped|tested|written|documented|migrated|passed|approved|reviewed|started|live|ready)\b"
    r"|\bun(?:tested|documented|reviewed|merged|released|approved)\b"
    r"|\bneeds?\s+(?:an?\s+)?(?:review|tests?|testing|docs?|approval|sign-?off|fix(?:es|ing)?)\b"
    r"|[:|]\s*(?:still\s+)?(?:open|missing|offen|blocked|waiting)(?=\W*(?:\n|$))|\bgate\b[^.!?]{0,40}?(?:\b(?:not|open|waits?|waiting)\b|n't\b)"
    rf"|\bwait(?:s|ing)?\s+(?:for|on|until)\b|\b(?:is|are)\s+blocked\b|\bblocked\s+(?:by|on)\b|\bopen\s+{_THINGS}\b"
    r"|\b(?:pending|outstanding|unresolved|unfinished|half[ -]done|in\s+progress|tbd|fixme|follow-?ups?|to-?dos?)\b"
    r"|\bnext\s+(?:week|month|sprint|quarter|release)\b|\btomorrow\b|\bnext\s+steps?\b"
    r"|\b(?:we|i|they|someone|somebody)(?:'ll|\s+(?:will|should|still|plan\s+to|intend\s+to|need\s+to|must|have\s+to))\b"
    r"|\bnoch\s+(?:nicht|kein\w*|offen\w*|zu\s+\w+|aus(?:stehend\w*)?|fehl\w*|muss|müssen)\b|\b(?:fehlt|fehlen)\b"
    r"|\bausstehend\w*|\boffene\s+\w+|\bsteh(?:t|en)\s+(?:noch\s+)?aus\b"
    r"|\b(?:muss|müssen|soll|sollen)\s+(?:\w+\s+){0,5}?(?:noch|bevor|zuerst)\b",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\b(?:nothing|none|no\s+\w+(?:\s+\w+)?|all|everything|done|complete[d]?|finished|nichts|alles)\b[^.!?\n]{0,40}?"
    r"\b(?:except|but|besides|apart\s+from|aside\s+from|not\s+the|bis\s+auf|au(?:ß|ss)er)\b"
    r"|(?<!no )(?<!longer )(?<!not )\bneeds?\b(?!\s+no)|\b(?:have|has)\s+to\b|\bwill\b|\bawait(?:s|ing)?\b|\bwip\b"
    r"|\bxxx\b|(?<![a-z])(?:t\.?o\.?-?d\.?o|(?-i:TO DO))(?![a-z])(?!\W*(?:none|app|list|-|n/a))"
    r"|\bhalf(?:way)?\b|\bwhat\s+remains\b"
    r"|\b(?:mostly|nearly|almost|partial\w*|partly|largely)\b|\b(?:one|two|three|four|five|some|most|all\s+but\s+\w+)\s+of\b"
    r"|\b(?P<some>\d+)\s+(?:out\s+)?of\s+(?!(?P=some)\b)\d|\b(?P<part>\d+)\s*/\s*(?!(?P=part)\b)\d+\b|\b(?!100\b)\d+\s?%"
    r"|\b\d+\s+(?:\w+\s+)?(?:left|to\s+go|remain\w*)\b|\bnot\s+(?:everything|all)\b|\baction\s+items?\b|\brequires?\s+an?\b"
    r"|\b(?:planned|scheduled|slated|deferred|postponed|delayed)\b|\b(?:don't|not)\s+forget\b|\bremember\s+to\b"
    r"|\bbroken\b|\bstill\s+(?:no|\w+ing)\b|\bnever\s+\w+(?:ed|en|ten)\b|\bnot\s+(?:verified|live|on)\b"
    r"|\bnicht\s+(?:fertig|abgeschlossen|erledigt|getestet)\b|\brest\s*:|\bes\s+bleib(?:t|en)\b|\bwartet\b|\bals\s+nächstes\b"
    r"|<input\b|\[\s{2,}\]|^[^\w\n]*(?:\(\s?\)|\[o\])\s|^[^\w\n]*next,|^[^\w\n]*blocked\W*:\s*(?!no\b|none|-|n/a)"
    r"|^[^\w\n]*(?:please\s+)?(?:delete|remove|drop|rotate|announce|tell|ask|clean\s+up)\s+\w"
    r"|\bnothing\s+\w+\s+is\s+left\b",
    re.IGNORECASE | re.MULTILINE,
)
"""Plans, parts of a whole, exceptions from it, and orders: doubtful whatever stands before them."""
_DOUBT = re.compile(r"[?~…☐⬜🔲⏳🚧❌✗✘]|\.\.\.")
_DENYING = re.compile(
    r"(?:\b(?:no|nothing|none|nichts|keine?[rnms]?|zero|without|never|neither)\b(?:\s+(?!and\b|but\b|or\b|und\b)\w+){0,3}"
    r"|(?:\b(?:not|nicht)\b|n't)(?:\s+(?!and\b|but\b|or\b|und\b)\w+)?)\s*$",
    re.IGNORECASE,
)
"""In front of a word for what is open: it says that nothing is."""


def open_items(body: str) -> Iterator[tuple[int, str]]:
    """(0-based line, its text) of all that is open or may be, each line once, in order.

    Unchecked boxes; whatever stands under or behind a title such as Next, Remaining or TODO, unless it is ticked or
    says that nothing is left; a `Gate: human` that is nowhere said to be passed; sentences such as "not yet".
    """
    lines = body.replace("’", "'").split("\n")
    headed = {at for at, line in enumerate(lines[:HEADER_LINES]) if (header_pair(line) or ("",))[0] == "status"}
    told = {*_boxes(lines), *_titled([line[:_LONGEST] for line in lines]), *_said(lines), *_gates(lines)} - headed
    told |= set(_doubtful_headers(lines))
    original = body.split("\n")
    yield from ((at, original[at].strip()) for at in sorted(told))


def _boxes(lines: list[str]) -> Iterator[int]:
    yield from (at for at, line in enumerate(lines) if _UNCHECKED.match(line))


def _titled(lines: list[str]) -> Iterator[int]:
    """A title's section ends at the next heading that is no deeper; what a label line begins, at a blank line too."""
    level, items, ticked = 0, 0, False
    for at, line in enumerate(lines):
        text, listed = _MARKS.sub("", line), _ITEM.match(line) is not None
        if (rest := _behind_title(text)) is not None:
            if rest and not _CHECKED.match(line) and not _NOTHING.fullmatch(rest):
                level, items = _heading(line) or level, 0
                yield at
        elif _is_title(text) and not (listed and level):
            level, items, ticked = _heading(line) or _LOOSE, 0, False
            if listed and not line.rstrip(" \t\r*_`").endswith(":"):
                yield at
        elif heading := _heading(line):
            level, ticked = 0 if heading <= level else level, False
        elif level >= _LABELLED and items and not listed and not lines[at - 1].strip():
            level = 0
        elif level and text:
            items += 1
            ticked = _CHECKED.match(line) is not None or (ticked and line[:1].isspace() and not listed)
            if not ticked and not _NOTHING.fullmatch(text):
                yield at


def _heading(line: str) -> int:
    """1..6 for as many hashes, 7 for a bold line and for a label alone on its line, 0 for any other."""
    hashes = _HASHES.match(line)
    if hashes:
        return len(hashes[1])
    return 7 if _BOLD.match(line) or _PLAIN.match(line) else 0


def _is_title(text: str) -> bool:
    return _TITLE.fullmatch(text) is not None


def _behind_title(text: str) -> str | None:
    """What follows a title and a colon or dash on one line; None where no title opens it."""
    label = _LABEL.match(text)
    if label is None or not _is_title(_MARKS.sub("", label[0])):
        return None
    rest = _MARKS.sub("", text[label.end() :])
    return None if rest.isdigit() else rest  # how many there are


def _said(lines: list[str]) -> Iterator[int]:
    kept = ["" if _is_no_sentence(line[:_LONGEST]) else _ADDRESS.sub("", line) for line in lines]
    starts, text = [0, *accumulate(len(line) + 1 for line in kept)], "\n".join(kept)
    for found in _SAID.finditer(text):
        before = re.split(r"[.!?:;]\s|\n\s*\n", text[max(0, found.start() - 80) : found.start()])[-1]
        clause = re.split(r"[.!?;\n]", text[found.start() : found.end() + 80], maxsplit=1)[0]
        nothing = _NOTHING.fullmatch(_MARKS.sub("", clause.partition(":")[2]))
        if not _DENYING.search(before) and not nothing:
            yield bisect_right(starts, found.start()) - 1
    yield from (bisect_right(starts, found.start()) - 1 for found in _MORE.finditer(text))


def _is_no_sentence(line: str) -> bool:
    text = _MARKS.sub("", line)
    in_header = (header_pair(line) or ("",))[0] in {"status", "gate"}
    return in_header or _CHECKED.match(line) is not None or _is_title(text) or _behind_title(text) == ""


def _doubtful_headers(lines: list[str]) -> Iterator[int]:
    """Status lines with a mark of doubt, and those that do not say what the first one does."""
    first = ""
    for at, line in enumerate(lines[:HEADER_LINES]):
        pair = header_pair(line)
        if pair and pair[0] == "status":
            first = first or normalise(pair[1])
            if _DOUBT.search(pair[1]) or normalise(pair[1]) != first:
                yield at


def _gates(lines: list[str]) -> Iterator[int]:
    """A gate that a person keeps is open until something says that it was passed."""
    passed = any(not _DENIED.search(one[0]) for one in _GATE.finditer("\n".join(lines)))
    for at, line in enumerate(lines[:HEADER_LINES]):
        pair = header_pair(line)
        if pair and pair[0] == "gate" and normalise(pair[1]) not in _NO_GATE and not passed:
            yield at
