"""Answers written into files: one meaning, or none at all."""

from pathlib import Path

import pytest

from gardener.errors import GardenerError, StaleError, UsageError
from gardener.model.edit import Supersede
from gardener.model.finding import Choice, Finding
from gardener.proposals.answers import Answer, Refusal, read_answer
from gardener.proposals.inbox import Filed
from gardener.review.decide import Shown
from tests.garden import Garden
from tests.review.test_apply import four_copies, propose


def group(garden: Garden) -> Filed:
    identity = four_copies(garden)
    return garden.inbox.by_id[identity]


def choice(garden: Garden) -> Filed:
    garden.memory("p/a", "Port 1.\n")
    garden.memory("p/b", "Port 2.\n")
    choices = (Choice("a", "keep both"), Choice("b", "b wins", (Supersede("memory/p/a.md", "memory/p/b.md"),)))
    finding = Finding("conflict", "which", ("memory/p/a.md", "memory/p/b.md"), choices=choices)
    identity = propose(garden, finding)
    return garden.inbox.by_id[identity]


def said(garden: Garden, filed: Filed, *changes: tuple[str, str]) -> object:
    text = filed.data.decode()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    garden.write(filed.path, text)
    return read_answer(garden.inbox.by_id[filed.id].document)


@pytest.mark.parametrize(
    ("changes", "answer"),
    [
        ((), None),
        ((("pending", "accept"),), Answer("accept", ("B", "C", "D"))),
        ((("pending", "accept C, b"),), Answer("accept", ("B", "C"))),
        ((("pending", "reject"),), Answer("reject")),
        ((("pending", "hide"),), Answer("hide")),
        ((("pending", "snooze 14d"),), Answer("snooze", days=14)),
        ((("- [ ] retire B", "- [x] retire B"),), Answer("accept", ("B",))),
        ((("- [ ] retire B", "- [X] retire B"), ("- [ ] retire D", "- [x] retire D")), Answer("accept", ("B", "D"))),
        ((("- [ ] hide", "- [x] hide"),), Answer("hide")),
        ((("pending", "reject"), ("- [ ] reject", "- [x] reject")), Answer("reject")),
    ],
)
def test_one_meaning(garden: Garden, changes: tuple[tuple[str, str], ...], answer: Answer | None) -> None:
    assert said(garden, group(garden), *changes) == answer


@pytest.mark.parametrize(
    "changes",
    [
        (("pending", "accept"), ("- [ ] reject", "- [x] reject")),
        (("- [ ] retire B", "- [x] retire B"), ("- [ ] reject", "- [x] reject")),
        (("- [ ] hide", "- [x] hide"), ("- [ ] reject", "- [x] reject")),
        (("pending", "maybe"),),
        (("pending", "accept Q"),),
        (("pending", "snooze forever"),),
        (("- [ ] retire B", "- [x] retire Q"),),
    ],
)
def test_what_is_ambiguous_is_refused_and_that_file_alone(garden: Garden, changes: tuple[tuple[str, str], ...]) -> None:
    filed = group(garden)
    assert isinstance(said(garden, filed, *changes), Refusal)
    before = garden.memories()
    garden.stage("q/s", "Status: done")
    garden.tend()
    stage = garden.one("stale_stage")
    garden.write(stage.path, stage.data.replace(b"pending ", b"accept ", 1))
    ran = garden.run("apply", "--decided")
    assert ran.code == 4
    assert filed.id in ran.err
    after = garden.memories()
    assert {path: after[path] for path in before} == before
    assert b"> Archived" in after["memory/q/s.md"]


def test_choices(garden: Garden) -> None:
    filed = choice(garden)
    assert isinstance(said(garden, filed, ("pending", "accept")), Refusal)
    assert said(garden, filed, ("pending", "accept b")) == Answer("choose", choice="b")
    assert said(garden, filed, ("- [ ] b:", "- [x] b:")) == Answer("choose", choice="b")
    two = (("- [ ] b:", "- [x] b:"), ("- [ ] a:", "- [x] a:"))
    assert isinstance(said(garden, filed, *two), Refusal)


@pytest.mark.parametrize("mark", ["line", "box"])
def test_a_mark_with_another_code_or_none_is_refused(garden: Garden, mark: str) -> None:
    filed = group(garden)
    code = filed.document.code
    if mark == "line":
        assert isinstance(said(garden, filed, (f"pending {code}", "accept 00000000")), Refusal)
        assert isinstance(said(garden, filed, (f"pending {code}", "accept")), Refusal)
    else:
        box = (f"- [ ] retire B `{code}`", "- [x] retire B `00000000`")
        assert isinstance(said(garden, filed, box), Refusal)


def test_an_edited_plan_is_the_persons_and_asks_again(garden: Garden) -> None:
    filed = group(garden)
    dropped = ("  - supersede memory/p/d.md by memory/p/a.md\n", "")
    said(garden, filed, dropped)
    document = garden.inbox.by_id[filed.id].document
    assert document.edited
    assert document.owned
    before = garden.memories()
    with garden.decider() as decider:
        with pytest.raises(UsageError, match="--edited"):
            decider.answer(filed.id, Answer("accept"))
        assert garden.memories() == before
        done = decider.answer(filed.id, Answer("accept"), edited=True)
    assert done.paths == ("memory/p/b.md", "memory/p/c.md")


@pytest.mark.parametrize(
    "line",
    [
        "supersede memory/p/other.md by memory/p/a.md",
        "move memory/p/b.md to elsewhere/b.md",
        "'archive memory/p/other.md: x'",
    ],
)
def test_an_edited_plan_reaches_no_file_it_did_not_show(garden: Garden, line: str) -> None:
    garden.memory("p/other")
    filed = group(garden)
    said(garden, filed, ("supersede memory/p/d.md by memory/p/a.md", line))
    before = garden.memories()
    with garden.decider() as decider, pytest.raises(GardenerError):
        decider.answer(filed.id, Answer("accept"), edited=True)
    assert garden.memories() == before


def test_a_merge_by_git_cannot_carry_an_accept_to_another_proposal(garden: Garden, tmp_path: Path) -> None:
    """One side accepts; the other tends anew after the memory changed. The merged file's mark is for the old plan."""
    path = garden.stage("p/s", "Status: done")
    garden.tend()
    garden.git("init", "-q", "-b", "main")
    garden.git("add", "-A")
    garden.git("commit", "-qm", "base")
    garden.git("checkout", "-qb", "accepts")
    filed = garden.one()
    garden.write(filed.path, filed.data.replace(b"- [ ] accept", b"- [x] accept"))
    garden.git("commit", "-qam", "accept")
    garden.git("checkout", "-q", "main")
    path.write_text(path.read_text() + "\nA line that was not there when it was accepted.\n")
    garden.tend()
    garden.git("add", "-A")
    garden.git("commit", "-qm", "tended anew")
    garden.git("merge", "-q", "-X", "theirs", "accepts")
    assert garden.git("status", "--porcelain") == ""
    before = garden.memories()
    ran = garden.run("apply", "--decided")
    assert garden.memories() == before
    assert ran.code in {2, 3}


def test_a_rename_by_git_does_not_carry_one_either(garden: Garden) -> None:
    garden.stage("p/s", "Status: done")
    garden.stage("p/t", "Status: done", body="\nAnother.\n")
    garden.tend()
    first, second = garden.pending()
    garden.write(first.path, first.data.replace(b"pending ", b"accept ", 1))
    accepted = (garden.path / first.path).read_text().split("\n")[1]
    text = second.data.decode().split("\n")
    garden.write(second.path, "\n".join([text[0], accepted, *text[2:]]))
    (garden.path / first.path).unlink()
    before = garden.memories()
    assert garden.run("apply", "--decided").code == 2
    assert garden.memories() == before


def test_a_plan_that_was_changed_after_it_was_shown_is_refused(garden: Garden) -> None:
    """The code on the decision line stays as it was, so it is the plan itself that counts."""
    filed = group(garden)
    said(garden, filed, ("  - supersede memory/p/d.md by memory/p/a.md\n", "  - 'archive memory/p/a.md: slipped in'\n"))
    before = garden.memories()
    with garden.decider() as decider:
        for plan in (None, (Supersede("memory/p/a.md", "memory/p/b.md"),)):
            with pytest.raises(StaleError, match="written anew"):
                decider.answer(filed.id, Answer("accept"), edited=True, seen=filed.document.plan, plan=plan)
    assert garden.memories() == before


def test_a_file_that_is_not_shown_is_no_reason_to_empty_a_mark(garden: Garden) -> None:
    filed = group(garden)
    said(garden, filed, ("- [ ] retire B", "- [x] retire B"))
    ticked = garden.inbox.by_id[filed.id].data
    with (garden.path / "memory/p/d.md").open("r+b") as huge:
        huge.truncate((64 << 20) + 1)
    with garden.decider() as decider, pytest.raises(StaleError, match="put that right"):
        decider.decided(filed.id)
    assert garden.inbox.by_id[filed.id].data == ticked


def test_an_answer_that_was_changed_after_it_was_shown_is_refused(garden: Garden) -> None:
    filed = group(garden)
    said(garden, filed, ("- [ ] retire B", "- [x] retire B"))
    shown = Shown(filed.document.plan, Answer("accept", ("B",)), None)
    said(garden, filed, ("- [ ] retire C", "- [x] retire C"))
    before = garden.memories()
    with garden.decider() as decider:
        with pytest.raises(StaleError, match="written anew"):
            decider.decided(filed.id, shown=shown)
        assert garden.memories() == before
        said(garden, filed, ("- [ ] retire B", "- [x] retire B"))
        assert decider.decided(filed.id, shown=shown).paths == ("memory/p/b.md",)
