"""Whether a text is English: what word lists of English may judge. Pure."""

from __future__ import annotations

import re

_COMMON = frozenset("the a an is are was were to of and in for on with that this it not be by as at or from".split())
ENOUGH = 8
"""Words below which nothing is known of a text's language."""


def is_english(text: str, enough: int = ENOUGH) -> bool:
    """Whether at least one word in twelve is one of the commonest of English; never with fewer words than `enough`."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    return len(words) >= enough and sum(map(_COMMON.__contains__, words)) * 12 >= len(words)
