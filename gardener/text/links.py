"""Links in markdown text: `[[wiki]]` links and relative markdown links to files."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

from gardener.model.memory import Link

_WIKI = re.compile(r"\[\[([^\[\]\r\n]{1,300})\]\]")
_TARGET = r"(?:<([^<>\r\n]{1,500})>|([^()<>\r\n\s]{1,500}))"
"""Where a markdown link leads (CommonMark 0.31, section 6.3): in angle brackets it may hold spaces and parentheses."""
_MARKDOWN = re.compile(rf"\[[^\[\]\r\n]*\]\({_TARGET}(?:\s+\"[^\"\r\n]*\")?\)")
_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})", re.MULTILINE)
_INLINE = re.compile(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#")


def read_links(text: str) -> tuple[Link, ...]:
    """Every link of a whole file, in order. Links in code are marked: they protect but are not reported."""
    found = [(m.start(), "wiki", m[1]) for m in _WIKI.finditer(text)] if "[[" in text else []
    if "](" in text:
        found += [(m.start(), "markdown", m[1] or m[2]) for m in _MARKDOWN.finditer(text)]
    if not found:
        return ()
    code = code_spans(text)
    links = []
    for at, kind, raw in sorted(found):
        target = _wiki_target(raw) if kind == "wiki" else _file_target(raw)
        if target:
            fenced = any(start <= at < end for start, end in code)
            links.append(Link("wiki" if kind == "wiki" else "markdown", target, text.count("\n", 0, at) + 1, fenced))
    return tuple(links)


def relinked(line: str, link: Link, target: str) -> str:
    """A line in which that link leads to `target`, with its alias, anchor and brackets; links in code stay."""
    wiki = link.kind == "wiki"
    code = code_spans(line)

    def swapped(found: re.Match[str]) -> str:
        group = found.lastindex or 0  # only one of them matched
        raw = found[group]
        if (_wiki_target if wiki else _file_target)(raw) != link.target or any(a <= found.start() < b for a, b in code):
            return found[0]
        rest = re.search(r"\s*(?:\\*\||#)" if wiki else "[#?]", raw)
        new = target if wiki else re.sub(r"[\s()<>%#?\"]", lambda odd: quote(odd[0]), target)
        at = found.start(group) - found.start()
        return found[0][:at] + new + (raw[rest.start() :] if rest else "") + found[0][at + len(raw) :]

    return (_WIKI if wiki else _MARKDOWN).sub(swapped, line)


def code_spans(text: str) -> list[tuple[int, int]]:
    """Character ranges of fenced blocks and inline code."""
    spans: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for fence in _FENCE.finditer(text):
        run = fence.group(1)
        if opened is None:
            opened = (fence.start(), run)
        elif run[0] == opened[1][0] and len(run) >= len(opened[1]):
            spans.append((opened[0], fence.end()))
            opened = None
    if opened is not None:
        spans.append((opened[0], len(text)))
    blocks = tuple(spans)
    for inline in _INLINE.finditer(text) if "`" in text else ():
        if not any(start <= inline.start() < end for start, end in blocks):
            spans.append(inline.span())
    return spans


def without_code(text: str) -> str:
    """A text without its fenced blocks and inline code."""
    if "`" not in text and "~~~" not in text:
        return text
    kept, at = [], 0
    for start, end in sorted(code_spans(text)):
        kept.append(text[at:start])
        at = end
    return "".join([*kept, text[at:]])


def _wiki_target(raw: str) -> str:
    return raw.split("|", 1)[0].rstrip("\\").split("#", 1)[0].strip().removesuffix(".md")


def _file_target(raw: str) -> str:
    if _SCHEME.match(raw):
        return ""
    target = unquote(raw.split("#", 1)[0].split("?", 1)[0])
    return target if target.endswith((".md", ".mdc")) else ""
