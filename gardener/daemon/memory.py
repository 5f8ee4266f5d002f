"""Giving memory back after a run: a process that lives for months must not keep what one night needed."""

import ctypes
import gc
import sys


def give_back() -> None:
    """Collect garbage and let the C library return free pages. glibc keeps them otherwise, a little more each run."""
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(ctypes.c_size_t(0))
