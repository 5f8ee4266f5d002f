"""Dates as people write them."""

import re
from datetime import date

import pytest

from gardener.text.dates import DATE, last_day

READ = re.compile(DATE, re.IGNORECASE)


@pytest.mark.parametrize(
    ("said", "last"),
    [
        ("2026-06-30", date(2026, 6, 30)),
        ("2026/06/30", date(2026, 6, 30)),
        ("30.06.2026", date(2026, 6, 30)),
        ("30 June 2026", date(2026, 6, 30)),
        ("1st of June, 2026", date(2026, 6, 1)),
        ("June 3rd, 2026", date(2026, 6, 3)),
        ("Feb. 2028", date(2028, 2, 29)),
        ("June 2026", date(2026, 6, 30)),
        ("end of May 2026", date(2026, 5, 31)),
        ("the end of 2026", date(2026, 12, 31)),
        ("3. März 2026", date(2026, 3, 3)),
        ("31. Oktober 2026", date(2026, 10, 31)),
        ("Ende Mai 2026", date(2026, 5, 31)),
        ("Dezember 2026", date(2026, 12, 31)),
        ("2026-06", date(2026, 6, 30)),
        ("2026-Q1", date(2026, 3, 31)),
        ("Q4 2026", date(2026, 12, 31)),
        ("Q2/2026", date(2026, 6, 30)),
        ("2026-02-30", None),
        ("2026-13", None),
    ],
)
def test_the_last_day(said: str, last: date | None) -> None:
    found = READ.search(f"valid until {said}.")
    assert found is not None
    assert found.group() == said
    assert last_day(said) == last


def test_a_quarter_without_a_year_is_the_next_one_to_end() -> None:
    assert last_day("Q3") is None
    assert last_day("Q3", date(2026, 5, 1)) == date(2026, 9, 30)
    assert last_day("Q1", date(2026, 5, 1)) == date(2027, 3, 31)


@pytest.mark.parametrize(
    "text", ["06/07/2026", "version 2026-06-30-rc1", "in 2026", "1.2.3", "Q5 2026", "maybe 12", "decide 2026"]
)
def test_what_has_no_one_reading(text: str) -> None:
    assert READ.search(text) is None
