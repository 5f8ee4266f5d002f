"""Answering look-alikes: a person or the user's own agent says one word, and every guard still holds."""

import json
import sys
from pathlib import Path

import pytest

from tests.garden import Garden

ONE = "The nightly export is started by the batch host at four and takes an hour when the month is long.\n"
TWO = "At four in the morning the batch host begins to export; allow sixty minutes for months with many days.\n"


@pytest.fixture
def alike(garden: Garden) -> Garden:
    garden.memory("p/nightly-export", ONE)
    garden.memory("p/export-by-night", TWO)
    for number in range(4):
        garden.memory(f"p/other-{number}")
    return garden


def asked(garden: Garden, *more: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in garden.run("judge", "--json", *more).text.splitlines()]


def pair(garden: Garden) -> dict[str, object]:
    wanted = {"p/nightly-export", "p/export-by-night"}
    return next(one for one in asked(garden) if {one["a"]["name"], one["b"]["name"]} == wanted)  # type: ignore[index]


def test_a_question_is_data_and_is_not_asked_twice(alike: Garden) -> None:
    one = pair(alike)
    assert set(one) == {"pair", "a", "b", "answers"}
    assert len(asked(alike, "--limit", "1")) == 1
    assert "gardener label" in alike.run("judge").text
    assert alike.run("label", "nightly-export", "export-by-night", "related").code == 0
    assert one["pair"] not in {other["pair"] for other in asked(alike)}


def test_no_pair_is_asked_about_twice_in_one_sitting(garden: Garden) -> None:
    """Global memories are compared in every project, copies and pointers on ways of their own: each pair comes once."""
    over = "\nThis is over; see [[export-by-night]].\n"
    garden.memory("_global/nightly-export", ONE + over, project=None)
    garden.memory("_global/export-by-night", TWO, project=None)
    for project in ("p", "q"):
        garden.memory(f"{project}/copy", TWO)
        garden.memory(f"{project}/export", f"{ONE}It is the {project} host's.\n{over}")
        for number in range(4):
            garden.memory(f"{project}/other-{number}")
    pairs = [one["pair"] for one in asked(garden)]
    assert len(pairs) == len(set(pairs)) > 4
    # Two readers who disagree leave it open, and it is measured once more as what was answered.
    for reader, word in (("ann", "same"), ("bob", "different")):
        garden.run("label", "_global/nightly-export", "_global/export-by-night", word, "--by", reader)
    again = [one["pair"] for one in asked(garden)]
    assert (len(again), set(again)) == (len(set(again)), set(pairs))


def test_an_answer_becomes_a_proposal_that_names_the_judge(alike: Garden) -> None:
    alike.run("label", "nightly-export", "export-by-night", "same", "--by", "ann", "--why", "one job")
    alike.tend()
    filed = alike.one("dedup")
    assert "ann" in filed.document.body
    assert len(filed.document.proposal.edits) == 1


def test_supersedes_is_a_choice(alike: Garden) -> None:
    alike.run("label", "nightly-export", "export-by-night", "supersedes")
    alike.tend()
    edits = [edit for choice in alike.one("conflict").document.proposal.choices for edit in choice.edits]
    assert any(getattr(edit, "by", "") == "memory/p/nightly-export.md" for edit in edits)


def test_an_answer_is_pinned_to_both_contents(alike: Garden) -> None:
    alike.run("label", "nightly-export", "export-by-night", "same")
    alike.memory("p/nightly-export", ONE.replace("four", "five"))
    alike.tend()
    assert alike.pending("dedup") == []


def test_two_readers_who_disagree_count_as_none(alike: Garden) -> None:
    alike.run("label", "nightly-export", "export-by-night", "same", "--by", "ann")
    alike.run("label", "nightly-export", "export-by-night", "different", "--by", "bob")
    alike.tend()
    assert alike.pending("dedup") == []
    alike.run("label", "nightly-export", "export-by-night", "same", "--by", "bob")
    alike.tend()
    assert len(alike.pending("dedup")) == 1


def test_different_values_are_a_conflict_whatever_a_judge_says(garden: Garden) -> None:
    garden.memory("p/port", "The API listens on port 8080 on every host of the cluster, behind the proxy.\n")
    garden.memory("p/api-port", "The API listens on port 9090 on every host of the cluster, behind the proxy.\n")
    garden.run("label", "port", "api-port", "same")
    garden.tend()
    assert garden.pending("dedup") == []
    assert len(garden.pending("conflict")) == 1


def test_no_merge_across_projects_and_no_constraint_goes(garden: Garden) -> None:
    garden.memory("p/a", ONE)
    garden.memory("q/b", TWO)
    garden.memory("p/c", TWO, kind="constraint")
    garden.run("label", "p/a", "q/b", "same")
    garden.run("label", "p/a", "p/c", "same")
    garden.tend()
    for filed in garden.pending("dedup"):
        assert [edit.path for edit in filed.document.proposal.edits] == ["memory/p/a.md"]


def command(garden: Garden, code: str) -> None:
    """A judge of the test's own, in a file outside the store."""
    script = Path(garden.path).parent / "judge.py"
    script.write_text(f"import json, sys, time\nasked = [json.loads(line) for line in sys.stdin]\n{code}\n")
    garden.settings(f"[judge]\ncommand = {json.dumps([sys.executable, str(script)])}\n")


def test_a_judge_command_is_asked_and_its_words_are_recorded(alike: Garden) -> None:
    command(alike, "for one in asked: print(json.dumps({'pair': one['pair'], 'answer': 'related'}))")
    before = {str(one["pair"]) for one in asked(alike)}
    count = len(before)
    ran = alike.run("judge", "--run")
    assert ran.code == 0
    assert f"Sending {count} pair" in ran.err
    assert before.isdisjoint(str(one["pair"]) for one in asked(alike))
    lines = (alike.path / "proposals/answers.jsonl").read_text().splitlines()
    assert len(lines) == count
    assert lines == sorted(lines, key=lambda line: json.loads(line)["pair"])


@pytest.mark.parametrize(
    "code",
    [
        "print('I think they are the same')",
        "print(json.dumps({'pair': 'x', 'answer': 'same'}))",
        "print(json.dumps({'pair': asked[0]['pair'], 'answer': 'merge them'}))",
        "print(json.dumps({'pair': asked[0]['pair'], 'answer': 'same', 'path': '/etc/passwd'}))",
        "print(json.dumps({'pair': asked[0]['pair'], 'answer': ['same']}))",
        "print('[' * 5000)",
        "sys.exit(3)",
    ],
)
def test_anything_else_is_refused_and_records_nothing(alike: Garden, code: str) -> None:
    command(alike, code)
    ran = alike.run("judge", "--run")
    assert ran.code == 4
    assert (
        not (alike.path / "proposals/answers.jsonl").exists()
        or not (alike.path / "proposals/answers.jsonl").read_text()
    )


def test_without_a_command_it_says_what_to_do(alike: Garden) -> None:
    ran = alike.run("judge", "--run")
    assert (ran.code, "[judge] command" in ran.err) == (2, True)
