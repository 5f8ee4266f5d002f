"""Writing the report and its line of history after a full run, where a figure changed."""

from __future__ import annotations

from gardener.config.store import Store
from gardener.report import render, write_history
from gardener.storage import atomic
from gardener.tend.matter import figures_of, history_of, matter_of
from gardener.tend.result import Result


def write_report(store: Store, result: Result, *, loud: bool = False) -> str:
    """The path of today's report where one was written, "" where nothing changed since the last line.

    `loud` asks for one whatever the figures are.
    """
    history = history_of(store)
    figures = figures_of(result)
    same = bool(history) and history[-1].compared == figures.compared
    if same and not loud and (store.settings.reports.quiet == "skip" or history[-1].date == figures.date):
        return ""
    folder = store.layout.reports
    path = f"{folder}/{figures.date}.md"
    matter = matter_of(store, result, history)
    atomic.write(store.root, path, render(matter).encode("utf-8", "surrogateescape"))
    atomic.write(store.root, f"{folder}/history.jsonl", write_history(history, figures).encode())
    return path
