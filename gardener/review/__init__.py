"""Deciding: apply, reject, hide, snooze, undo, and the lifecycle by hand. The only part that changes a memory."""
