"""The interactive review: one proposal at a time, each decision on disk before the next is shown."""

from gardener.review.session.loop import Session, commands_instead

__all__ = ["Session", "commands_instead"]
