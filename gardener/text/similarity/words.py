"""Turns text into comparable words: folds spelling away and keeps every difference that can carry meaning."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import chain

HARMLESS = frozenset(
    "a an the please also just really very simply actually basically own so thus hence then and & such".split()
)
"""Words whose presence or absence never changes what is claimed: dropped before two texts are compared."""

FUNCTION = frozenset(
    """about above across after against all along among an any are around as at be because been before being below
    between both but by can could did do does during each either every few for from further had has have having he her
    here him his how i if in into is it its itself let may me might more most my near of off on once onto or other
    our out over own per same she should since some than that their them there these they this those through to
    too toward under until up upon us via was we were what when where whether which while who whom whose why will with
    within would yet you your note see eg ie etc vs""".split()
)
"""Words that hold a sentence together: they count for order and polarity, hardly for coverage."""

_MARKS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201b\u02bc", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2212", "-"),
        **dict.fromkeys("\u2013\u2014\u2015", " "),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f", None),
        **dict.fromkeys("\u2713\u2714\u2705\u2611", "\u2713"),
        **dict.fromkeys("\u2717\u2718\u274c\u274e", "\u2717"),
        "\u2264": "<=",
        "\u2265": ">=",
        "\u2260": "!=",
        "\u2192": "->",
    }
)
_WIKI = re.compile(r"\[\[([^\[\]|#\n]+)(?:#[^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\(([^()\s]*)(?:\s+\"[^\"\n]*\")?\)")
_CONTRACTED = re.compile(r"\b(ca|wo|sha)n't\b|\bcannot\b|\b(\w+)n't\b")
_WHOLE = {"ca": "can not", "wo": "will not", "sha": "shall not", None: "can not"}
_EMPHASIS = re.compile(r"(?<![\w*/.\\])\*{1,3}(?=[\w\"'`(\[~#])|(?<=[\w.!?,;:)\]\"'`%~])\*{1,3}(?![\w*.])")
_STRUCK = re.compile(r"~~([^~]+)~~")
_GAPS = re.compile(r"\s+")
_STATES = re.compile(r"(?<![\w.-])US(?![\w.-]\w|-)(?!\s[A-Z]{2})")
"""The country, which in small letters would be a pronoun; beside another word in capitals it may be one."""

TOKEN = re.compile(
    r"""
      (?P<url>https?://[^\s<>"')\]]*[^\s<>"')\].,;:!?])
    | (?P<date>\d{4}-\d{2}(?:-\d{2})?(?:t\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:z|[+-]\d{2}:?\d{2})?)?(?![\w-])
        | \d{1,2}/\d{1,2}/\d{2,4})
    | (?P<host>(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?::\d{1,5})?|[a-z][\w-]*(?:\.[\w-]+)*:\d{2,5}(?![\w:]))
    | (?P<time>\d{1,2}:\d{2}(?::\d{2})?(?:[ap]m\b)?)
    | (?P<version>\bv\d+(?:\.\d+)*(?:-[\w.]+)?\b|\b\d+\.\d+\.\d+(?:[-.][\w.]+)?\b)
    | (?P<hash>\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])(?:[0-9a-f]{7,40})\b
        | \b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b)
    | (?P<ident>\#\d+\b|\b[a-z]{2,10}-\d+\b)
    | (?P<path>(?<![\w/])(?:~|\.{1,2})?/[\w.@*-]+(?:/[\w.@*-]+)*/?|\b[\w.@-]+(?:/[\w.@*-]+)+/?(?<!\.))
    | (?P<flag>(?<![\w-])--[a-z][\w-]*)
    | (?P<number>(?<![\w.])[-+]?\d+(?:[.,]\d+)*(?![\w]*_)%?|\d+)
    | (?P<name>\w+(?:\.\w+)+|\w*[^\W_]_\w+)
    | (?P<word>[^\W\d_](?:[^\W_])*(?:'[a-z]+)?)
    | (?P<sign>[<>=!]=+|=>|->|&&|\|\||[<>\u2713\u2717\u2610])
    """,
    re.VERBOSE,
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f]")
_DIGITS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100", "thousand": "1000"}
_UNITS = {
    unit: short
    for short, units in {
        "ms": "ms msec msecs millisecond milliseconds",
        "sec": "s sec secs second seconds",
        "min": "min mins minute minutes",
        "hour": "h hr hrs hour hours",
        "day": "d day days",
        "%": "% percent",
        "kb": "kb kib kilobyte kilobytes",
        "mb": "mb mib megabyte megabytes",
        "gb": "gb gib gigabyte gigabytes",
    }.items()
    for unit in units.split()
}
_SAME = {
    "favour": "prefer",
    "favor": "prefer",
    "used": "use",
    "using": "use",
    "utilize": "use",
    "utilise": "use",
    "whilst": "while",
    "multiple": "several",
    "repo": "repository",
    "config": "configuration",
    "docs": "documentation",
    "dir": "directory",
    "ok": "fine",
    "okay": "fine",
    "e.g": "eg",
    "i.e": "ie",
}
_DIGIT = re.compile(r"\d")
_SPLIT_UNIT = re.compile(
    r"(?<![\w.])(\d+(?:[.,]\d+)*)(ms|secs?|s|mins?|hrs?|h|d|days?|kib|kb|mib|mb|gib|gb|k|x|px|rem|em)\b"
)


LONGEST = 200
"""Characters without a space from which on a piece of text is only cut into words: no value is that long."""
_PLAIN = re.compile(r"[^\W_]+")


def fold(text: str) -> str:
    """Spelling folded away: case, quotes, dashes, emphasis, link syntax, contractions, white space."""
    text = _STATES.sub("usa", text) if "US" in text else text
    text = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).translate(_MARKS).casefold()
    text = _WIKI.sub(r"\1", text) if "[[" in text else text
    text = _LINK.sub(r"\1 \2 ", text) if "](" in text else text
    text = _CONTRACTED.sub(_spell_out, text) if "n't" in text or "cannot" in text else text
    text = _STRUCK.sub("\u2717 \\1", text) if "~~" in text else text
    text = _EMPHASIS.sub("", text) if "*" in text else text
    return _GAPS.sub(" ", text.replace("`", "")).strip()


def tokens(folded: str) -> tuple[str, ...]:
    """The comparable words of folded text in order, inflection folded, harmless words dropped."""
    if not folded.isascii():
        folded = _CJK.sub(r" \g<0> ", folded)
    if _DIGIT.search(folded):
        folded = _SPLIT_UNIT.sub(r"\1 \2", folded)
    return tuple(chain.from_iterable(_chunk(c) if len(c) <= LONGEST else _PLAIN.findall(c) for c in folded.split()))


def kind_of(token: str) -> str:
    """The kind of value a token is (number, date, host, path …), or "" for an ordinary word."""
    return _kind(token)


def is_content(token: str) -> bool:
    return token not in FUNCTION


def weight(token: str) -> float:
    """What a token counts for in coverage: a function word a fifth of any other."""
    return 0.2 if token in FUNCTION else 1.0


def squeezed(text: str) -> str:
    """Letters and digits only, so that `Next.js`, `next-js` and `nextjs` are one."""
    return "".join(ch for ch in unicodedata.normalize("NFKC", text).casefold() if ch.isalnum())


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """A light stemmer: plural, -ing, -ed and a final e. Deliberately weaker than Porter's: it never merges roots."""
    if len(word) <= 3 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "xes", "ches", "shes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for suffix, least in (("ing", 6), ("ed", 5)):
        if word.endswith(suffix) and len(word) >= least:
            word = word[: -len(suffix)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def _spell_out(match: re.Match[str]) -> str:
    return f"{match.group(2)} not" if match.group(2) else _WHOLE[match.group(1)]


@lru_cache(maxsize=1 << 17)
def _chunk(chunk: str) -> tuple[str, ...]:
    """The tokens between two spaces; nearly every chunk was seen before, so most text costs one look-up a word."""
    plain = chunk.strip('.,;:()"!?')
    if plain.isalpha():
        word = _canonical(plain, "word")
        return (word,) if word else ()
    return tuple(word for match in TOKEN.finditer(chunk) if (word := _canonical(match[0], match.lastgroup or "")))


def _canonical(text: str, kind: str) -> str:
    if kind == "number":
        return text.lstrip("+").replace(",", "").removesuffix("%") or text
    if kind != "word":
        return text.strip("._") if kind == "name" else text.rstrip("/") if kind in {"url", "path"} else text
    text = text.split("'")[0]
    if text in HARMLESS:
        return ""
    text = _SAME.get(text, text)
    return _DIGITS.get(text) or _UNITS.get(text) or (text if text in FUNCTION else stem(text))


@lru_cache(maxsize=1 << 16)
def _kind(token: str) -> str:
    match = TOKEN.fullmatch(token)
    kind = match.lastgroup if match else ""
    return "" if kind in {"word", "sign", None} else kind or ""
