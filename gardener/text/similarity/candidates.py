"""Which memories of one scope are worth comparing: nearest neighbours by word TF-IDF, taken by rank from both sides.

Words are cut and counted over bytes, which costs about what reading the file costs; the product keeps only the
nearest few of each row. Nothing here decides anything: it only spares the verifier the pairs that cannot matter.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import scipy.sparse as sp

NEAREST = 5
"""Neighbours taken from each side: 96 % of labelled duplicates are among the 3 nearest of one side."""
HORIZON = 12
"""Neighbours that say how near a memory's others usually are, against which a pair has to stand out."""
WORK = 2000
"""Multiplications allowed per memory^1.25: the commonest terms of a scope are dropped beyond it."""
LONGEST = 200_000
"""Bytes of one memory that are read for its terms."""

_SPACE = b" "
_WORDS = bytes(
    code if chr(code).isalnum() and code < 128 else code if code >= 128 else 32 for code in range(256)
).lower()
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")


def terms(text: bytes) -> list[bytes]:
    """The words of a text as folded bytes; scripts without spaces are cut into characters."""
    text = text[:LONGEST]
    if not text.isascii():
        folded = text.decode("utf-8", "replace").casefold()
        text = _WIDE.sub(r" \g<0> ", folded).encode("utf-8", "replace")
    return text.translate(_WORDS).split()


class Counts:
    """Term counts of some texts over a vocabulary that may go on growing in a copy."""

    def __init__(self, start: Counts | None = None) -> None:
        self.vocabulary: defaultdict[bytes, int] = defaultdict(None, start.vocabulary if start else {})
        self.vocabulary.default_factory = self.vocabulary.__len__
        self.columns: list[Any] = list(start.columns) if start else []
        self.values: list[Any] = list(start.values) if start else []
        self.signatures: list[int] = list(start.signatures) if start else []

    def add(self, texts: Iterable[tuple[bytes, bytes]]) -> Counts:
        """Counts (name, text) pairs; a signature is equal for texts of equal words in equal order, 0 for none."""
        import numpy as np

        look_up = self.vocabulary.__getitem__
        for name, text in texts:
            said = terms(text)
            self.signatures.append(hash(b" ".join(said)) if said else 0)
            counted = Counter(said)
            counted.update(terms(name))
            self.columns.append(np.fromiter(map(look_up, counted), np.int32, len(counted)))
            self.values.append(np.fromiter(counted.values(), np.float32, len(counted)))
        return self

    def matrix(self) -> sp.csr_matrix:
        import numpy as np
        import scipy.sparse as sp

        ends = np.cumsum([0, *map(len, self.columns)])
        shape = (len(self.columns), max(len(self.vocabulary), 1))
        joined = (
            np.concatenate([np.zeros(0, kind), *parts])
            for kind, parts in ((np.float32, self.values), (np.int32, self.columns))
        )
        return sp.csr_matrix((*joined, ends), shape=shape)


@dataclass(frozen=True, slots=True)
class Near:
    """A pair worth a look. `a` < `b` are positions; `rank` 0 = nearest of one side; `stands_out` in standard deviations
    of both sides' other neighbours together; `held` the idf-weighted share of a's terms in b, and of b's in a."""

    a: int
    b: int
    cosine: float
    rank: int
    stands_out: float
    held: tuple[float, float]


def nearest(
    counts: Counts,
    own: int,
    named: Set[tuple[int, int]] = frozenset(),
    hinted: Set[tuple[int, int]] = frozenset(),
    left_out: Set[int] = frozenset(),
) -> list[Near]:
    """Pairs of texts near each other, best first. The last `own` rows are the scope's; two earlier ones never pair.

    `named` pairs (a < b) are measured and kept whatever their rank, `hinted` ones within the horizon of either side.
    Rows `left_out` are repeats of others: they take no place among anyone's neighbours.
    """
    import numpy as np

    total = len(counts.columns)
    if total < 2 or own < 1:
        return []
    weighted, idf = _weigh(counts.matrix(), left_out)
    if not weighted.shape[1]:
        return []
    neighbours = _neighbours(weighted, total - own)
    pairs = _ranked(neighbours, total - own, hinted)
    for one in sorted(named):
        pairs.setdefault(one, HORIZON)
    if not pairs:
        return []
    left, right = (np.fromiter((pair[side] for pair in pairs), np.int64, len(pairs)) for side in (0, 1))
    cosine, held = _measure(weighted, idf, left, right)
    usual = _usual(neighbours)
    out = sum((cosine - usual[side, 0]) / usual[side, 1] for side in (left, right))
    found = [
        Near(int(a), int(b), float(c), rank, float(z), (float(h), float(i)))
        for a, b, c, rank, z, h, i in zip(left, right, cosine, pairs.values(), out, held[0], held[1], strict=True)
    ]
    return sorted(found, key=lambda near: (-near.stands_out, near.a, near.b))


def _weigh(counts: sp.csr_matrix, left_out: Set[int]) -> tuple[sp.csr_matrix, np.ndarray]:
    """TF-IDF rows (sublinear, length 1) without the commonest terms, and the idf of the terms left (0 for a term
    that every row has)."""
    import numpy as np
    import scipy.sparse as sp
    from sklearn.feature_extraction.text import TfidfTransformer

    if left_out:
        stays = np.ones(counts.shape[0], np.float32)
        stays[list(left_out)] = 0
        counts = sp.diags(stays, dtype=np.float32) @ counts
        counts.eliminate_zeros()
    spread = np.bincount(counts.indices, minlength=counts.shape[1]).astype(np.int64)
    order = np.argsort(spread, kind="stable")
    work = np.cumsum(spread[order] ** 2)
    kept = order[(work <= WORK * counts.shape[0] ** 1.25) & (spread[order] > 1)]
    counts = counts[:, np.sort(kept)]
    if not len(kept):
        return counts, np.zeros(0)
    weigher = TfidfTransformer(sublinear_tf=True)
    return weigher.fit_transform(counts).astype(np.float32).tocsr(), weigher.idf_ - 1.0


def _neighbours(weighted: sp.csr_matrix, shared: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Per row the nearest others (columns, cosines), nearest first. Shared rows are compared with own rows only."""
    from sparse_dot_topn import sp_matmul_topn

    across = weighted.T.tocsr()
    mine = sp_matmul_topn(weighted[shared:], across, top_n=HORIZON + 1, sort=True)
    found = [(mine.indices[s:e], mine.data[s:e]) for s, e in zip(mine.indptr, mine.indptr[1:], strict=False)]
    if not shared:
        return found
    theirs = sp_matmul_topn(weighted[:shared], weighted[shared:].T.tocsr(), top_n=HORIZON, sort=True)
    ends = zip(theirs.indptr, theirs.indptr[1:], strict=False)
    return [(theirs.indices[s:e] + shared, theirs.data[s:e]) for s, e in ends] + found


def _ranked(
    neighbours: Sequence[tuple[np.ndarray, np.ndarray]], shared: int, hinted: Set[tuple[int, int]]
) -> dict[tuple[int, int], int]:
    """Pair -> its better rank, for every pair among the nearest of one side, or hinted and not far beyond."""
    ranks: dict[tuple[int, int], int] = {}
    for row, (columns, _) in enumerate(neighbours):
        others = [column for column in columns.tolist() if column != row]
        for rank, other in enumerate(others):
            pair = (row, other) if row < other else (other, row)
            if pair[1] >= shared and (rank < NEAREST or pair in hinted):
                ranks[pair] = min(rank, ranks.get(pair, rank))
    return ranks


def _usual(neighbours: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Mean and spread of each row's cosines beyond its two nearest: shape (rows, 2)."""
    import numpy as np

    table = np.zeros((len(neighbours), HORIZON), np.float32)
    for row, (columns, cosines) in enumerate(neighbours):
        others = cosines[columns != row][:HORIZON]
        table[row, : len(others)] = others
    rest = table[:, 2:]
    return np.stack([rest.mean(axis=1), rest.std(axis=1) + 0.02], axis=1)


def _measure(
    weighted: sp.csr_matrix, idf: np.ndarray, left: np.ndarray, right: np.ndarray
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Cosine of each pair, and the idf-weighted share of each one's terms that the other has."""
    import numpy as np

    present = weighted.copy()
    present.data = np.ones_like(present.data)
    mass = present @ idf + 1e-9
    cosine = np.zeros(len(left), np.float32)
    common = np.zeros(len(left))
    for start in range(0, len(left), 4096):
        part = slice(start, start + 4096)
        cosine[part] = np.asarray(weighted[left[part]].multiply(weighted[right[part]]).sum(axis=1)).ravel()
        common[part] = present[left[part]].multiply(present[right[part]]) @ idf
    return cosine, (common / mass[left], common / mass[right])
