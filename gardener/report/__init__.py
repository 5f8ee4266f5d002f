"""The report of a run as markdown, and the history it compares with. Pure: figures in, text out."""

from gardener.report.figures import Figures, read_history, write_history
from gardener.report.matter import LookAlike, Matter, Row
from gardener.report.page import render
from gardener.report.trend import Trend

__all__ = ["Figures", "LookAlike", "Matter", "Row", "Trend", "read_history", "render", "write_history"]
