"""How to show where two memories are at odds: the differing words marked, the sentences that come nearest."""

from __future__ import annotations

import re

from rapidfuzz.distance import Levenshtein

from gardener.model.memory import Memory
from gardener.text.similarity.align import Text
from gardener.text.similarity.sentences import Sentence
from gardener.text.similarity.words import fold


def marked(text: str, against: str) -> str:
    """The sentence with the words that the other does not have set between « and »."""
    ours, theirs = text.split(), against.split()
    keys = [[fold(word).strip(".,;:()\"'") for word in words] for words in (ours, theirs)]
    out = list(ours)
    for step in Levenshtein.opcodes(keys[0], keys[1]):
        start, end = step.src_start, step.src_end
        if step.tag != "equal" and end > start:
            out[start] = "«" + out[start]
            bare = out[end - 1].rstrip(".,;:")
            out[end - 1] = f"{bare}»{out[end - 1][len(bare) :]}"
    return " ".join(out)


def differing(text: str, against: str) -> str:
    """Only the marked words of a sentence, for a title."""
    return " … ".join(re.findall(r"«([^«»]+)»", marked(text, against)))[:60]


def nearest_sentences(a: Text, b: Text) -> tuple[Sentence, Sentence] | None:
    """The two sentences that share most words: what to show where nothing is literally disputed."""
    best: tuple[float, int, int] = (0.0, 0, 0)
    for i, one in enumerate(a.sentences[:200]):
        for j in {place for token in one.content for place in b.index.get(token, ())[:20]}:
            other = b.sentences[j].content
            shared = len(one.content & other)
            best = max(best, (shared / (len(one.content | other) or 1) * min(shared, 6), -i, -j))
    return (a.sentences[-best[1]], b.sentences[-best[2]]) if best[0] else None


def each_line(memory: Memory, sentence: Sentence) -> int | None:
    """The file line of a sentence of the body; None for the description."""
    return memory.body_line + sentence.line if sentence.line >= 0 else memory.lines.get("description")
