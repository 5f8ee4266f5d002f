"""Putting a target back: where ours is in place the old state comes again, what another program wrote stays."""

from __future__ import annotations

from contextlib import suppress

from gardener.storage import rename
from gardener.storage.beneath import GONE
from gardener.storage.commit.returned import remember
from gardener.storage.commit.target import Target
from gardener.storage.lease import quiet


def put_back(target: Target) -> bool:
    """Put the old state back where ours is; whether ours is not in place now. What another wrote stays."""
    with suppress(*GONE):  # the folder never came to be, or is gone
        target.end_exchange()
        if target.holds() == "after":
            return _take_ours_out(target)
        return target.holds() == "before" or not _was_put(target)
    return True


def _was_put(target: Target) -> bool:
    """Whether ours had been in place, now that something else is."""
    if target.change.before is None:
        return target.spare() is None
    return target.spare() in {"before", "other"}


def _take_ours_out(target: Target) -> bool:
    with target.open() as (folder, name):
        if target.change.after is None:
            return _put_removed_back(target, folder, name)
        if target.spare() == "after":  # never exchanged: another program wrote the very same bytes
            return True
        if target.change.before is None:
            return _take_created_away(target, folder, name)
        if target.spare() is None:
            target.write_swap(target.change.before)
        elif target.spare() == "other":
            remember(target.root, target.path, (folder, target.swap), target.stamp)
        return rename.take_back(folder, target.swap, name, target.change.after)


def _put_removed_back(target: Target, folder: int, name: str) -> bool:
    assert target.change.before is not None
    if target.spare() is None:
        target.write_swap(target.change.before)
    try:
        rename.name_free(folder, target.swap, folder, name)
    except FileExistsError:
        return False
    return True


def _take_created_away(target: Target, folder: int, name: str) -> bool:
    assert target.change.after is not None
    rename.name_free(folder, name, folder, target.swap)
    if quiet(folder, target.swap, target.change.after):
        return True
    with suppress(FileExistsError):
        rename.name_free(folder, target.swap, folder, name)
    return False
