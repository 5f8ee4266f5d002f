"""Links as people write them; those in code are marked."""

import pytest

from gardener.text.links import read_links, relinked


@pytest.mark.parametrize(
    "text",
    [
        "no link",
        "[a](https://example.org/x.md)",
        "[a](#here)",
        "[a](picture.png)",
        "[[]]",
        "a [ [b] ] c",
        "[a](mailto:x@y.md)",
        "[a](<mailto:some one@y.md>)",
        "[a](<two words.png>)",
        "[a](two words.md)",
        "[a](<two\nlines.md>)",
        "[a](<open.md)",
        "[a](<a<b.md>)",
        "a < b.md> c",
    ],
)
def test_what_is_no_link(text: str) -> None:
    assert read_links(text) == ()


@pytest.mark.parametrize(
    ("text", "kind", "target", "fenced"),
    [
        ("see [[name]]", "wiki", "name", False),
        ("[[project/name|alias]]", "wiki", "project/name", False),
        ("[[name#part]]", "wiki", "name", False),
        ("[[name.md]]", "wiki", "name", False),
        ("| [[name\\|alias]] |", "wiki", "name", False),
        ("[a](other.md)", "markdown", "other.md", False),
        ("[a](../x/other%20one.md#part)", "markdown", "../x/other one.md", False),
        ('[a](<other.md> "title")', "markdown", "other.md", False),
        ("[a](<two words.md>)", "markdown", "two words.md", False),
        ("[a](two%20words.md)", "markdown", "two words.md", False),
        ('[a](<../x/two%20words (1).md#a part> "title")', "markdown", "../x/two words (1).md", False),
        ("`[a](<two words.md>)`", "markdown", "two words.md", True),
        ("`[[name]]`", "wiki", "name", True),
        ("```\n[[name]]\n```\n", "wiki", "name", True),
        ("~~~\n[[name]]\n", "wiki", "name", True),
        ("```\ncode\n```\n[[name]]", "wiki", "name", False),
    ],
)
def test_links(text: str, kind: str, target: str, fenced: bool) -> None:
    (link,) = read_links(text)
    assert (link.kind, link.target, link.fenced) == (kind, target, fenced)


@pytest.mark.parametrize(
    ("line", "target", "there"),
    [
        ("`[a](<old one.md>)` [b](<older one.md>)", "new.md", "`[a](<old one.md>)` [b](<older one.md>)"),
        ("[a](<old one.md>), [b](old%20one.md)", "new.md", "[a](<new.md>), [b](new.md)"),
        ('[a](<old one.md#a part> "t")', "the <new> (1).md", '[a](<the%20%3Cnew%3E%20%281%29.md#a part> "t")'),
    ],
)
def test_a_link_in_angle_brackets_leads_elsewhere(line: str, target: str, there: str) -> None:
    (link,) = read_links("[a](<old one.md>)")
    assert relinked(line, link, target) == there
    assert {one.target for one in read_links(there) if not one.fenced} <= {target, "older one.md"}
