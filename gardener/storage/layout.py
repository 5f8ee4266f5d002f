"""Where a store keeps what: its folders, and which files in them count."""

from __future__ import annotations

from fnmatch import fnmatchcase

import msgspec


class Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Folders, all inside the store and posix; `memory` may hold globs. `include` and `exclude` are globs on a
    file's name, or on its path below its root where they hold a slash.
    """

    memory: tuple[str, ...] = ("memory",)
    notes: tuple[str, ...] = ("notes",)
    proposals: str = "proposals"
    reports: str = "reports"
    include: tuple[str, ...] = ("*.md",)
    exclude: tuple[str, ...] = ()

    def counts(self, inner: str) -> bool:
        """Whether the file at `inner`, a path below its root, is one of ours to read."""
        return any(_matches(inner, glob) for glob in self.include) and not any(
            _matches(inner, glob) for glob in self.exclude
        )

    @property
    def own(self) -> frozenset[str]:
        """Folders of gardener's own files, never read as memories."""
        return frozenset({self.proposals, self.reports, ".gardener"})


def _matches(inner: str, glob: str) -> bool:
    return fnmatchcase(inner if "/" in glob else inner.rsplit("/", 1)[-1], glob)
