"""Making a store, or adopting a folder of markdown somebody else made. It writes settings and never a memory."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tomlkit

from gardener.config import FILE
from gardener.config.store import read_settings
from gardener.errors import UsageError
from gardener.storage import atomic
from gardener.storage.beneath import Root, exists, make_folder, open_root
from gardener.storage.layout import Layout

ATTRIBUTES = {
    "{proposals}/.gitattributes": "* text eol=lf\nconflicts/** -text\nanswers.jsonl merge=union\n",
    "{reports}/.gitattributes": "*.md merge=union\nhistory.jsonl merge=union\n",
    "{proposals}/.ignore": "applied/\nrejected/\nconflicts/\n",
}
_SKIPPED = frozenset({"proposals", "reports", "notes", "node_modules", "__pycache__", "venv"})
_MOST = 50_000


@dataclass(frozen=True, slots=True)
class Adopted:
    """The store's folder, and what was done in lines for a person."""

    store: Path
    says: tuple[str, ...]


def adopt(given: Path) -> Adopted:
    """Make `given` a store (or its parent, where agents load `given` whole). UsageError where it is a file."""
    if given.exists() and not given.is_dir():
        raise UsageError(f"{given} is a file; name a folder")
    given.mkdir(parents=True, exist_ok=True)
    folder = given.resolve()
    whole = (folder / "MEMORY.md").is_file()
    top = folder.parent if whole else folder
    with open_root(top) as root:
        if exists(root, FILE):
            settings, _ = read_settings(root)
            says = [f"{top / FILE} is there already and was left as it is."]
            layout = settings.store
        else:
            layout = Layout(memory=(folder.name,)) if whole else found_layout(folder)
            atomic.write(root, FILE, _settings(layout).encode())
            where = ", ".join("this folder" if place == "." else place for place in layout.memory)
            says = [f"Wrote {top / FILE}: memories in {where}."]
        says += _furnish(root, layout)
    return Adopted(top, tuple(says))


def found_layout(folder: Path) -> Layout:
    """Where the markdown of a folder lies: its agent-memory folders, else the deepest folder that holds all of it."""
    files = list(_markdown(folder))
    kinds = Counter(path.suffix for path in files)
    include = ("*.md", "*.mdc") if kinds[".mdc"] > kinds[".md"] else ("*.md",)
    files = [path.relative_to(folder) for path in files if path.suffix == ".md" or len(include) > 1]
    if (folder / "memory").is_dir() or not files:
        return Layout(include=include)
    agents = sorted({_agent_folder(path) for path in files} - {""})
    hidden = all(path.parts[0].startswith(".") for path in files)
    if agents and (hidden or len(agents) > 1 or all(_agent_folder(path) for path in files)):
        return Layout(memory=tuple(_outermost(agents)), include=include)
    visible = [path for path in files if not any(part.startswith(".") for part in path.parts)] or files
    common = os.path.commonpath([str(path.parent) for path in visible])
    return Layout(memory=(Path(common).as_posix() or ".",), include=include)


def _markdown(folder: Path) -> Iterator[Path]:
    count = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(n for n in folders if n not in _SKIPPED and (not n.startswith(".") or n == ".claude"))
        for name in sorted(names):
            if name.endswith((".md", ".mdc")) and not Path(place, name).is_symlink():
                yield Path(place, name)
                count += 1
                if count >= _MOST:
                    return


def _agent_folder(path: Path) -> str:
    """The folder of a file that lies in one agents keep memories in, "" elsewhere."""
    for i, part in enumerate(path.parts[:-1]):
        if ".claude" in path.parts[:i] and part in {"memory", "canonical-memory"}:
            return Path(*path.parts[: i + 1]).as_posix()
    return ""


def _outermost(folders: list[str]) -> list[str]:
    return [one for one in folders if not any(one.startswith(f"{other}/") for other in folders)]


def _settings(layout: Layout) -> str:
    document = tomlkit.document()
    document.add(
        tomlkit.comment("Gardener's settings for this store. Every key is optional; gardener config shows all.")
    )
    table = tomlkit.table()
    table["memory"] = list(layout.memory)
    if layout.include != Layout().include:
        table["include"] = list(layout.include)
    document["store"] = table
    return tomlkit.dumps(document)


def _furnish(root: Root, layout: Layout) -> list[str]:
    """The small files that make proposals and reports merge and stay out of agents' searches."""
    written = []
    for pattern, text in ATTRIBUTES.items():
        path = pattern.format(proposals=layout.proposals, reports=layout.reports)
        if not exists(root, path):
            atomic.write(root, path, text.encode())
            written.append(path)
    for name in ("pending", "applied", "rejected"):
        make_folder(root, f"{layout.proposals}/{name}")
    for folder in layout.memory:
        if folder != "." and not any(c in folder for c in "*?["):
            make_folder(root, folder)
    atomic.make_private(root)
    return [f"Wrote {', '.join(written)}."] if written else []
