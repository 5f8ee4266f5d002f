"""Fits the coefficients of the score on labelled pairs: `python -m tests.benchmarks.train DATA [--write]`.

Logistic regression with every sign fixed in advance, drawn towards a prior, scaled so that its operating point is 0.9
and a pair with every feature at 1 scores 1. Reported leaving one store out: fitted and thresholded on the others.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from gardener.model.memory import Memory
from gardener.model.snapshot import Snapshot
from gardener.text.similarity.pairs import compare
from gardener.text.similarity.score import NAMES
from tests.benchmarks import families, material

PRIOR = (0.5, 5.0, 3.0, 5.0, -5.0)
"""Weights believed in before any data, in log odds: proof and standing out before plain coverage."""
SIGNS = (1, 1, 1, 1, -1)
PENALTY = 0.02
FAMILIES = 4
TABLE = Path(__file__).parents[2] / "gardener/text/similarity/coefficients.py"
HEAD = '"""What a feature adds to the score of a pair. Written by `python -m tests.benchmarks.train`, not by hand."""'


@dataclass(frozen=True)
class Row:
    store: str
    features: tuple[float, ...]
    same: bool
    eligible: bool


def rows(data: Path) -> list[Row]:
    """Aligned pairs of every store, and of every store with first and last versions of edited memories side by side."""
    stores = material.stores(data)
    labels = {row.key: row.label for row in material.labelled(data)}
    found = [row for store, members in stores.items() for row in _rows(store, members, labels)]
    for store, members, truth in aged(data, stores):
        labels_too = labels | dict.fromkeys(truth, "dup")
        found += _rows(store, members, labels_too, only=truth)
    for seed in range(FAMILIES):
        store, members, same = families.family(seed)
        found += _rows(store, members, dict.fromkeys(same, "dup"))
    return found


def aged(
    data: Path, stores: dict[str, tuple[Memory, ...]]
) -> list[tuple[str, tuple[Memory, ...], set[tuple[str, str]]]]:
    """Per store with edited memories: its memories with both versions of those, and the pairs of versions."""
    by_store = defaultdict(list)
    for one in material.edited(data, stores):
        by_store[material.store_of(one.path)].append(one)
    found = []
    for store, edits in sorted(by_store.items()):
        replaced = {one.path for one in edits}
        kept = tuple(memory for memory in stores[store] if memory.path not in replaced)
        both = tuple(version for one in edits for version in (one.first, one.last))
        found.append((store, kept + both, {tuple(sorted((one.first.path, one.last.path))) for one in edits}))
    return found


def _rows(
    store: str, members: Sequence[Memory], labels: dict[tuple[str, str], str], only: set[tuple[str, str]] | None = None
) -> list[Row]:
    found = []
    for pair in compare(Snapshot(memories=tuple(members))).pairs:
        key = (pair.a, pair.b)
        if pair.judgement is None or (only is not None and key not in only):
            continue
        label = labels.get(key) or ("dup" if material.copies(*key) else "")
        eligible = pair.verdict in {"duplicate", "contained"}
        found.append(Row(store, tuple(pair.features), label == "dup", eligible))
    return found


def fit(rows: Sequence[Row]) -> tuple[float, np.ndarray]:
    """Intercept and weights of a logistic regression, drawn towards `PRIOR`; both classes weigh the same."""
    x = np.array([row.features for row in rows])
    y = np.array([row.same for row in rows], float)
    weight = np.where(y > 0, 0.5 / max(y.sum(), 1), 0.5 / max((1 - y).sum(), 1))

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        z = theta[0] + x @ theta[1:]
        p = 1 / (1 + np.exp(-z))
        away = theta[1:] - PRIOR
        value = float(np.sum(weight * (np.logaddexp(0, z) - y * z)) + PENALTY * np.sum(away**2) / 2)
        return value, np.concatenate([[np.sum(weight * (p - y))], x.T @ (weight * (p - y)) + PENALTY * away])

    bounds = [(None, None), *((0, None) if sign > 0 else (None, 0) for sign in SIGNS)]
    best = minimize(loss, np.zeros(x.shape[1] + 1), jac=True, bounds=bounds, method="L-BFGS-B").x
    return float(best[0]), best[1:]


def operating_point(rows: Sequence[Row], start: float, weights: np.ndarray) -> float:
    """Half way between the best pair that is not the same and the next better one that is."""
    scored = sorted((start + float(np.dot(weights, row.features)), row.same) for row in rows if row.eligible)
    worst = max((z for z, same in scored if not same), default=scored[0][0])
    return (worst + min((z for z, same in scored if same and z > worst), default=worst)) / 2


def scaled(start: float, weights: np.ndarray, point: float) -> tuple[float, list[float]]:
    """The same line with 0.9 at the operating point and 1 where every positive feature is 1."""
    full = start + float(weights[weights > 0].sum())
    unit = 0.1 / (full - point)
    return round(0.9 + (start - point) * unit, 4), [round(float(weight) * unit, 4) for weight in weights]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    found = rows(options.data)
    print(f"{len(found)} pairs, {sum(row.same for row in found)} of them the same")
    right = wrong = missed = 0
    for store in sorted({row.store for row in found}):
        rest, held = ([row for row in found if (row.store == store) is side] for side in (False, True))
        start, weights = fit(rest)
        point = operating_point(rest, start, weights)
        over = [row for row in held if row.eligible and start + float(np.dot(weights, row.features)) >= point]
        same = sum(row.same for row in over)
        right, wrong, missed = right + same, wrong + len(over) - same, missed + sum(row.same for row in held) - same
        print(f"  without {store:28} {len(over):3} over the bar of {len(held):3}, wrong {len(over) - same}")
    print(f"leaving one store out: right {right}, wrong {wrong}, missed {missed}")
    start, weights = fit(found)
    table = scaled(start, weights, operating_point(found, start, weights))
    for name, weight in zip(("to start with", *NAMES), (table[0], *table[1]), strict=True):
        print(f"  {weight:+.4f}  {name}")
    if options.write:
        TABLE.write_text(f"{HEAD}\n\nSTART = {table[0]}\nWEIGHTS = {tuple(table[1])}\n", "utf-8")


if __name__ == "__main__":
    main()
