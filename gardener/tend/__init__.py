"""Tending: read the store, run the passes, write proposals and the report. It never changes a memory or a note."""

from gardener.tend.result import Result
from gardener.tend.run import tend

__all__ = ["Result", "tend"]
