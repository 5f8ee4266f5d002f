"""The interactive review: one proposal at a time, each decision on disk before the next is shown."""

from gardener.review.session.look_alikes import LookAlikes, label_commands
from gardener.review.session.loop import Session, commands_instead

__all__ = ["LookAlikes", "Session", "commands_instead", "label_commands"]
