"""Asking about look-alikes: a person, or the user's own agent, says one of six words about a pair. Never the daemon."""

from gardener.judge.ask import Question, questions
from gardener.judge.record import record
from gardener.judge.run import run

__all__ = ["Question", "questions", "record", "run"]
