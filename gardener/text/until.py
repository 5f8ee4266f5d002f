"""Claims that say themselves until when they hold, in English and German: the date that ends each. Pure."""

from __future__ import annotations

import re

from gardener.text.dates import DATE

_DAY = rf"[ \t]*[:=]?[ \t*_`~]*(?:about |at least |around )?({DATE})"
_CLOSED = (
    r"(?=[*_`~]*(?:[.,;!?)\]]|:(?=\s|$)|\s+[—–-]\s|\s*$"
    r"|\s+(?:in|at|for|by|with|because|when|while|if|unless|so|but|alone|only|and then)\b"
)
_END = rf"{_CLOSED}|\s+and\b))"
_LIMIT = rf"{_CLOSED}))"
"""Behind a date that ends its claim: one before a noun or a verb says which things are meant, not until when."""
_EXPLICIT = (
    r"\b(?:expires?|expir(?:y|ation)(?: date)?|deadline)\b(?: is)?"
    rf"(?:[^.\n]{{0,40}}?\b(?:on|at|by|in|until|for)\b)?{_DAY}{_END}"
    rf"|\b(?:valid|good|in force|holds?|applies)(?: only)? (?:until|till|through|for)\b{_DAY}{_END}"
    rf"|\b(?:frozen|freeze|embargo\w*)\b[^.\n]{{0,40}}?\b(?:until|till|through|for)\b{_DAY}{_END}"
)
_TERM = (
    r"\b(?:beta|trial|pilot|promo(?:tion)?|discount|sale|offer|campaign|coupon|voucher|contract|lease|licen[cs]e"
    r"|subscription|certificate|freeze|moratorium|sprint|season|warranty|guarantee|probation|experiment)s?\b"
)
"""What is agreed for a time: such a thing ends, where a log or an export only reaches until a day."""
_ENDS = (
    rf"\bruns? out(?: on| in| at)?{_DAY}{_END}"
    rf"|{_TERM}[^.\n]{{0,30}}?\b(?:(?:runs?|lasts?|is open|(?<=[^s])) (?:until|till|through)"
    rf"|(?:ends?|stops?|closes?|lapses?)(?: on| in| at)?){_DAY}{_END}"
)
_GERMAN_END = rf"(?:{_END}|(?=\s+(?:ab|aus|wegen|weil|da|und|im|in|für|bei|mit|keine?|nur|nicht)\b))"
_GERMAN = (
    r"\b(?:gültig|gueltig|gilt|gelten|befristet|gesperrt|eingefroren|läuft|laeuft)\b[^.\n]{0,30}?\bbis\b(?: zum)?"
    rf"{_DAY}{_GERMAN_END}|\b(?:endet|enden|verfällt|verfallen|läuft|laeuft)\b[^.\n]{{0,30}}?\b(?:am|zum)\b{_DAY}{_GERMAN_END}"
    rf"|^\W*bis\b(?: zum)?{_DAY}\W+(?:keine?|nur|bleib\w*|gilt|gelten|ist|sind|darf|dürfen|bitte|noch)\b"
    rf"|\b(?:keine?|nur|nicht)\b[^.\n]{{0,60}}?\bbis\b(?: zum)?{_DAY}{_GERMAN_END}"
)
_UNTIL = (
    r"(?:\b(?:no|not|never|only|do|don't|use|keep|wait|avoid|skip|leave|stays?|works?|remains?|is|are|must|may|can"
    r"|temporar\w+)\b|[*_:])[^.\n]{0,200}"
    rf"(?<!\brows )(?<!\brecords )(?<!\bentries )(?<!\bdata )\b(?:until|till)\b{_DAY}{_LIMIT}|^\W*until\b{_DAY}"
)
_PLANNED = (
    rf"\b(?:is|are|be) (?:scheduled|planned|slated|due|set)\b[^.\n]{{0,60}}?\b(?:for|on|by|in|until)\b{_DAY}{_END}"
    r"|\b(?:takes? place|upcoming|will (?:be|end|stop|close|move|go|change|start|begin|launch|open|switch|become))\b"
    rf"[^.\n]{{0,60}}?\b(?:on|by|in|until)\b{_DAY}{_END}"
)
_DUE = rf"\b(?:due|by|before|deadline|until|till)\b(?: on| is)?{_DAY}"
_PATTERNS = {
    name: tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
    for name, patterns in {
        "todo": (_DUE, _EXPLICIT, _ENDS, _GERMAN),
        "event": (_PLANNED,),
        "observation": (_PLANNED,),
        "stage": (),
        "": (_EXPLICIT, _ENDS, _GERMAN, _UNTIL, _PLANNED),
    }.items()
}
SENTENCE = re.compile(r"(?<=[.!?;])\s+(?!(?<=\d\.\s)(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)[a-z]* \d{4})")
_TOLD = re.compile(
    r"\b(?:was|were|had|did|been|used to|ran|held|kept|went|took|wrote|broke|came|got|made|said|lost|found|stood)\b"
    r"|\b(?:war|waren|wurden?|hatten?|gab|lief|liefen|galt|galten|kam|ging|blieb)\b"
    r"|\b(?P<before>\w+) (?P<verb>\w+[^\We]ed)\b",
    re.IGNORECASE,
)
_PASSIVE = frozenset("is are be being stay stays remain remains not a an the all any our this that and or".split())
_LASTING = re.compile(r"\b(?:end[ -]of[ -]life|eol|lts|sunset\w*|support\w*|maintain\w*)\b", re.IGNORECASE)
"""What is told of a product's life stays true, and matters more, when the day has passed."""
_STAGED = re.compile(
    r"\b(?:in|of|for|from) (?:(?:the|an?|our|its|this|that) )?(?:\w+ )?(?:examples?|fixtures?|samples?|mocks?"
    r"|beispiel\w*)\b"
    r"|\b(?:example|fixture|sample|mock|test) (?:data|files?|rows?|rates?|records?|values?|cases?|sets?)\b"
    r"|`[^`]{0,80}\b(?:tests?|fixtures?|examples?|samples?)/[^`]{0,80}`",
    re.IGNORECASE,
)
"""A date in what is only made up for a test has to stay."""
_AWAY = re.compile(
    r"\b(?:holidays?|vacation|leave|away|absent|out of office|urlaub|abwesend)\b"
    rf".{{0,80}}?{DATE}\W+(?:until|till|to|bis|through)\b",
    re.IGNORECASE,
)
"""Somebody's days off: what is told for that time may be worth a look, not the question whether it still holds."""
_LONGEST = 2_000
"""Characters; what is longer is no sentence that anybody wrote, and would take long to look through."""


def dated_claim(sentence: str, kind: str) -> str:
    """The date of a claim that still stands, "" where the sentence makes none or tells of the past.

    What counts depends on the memory's `kind`: a todo is due, an event is planned, a stage has a status instead.
    """
    if len(sentence) > _LONGEST:
        return ""
    for pattern in _PATTERNS.get(kind, _PATTERNS[""]):
        found = pattern.search(sentence)
        if found and not any((_is_told(sentence), _LASTING.search(sentence), _STAGED.search(sentence))):
            return str(next(filter(None, found.groups())))
    return ""


def _is_told(sentence: str) -> bool:
    return any(not told["verb"] or told["before"].casefold() not in _PASSIVE for told in _TOLD.finditer(sentence))


def is_time_off(sentence: str) -> bool:
    """Whether a sentence gives the days on which somebody is away."""
    return _AWAY.search(sentence) is not None
