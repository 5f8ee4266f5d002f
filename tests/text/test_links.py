"""Links as people write them; those in code are marked."""

import pytest

from gardener.text.links import read_links


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
        ("`[[name]]`", "wiki", "name", True),
        ("```\n[[name]]\n```\n", "wiki", "name", True),
        ("~~~\n[[name]]\n", "wiki", "name", True),
        ("```\ncode\n```\n[[name]]", "wiki", "name", False),
    ],
)
def test_links(text: str, kind: str, target: str, fenced: bool) -> None:
    (link,) = read_links(text)
    assert (link.kind, link.target, link.fenced) == (kind, target, fenced)
