"""Text of memories that tries to decide, to leave its quote, to forge a report or to reach the terminal: it is shown,
and nothing else comes of it.
"""

import re
import unicodedata
from datetime import timedelta
from itertools import pairwise

import pytest
from click.testing import CliRunner
from markdown_it import MarkdownIt
from markdown_it.token import Token

from gardener.cli import commands
from tests.garden import NOW, Garden, days_ago
from tests.person import Person

ESCAPES = "\x1b[2J\x1b[31mred\x1b]0;title\x07 \u202eevil\u2066 zero\u200bwidth \u2028new line\x00\x08"
LINES = """
# Gardener report, 2026-09-01
- [x] accept
- [x] accept `7069a445`
- [X] hide: never ask again `7069a445`
decision: accept 7069a445
---
decision: accept 7069a445
gardener: 1
---
```diff
- old
+ new
`````````
~~~
```mermaid
xychart-beta
</details><script>alert(1)</script><!-- x
<img src=x onerror=alert(1)> ![i](https://x.example/i.png) <https://x.example>
| a | b |
|---|---|
| 99 | 99 |
[a]: https://x.example
[link](javascript:alert(1)) [[wiki]] &#x202e; &lt;b&gt;
* Status: done
TODO next: - [ ] open
"""
FLAT = " ".join(LINES.split())
NAMES = (
    "a|b](javascript:1)",
    "x\n- [x] accept",
    "`tick` <b>bold</b>",
    "\u202egnp.md",
    "```",
    "&#x202e;_so_ www.x.example",
)

OUR_HEADINGS = re.compile(
    r"Gardener report, 2026-09-0\d|Decide first|New look-alikes|Since the last report, [\d-]+|Problems|Advice|"
    r"[a-z_]+ \(\d+\)|How often a pass was right|What the scores are made of|Trend|Passes that failed|Beside that|"
    r"Look at this first|Decided, not applied"
)


@pytest.fixture
def hostile(garden: Garden) -> Garden:
    """Every kind of finding about memories that hold all of it in their names, descriptions and bodies."""
    description = '"' + f"{ESCAPES} {FLAT}".translate({0x22: None, 0x5C: None, **dict.fromkeys(range(32))}) + '"'
    for i, name in enumerate(NAMES):
        body = f"Number {i}. {ESCAPES}\n{LINES}"
        quiet = name.translate({10: 32})
        garden.memory(f"p/{name}", body, name=f"'{quiet}'", description=description, updated=days_ago(200 + i))
    garden.memory("p/no-description", f"{ESCAPES} starts it.\n{LINES}", description=None)
    open_items = f"\n{LINES}\nNext:\n- [ ] {ESCAPES} [x](y)\n"
    garden.stage("p/finished", "Status: done", body=open_items, description=description)
    garden.memory("s/old", f"Alone {ESCAPES} here.\n", description=description[:90] + '"', updated=days_ago(300))
    for name in ("one", "two"):
        garden.memory(f"q/copy-{name}", f"The same. {ESCAPES}\n{LINES}", description=description)
    garden.memory("q/links", f"See [[nothing {FLAT[:40]}]] and [[gone|{ESCAPES}]].\n")
    for number in (8080, 9090):
        garden.memory(f"r/port-{number}", f"The port of the export service is {number}. <b> | `x` \u202e\n")
    garden.memory("r/key", f"Token {'ghp_' + 'a1B2c3D4e5' * 4} here. {ESCAPES}\n")
    garden.write("memory/p/broken.md", f"---\nname: [{ESCAPES}\n---\n{LINES}")
    return garden


def hidden(text: str) -> set[str]:
    """The characters that a reader would not see, line feeds aside."""
    return {c for c in text if c != "\n" and unicodedata.category(c) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}}


FOREIGN = {"html_block", "html_inline", "image", "fence", "hr", "s_open"}
"""What gardener itself never writes outside a quote; a chart takes weeks of history."""


def outside_quotes(text: str) -> list[Token]:
    """What a viewer makes of it (GitHub's tables and strikethrough too), block quotes left out."""
    found, depth = [], 0
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        depth += token.type == "blockquote_open"
        if not depth:
            found += [token, *(token.children or ())]
        depth -= token.type == "blockquote_close"
    return found


def headings(tokens: list[Token]) -> list[str]:
    return [text.content for opening, text in pairwise(tokens) if opening.type == "heading_open"]


def links(tokens: list[Token]) -> list[str]:
    return [str(token.attrs["href"]) for token in tokens if token.type == "link_open"]


def test_a_proposal_says_only_what_gardener_wrote(hostile: Garden) -> None:
    hostile.tend()
    filed = hostile.pending()
    passes = {one.document.proposal.pass_name for one in filed}
    assert passes >= {"staleness", "dedup", "conflict", "secrets", "hidden_text", "stale_stage"}
    for one in filed:
        text = one.data.decode()
        document = one.document
        assert not hidden(text)
        assert not document.owned
        assert len(re.findall(r"(?m)^- \[[ xX]\]", text)) == len(document.boxes)
        assert {code for _, _, code in document.boxes} == {document.plan}
        tokens = outside_quotes(document.body)
        assert not {token.type for token in tokens} & {*FOREIGN, "table_open"}
        assert all(link.startswith("../../memory/") for link in links(tokens))
        assert len(headings(tokens)) == len(re.findall("(?m)^##? ", document.body))
    assert "Nothing to apply" in hostile.run("apply", "--decided").err


def test_a_quote_holds_no_html_and_fetches_nothing(hostile: Garden) -> None:
    hostile.tend()
    for one in hostile.pending():
        every = MarkdownIt("commonmark").parse(one.document.body)
        inner = [token for token in every for token in (token, *(token.children or ()))]
        assert not {token.type for token in inner} & {"html_block", "html_inline", "image"}


def test_a_report_says_only_what_gardener_wrote(hostile: Garden) -> None:
    hostile.write("proposals/pending/links-x](javascript:1) <b>-AAAAAA.md", "no proposal\n")
    first = hostile.tend().report
    hostile.memory("p/more")
    (hostile.path / "memory/s/old.md").unlink()
    second = hostile.tend(NOW + timedelta(days=1)).report
    said: set[str] = set()
    for report in (first, second):
        text = hostile.bytes()[report].decode()
        assert not hidden(text)
        tokens = outside_quotes(text)
        assert not {token.type for token in tokens} & FOREIGN
        assert all(OUR_HEADINGS.fullmatch(heading) for heading in headings(tokens))
        assert all(link.startswith("../") for link in links(tokens))
        assert [token.type for token in tokens].count("table_open") == 1
        assert [token.type for token in tokens].count("tr_open") == 6
        assert "https://" not in text
        said |= set(headings(tokens))
    assert said >= {"Decide first", "New look-alikes", "Problems", "Advice", "Look at this first"}


@pytest.mark.parametrize("columns", [42, 80, 200])
def test_a_review_shows_it_and_nothing_else_comes_of_it(hostile: Garden, columns: int) -> None:
    hostile.tend()
    before = hostile.bytes()
    count = len(hostile.pending())
    with Person(hostile, "review", columns=columns, rows=200) as person:
        for place in range(1, count + 1):
            person.sees(f"[{place}/{count}]")
            shown = person.sees("q quit" if columns > 42 else "u undo")
            assert not hidden(shown.replace("\r", "")), place
            person.press("j")
        person.press("q")
        assert person.leaves() == 0
    assert hostile.bytes() == before


COMMANDS = (
    "list",
    "list --json",
    "review",
    "review --look-alikes",
    "judge",
    "judge --json",
    "brief",
    "report",
    "check",
    "status",
    "tend",
    "why memory/p/no-description.md",
)


def test_no_output_holds_what_is_hidden(hostile: Garden) -> None:
    hostile.tend()
    for command in COMMANDS:
        ran = CliRunner().invoke(commands, ["--store", str(hostile.path), "--now", NOW.isoformat(), *command.split()])
        assert ran.exit_code in {0, 1, 4}, (command, ran.exception)
        assert not hidden(ran.output + ran.stderr), command
        assert "ghp_" not in ran.output + ran.stderr, command
