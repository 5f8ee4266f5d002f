"""What the similarity core reaches on the measuring material: `python -m tests.benchmarks.pairs DATA [--held-out]`.

Prints one line a measure with its denominator. `--held-out` adds the product and bibliography records, which nothing
was tuned on. The coefficients were fitted on these stores: `tests.benchmarks.train` prints the same leaving one out.
"""

from __future__ import annotations

import argparse
import re
import tarfile
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from gardener.model.finding import Finding
from gardener.model.memory import Memory
from gardener.model.snapshot import Answer, Snapshot
from gardener.passes.conflict import ConflictSettings
from gardener.passes.conflict import find as find_conflicts
from gardener.passes.dedup import DedupSettings
from gardener.passes.dedup import find as find_copies
from gardener.text.similarity.align import Text
from gardener.text.similarity.pairs import compare
from gardener.text.similarity.subject import Subject
from gardener.text.similarity.verify import verify
from tests.benchmarks import material
from tests.benchmarks.families import family
from tests.benchmarks.train import aged

NOW = datetime(2026, 9, 1, tzinfo=UTC)
WORDS = {"dup": "same", "superseded": "supersedes", "related": "related", "template": "different"}
BAR = DedupSettings().bar


def found(snapshot: Snapshot) -> tuple[list[Finding], list[Finding]]:
    return (
        list(find_copies(snapshot, DedupSettings(), NOW)),
        list(find_conflicts(snapshot, ConflictSettings(), NOW)),
    )


def names(findings: Sequence[Finding], a: str, b: str) -> bool:
    return any(a in one.subjects and b in one.subjects for one in findings)


def line(what: str, got: float, of: float, want: str = "") -> None:
    print(f"{what:74} {got:6g} of {of:6g}   {got / of if of else 0:5.3f}   {want}")


def labelled_pairs(stores: dict[str, tuple[Memory, ...]], labels: Sequence[material.Labelled]) -> None:
    """Each labelled pair inside its whole store, without a judge."""
    hits: Counter[str] = Counter()
    totals = Counter(row.label for row in labels)
    proposals: Counter[str] = Counter()
    for store, members in stores.items():
        copies, conflicts = found(Snapshot(memories=members))
        proposals.update(dedup=len(copies), conflict=len(conflicts))
        hits.update(row.label for row in labels if row.store == store and names(copies, row.a, row.b))
    line("memory_pairs, no judge: dedup precision", hits["dup"], sum(hits.values()), ">= .95")
    line("memory_pairs, no judge: dedup recall", hits["dup"], totals["dup"], ">= .2")
    for label in ("template", "superseded", "related"):
        line(f"memory_pairs, no judge: {label} pairs proposed by dedup", hits[label], totals[label], "0")
    print(f"whole stores, no judge: {dict(proposals)} proposals over {sum(map(len, stores.values()))} memories")


def candidates(stores: dict[str, tuple[Memory, ...]], labels: Sequence[material.Labelled]) -> None:
    """Whether the partner is a candidate at all, how much a judge is asked, and what a scripted one brings."""
    near: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    right: Counter[str] = Counter()
    asked = 0
    for store, members in stores.items():
        here = [row for row in labels if row.store == store]
        compared = compare(Snapshot(memories=members))
        keys = {(pair.a, pair.b) for pair in compared.pairs}
        near.update(row.label for row in here if row.key in keys)
        open_pairs = {(pair.a, pair.b) for pair in compared.undecided(BAR)}
        asked += len(open_pairs)
        proven = {(pair.a, pair.b) for pair in compared.pairs if pair.is_same(BAR) or pair.is_dispute(BAR)}
        hashes = {memory.path: memory.sha256 for memory in members}
        told = [row for row in here if row.key in open_pairs]
        answers = tuple(Answer(row.a, row.b, hashes[row.a], hashes[row.b], WORDS[row.label]) for row in told)
        copies, conflicts = found(Snapshot(memories=members, answers=answers))
        for row in here:
            seen[row.label] += row.key in open_pairs | proven
            right[row.label] += names(copies if row.label == "dup" else conflicts, row.a, row.b)
            right[f"{row.label} merged"] += names(copies, row.a, row.b)
    totals = Counter(row.label for row in labels)
    line("candidates: partner of dup", near["dup"], totals["dup"], ">= .95")
    line("candidates: partner of superseded", near["superseded"], totals["superseded"], ">= .95")
    line("candidates: undecided pairs per memory", asked, sum(map(len, stores.values())), "<= 1.5")
    line("scripted judge: dup proposed by dedup, of those it sees", right["dup"], seen["dup"], ">= .9")
    line("scripted judge: superseded as supersede or qualify", right["superseded"], seen["superseded"], ">= .9")
    for label in ("superseded", "related", "template"):
        line(f"scripted judge: {label} merged", right[f"{label} merged"], totals[label], "0")


def evolution(data: Path, stores: dict[str, tuple[Memory, ...]]) -> None:
    """First and last version side by side in their store; a changed value going to conflict counts as right."""
    right = wrong = total = changed = 0
    for _, members, truth in aged(data, stores):
        copies, conflicts = found(Snapshot(memories=members))
        total += len(truth)
        for finding in (*copies, *conflicts):
            kept, *others = finding.subjects
            pairs = {tuple(sorted((kept, other))) for other in others}
            right += len(pairs & truth)
            changed += len(pairs & truth) if finding.choices else 0
            wrong += sum(not material.copies(*pair) for pair in pairs - truth)
    line("evolution: recall", right, total, ">= .75")
    line("evolution: of them as a conflict", changed, total)
    line("evolution: precision", right, right + wrong, ">= .95")


def sentences(data: Path, name: str, label: str = "nodup") -> None:
    """Sentence pairs that are not the same but share their words."""
    rows = [(a, b) for said, a, b in material.text_pairs(data, name) if said == label]
    same = sum(alone(a, b) in {"duplicate", "contained"} for a, b in rows)
    line(f"{name}: {label} pairs called the same", same, len(rows), "< .02")


def negated(data: Path) -> None:
    """Sentences of the material against themselves with a `not` put in."""
    texts = sorted({a for _, a, _ in material.text_pairs(data, "paws")})
    pairs = [(text, turned) for text in texts if (turned := NEGATABLE.sub(r"\1 not", text, count=1)) != text]
    same = sum(alone(a, b) in {"duplicate", "contained"} for a, b in pairs)
    line("negated sentences called the same", same, len(pairs), "0")


NEGATABLE = re.compile(r"\b(is|was|are|were|has|had|can|could|will|would|should)\b")


def alone(a: str, b: str) -> str:
    one, two = (material.memory(f"p/{name}.md", text.encode()) for name, text in (("note", a), ("memo", b)))
    return verify(Subject.of(one, Text("", a)), Subject.of(two, Text("", b))).verdict


def backlog(data: Path) -> None:
    """Duplicates that the notes' authors state: is the partner a candidate among all texts of the file?"""
    rows = list(material.text_pairs(data, "backlog_pairs"))
    texts = sorted({text for _, a, b in rows for text in (a, b)})
    place = {text: f"p/{number}.md" for number, text in enumerate(texts)}
    members = tuple(material.memory(place[text], text.encode(), "p") for text in texts)
    keys = {(pair.a, pair.b) for pair in compare(Snapshot(memories=members)).pairs}
    for label in ("dup", "contradiction"):
        want = [tuple(sorted((place[a], place[b]))) for said, a, b in rows if said == label]
        line(f"candidates: partner of backlog {label}", sum(key in keys for key in want), len(want), ">= .9")


def packed(data: Path) -> Iterator[Memory]:
    """The packed backlog, read without unpacking it."""
    with tarfile.open(data / "stores/web-everything-backlog.tar.xz") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name.endswith(".md") else None
            if file is not None:
                yield material.memory(member.name, file.read(), "backlog")


def whole_backlog(data: Path) -> None:
    copies, conflicts = found(Snapshot(memories=tuple(packed(data))))
    print(f"backlog store, no judge: dedup {len(copies)}, conflict {len(conflicts)} proposals (to be read)")


def made_families() -> None:
    right = wrong = total = 0
    for seed in range(100, 104):
        _, members, truth = family(seed)
        copies, conflicts = found(Snapshot(memories=members))
        pairs = {tuple(sorted(one.subjects)) for one in (*copies, *conflicts)}
        right, wrong, total = right + len(pairs & truth), wrong + len(pairs - truth), total + len(truth)
    line("made-up families (not those trained on): copies found", right, total)
    line("made-up families: wrong proposals", wrong, right + wrong, "0")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--held-out", action="store_true")
    options = parser.parse_args()
    stores, labels = material.stores(options.data), material.labelled(options.data)
    labelled_pairs(stores, labels)
    candidates(stores, labels)
    backlog(options.data)
    evolution(options.data, stores)
    sentences(options.data, "paws")
    negated(options.data)
    made_families()
    whole_backlog(options.data)
    if options.held_out:
        for name in ("records_abtbuy", "records_amazongoogle", "records_dblpacm"):
            sentences(options.data, name)


if __name__ == "__main__":
    main()
