"""Dates as people write them in an English or German sentence, and the last day each one takes in. Pure.

Only those with one reading: `03/04/2026` is two dates and counts as none.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date

_MONTHS = "january february march april may june july august september october november december".split()
_GERMAN = "januar februar märz april mai juni juli august september oktober november dezember".split()
_NAME = rf"\b(?:{'|'.join(_MONTHS)}|(?:{'|'.join(_GERMAN)})\b|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?)"
DATE = (
    rf"(?:\d{{4}}-\d\d-\d\d|\d{{4}}/\d\d/\d\d|\d\d?\.\d\d?\.\d{{4}}|\d{{4}}-Q[1-4]|Q[1-4](?:[ /-]\d{{4}})?|\d{{4}}-\d\d"
    rf"|\d\d?(?:st|nd|rd|th|\.)? (?:of )?{_NAME},? \d{{4}}|{_NAME} \d\d?(?:st|nd|rd|th)?,? \d{{4}}"
    rf"|(?:(?:the )?end of|ende) (?:{_NAME} )?\d{{4}}|{_NAME} \d{{4}})(?![\w-])"
)
"""A pattern without groups, for use with `re.IGNORECASE`."""
_NUMBERED = [(i, {one[:3], other[:3]}) for i, (one, other) in enumerate(zip(_MONTHS, _GERMAN, strict=True), 1)]
_PARTS = re.compile(rf"\d+|q[1-4]|{_NAME}")


def last_day(said: str, near: date | None = None) -> date | None:
    """The last day that a text matching `DATE` takes in, None where there is no such day.

    A quarter without a year is the first one that ends after `near`; without `near` it is None.
    """
    parts = _PARTS.findall(re.sub(r"(?<=\d)(?:st|nd|rd|th)\b|\bof\b|\bende?\b", " ", said.casefold()))
    try:
        return _last_day(parts, near)
    except ValueError:
        return None


def _last_day(parts: list[str], near: date | None) -> date | None:
    quarter = next((int(part[1]) for part in parts if part.startswith("q")), 0)
    named = next((i for part in parts for i, names in _NUMBERED if part[:3] in names), 0)
    numbers = [int(part) for part in parts if part.isdigit()]
    year = next((number for number in numbers if number > 31), None)
    others = [number for number in numbers if number <= 31]
    if quarter:
        return _end_of(year, quarter * 3) if year else _first_after(near, quarter * 3)
    if year is None:
        return None
    if named:
        return date(year, named, others[0]) if others else _end_of(year, named)
    if len(others) == 2:
        month, day = others if numbers[0] == year else others[::-1]
        return date(year, month, day)
    return _end_of(year, others[0] if others else 12)


def _first_after(near: date | None, month: int) -> date | None:
    if near is None:
        return None
    return next((end for year in (near.year, near.year + 1) if (end := _end_of(year, month)) >= near), None)


def _end_of(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1]) if 1 <= month <= 12 else date(year, month, 1)
