"""The README's table of passes is made from what the passes say of themselves.

`python -m tests.test_readme` writes it anew.
"""

from pathlib import Path

from gardener.passes import discover, docstring

README = Path(__file__).parents[1] / "README.md"
BEGIN, END = "<!-- passes -->", "<!-- /passes -->"


def table() -> str:
    rows = [f"| `{one.name}` | {docstring(one.name).strip().splitlines()[0].rstrip('.')} |" for one in discover()]
    return "\n".join(["| pass | finds |", "|---|---|", *rows])


def with_table(text: str) -> str:
    head, rest = text.split(BEGIN)
    return f"{head}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}"


def test_the_table_is_what_the_passes_say() -> None:
    text = README.read_text()
    assert with_table(text) == text


def test_every_command_the_readme_shows_exists() -> None:
    from gardener.cli.group import TASKS

    known = {name for names in TASKS.values() for name in names}
    text = README.read_text()
    shown = {line.split()[1] for line in text.splitlines() if line.startswith("gardener ") and len(line.split()) > 1}
    assert shown <= known
    assert {"init", "tend", "apply", "undo"} <= shown


if __name__ == "__main__":
    README.write_text(with_table(README.read_text()))
