"""A credential in a memory: named by kind and line, redacted on request, and copied nowhere."""

import pytest

from gardener.errors import UsageError
from gardener.model.operation import FileChange
from gardener.proposals.answers import Answer
from gardener.review import by_hand
from gardener.review.session.card import changed_lines
from gardener.review.undo import undo
from tests.garden import Garden, days_ago
from tests.text.test_secrets import SENTENCES, made


def everything_written(garden: Garden) -> bytes:
    """All bytes outside the memories, the cache and the journal included."""
    return b"".join(
        path.read_bytes()
        for path in garden.path.rglob("*")
        if path.is_file() and "memory" not in path.relative_to(garden.path).parts[:1]
    )


def test_left_alone(garden: Garden) -> None:
    garden.memory("p/m", "The password is in the vault, see TEAM_VAULT_PATH.\n")
    garden.tend()
    assert garden.pending() == []


def test_no_value_is_copied_anywhere(garden: Garden) -> None:
    values = made()
    for number, (kind, value) in enumerate(values.items()):
        said = SENTENCES.get(kind, "use {} for it").replace("{}", value)
        garden.stage(
            f"p/s{number}", "Status: done", body=f"\n- [ ] {said}\n\n## Next\n- {said}\n", description=f"'{said}'"
        )
        garden.memory(f"p/m{number}", f"{said}\n", description=f"'{said}'", name=f"x-{number}", updated=days_ago(200))
        garden.write(f"memory/p/bad{number}.md", f"---\nname: a: {said}\n'{said}\n---\n{said}\n")
    garden.settings("[limits]\nmax_pending = 1000\n[passes.secrets]\nmax_pending = 1000\n")
    runs = [
        garden.run(*arguments)
        for arguments in (
            ["init"],
            ["tend"],
            ["tend", "--json"],
            ["report"],
            ["list", "--state", "all"],
            ["why", "memory/p/m3.md"],
            ["doctor"],
            ["brief"],
            ["status"],
        )
    ]
    runs += [garden.run("show", one.id, *more) for one in garden.pending()[:5] for more in ([], ["--diff"])]
    printed = b"".join(ran.out + ran.err.encode() for ran in runs)
    written = everything_written(garden)
    assert len(garden.pending("secrets")) >= len(values) * 2
    leaked = [kind for kind, value in values.items() if value.encode() in printed or value.encode() in written]
    assert leaked == []


def test_the_file_gets_no_other_proposal_until_it_is_decided(garden: Garden) -> None:
    garden.memory("p/m", f"use {made()['github-token']}\n", updated=days_ago(200))
    garden.tend()
    assert garden.one().document.proposal.risk == "lossy"
    with garden.decider() as decider:
        decider.answer(garden.one().id, Answer("accept"))
    garden.tend()
    assert [one.document.proposal.pass_name for one in garden.pending()] == ["staleness"]


def test_accepting_redacts_and_leaves_no_trace(garden: Garden) -> None:
    value = made()["github-token"]
    path = garden.memory("p/m", f"Before.\nuse {value} here\r\nAfter.\n")
    garden.tend()
    identity = garden.one().id
    with garden.decider() as decider:
        decider.answer(identity, Answer("accept"))
        assert b"use [redacted github-token] here\r\nAfter.\n" in path.read_bytes()
        assert value.encode() not in everything_written(garden)
        with pytest.raises(UsageError, match="cannot be undone"):
            undo(decider, identity)


def test_a_change_by_hand_that_would_copy_one_is_refused(garden: Garden) -> None:
    value = made()["github-token"]
    for name, said in (("one", value), ("two", "nothing")):
        garden.write(f"memory/{name}.md", f"---\nname: {name}\ndescription: use {said}\ntype: user\n---\nText.\n")
    with garden.decider() as decider, pytest.raises(UsageError, match="credential"):
        by_hand.archive(decider, "one", "old")


def test_a_value_named_once_is_masked_wherever_a_part_of_the_file_is_shown(garden: Garden) -> None:
    value = "zQ7Lm2vX9td"
    front = {"description": f"log in with {value} on the box", "updated": days_ago(200), "created": days_ago(300)}
    text = "The night job copies the ledger to the second box and then tells the operators that it went well.\n"
    garden.memory("p/login", f"{text}\nThe password: {value} is shared. Link [[gone-{value}]].\n", **front)
    garden.memory("p/login-too", f"{text}\nType {value} twice.\n")
    commands = (
        ["tend"],
        ["tend", "--json"],
        ["report"],
        ["brief"],
        ["brief", "--json"],
        ["judge"],
        ["judge", "--json"],
    )
    more = (["review", "--look-alikes"], ["list", "--json"], ["check"], ["why", "memory/p/login.md"], ["doctor"])
    printed = b"".join(ran.out + ran.err.encode() for one in (*commands, *more) for ran in [garden.run(*one)])
    printed += garden.run("show", garden.one("secrets").id).out
    garden.run("reject", garden.one("secrets").id)
    garden.tend()
    assert value.encode() not in printed
    assert value.encode() not in everything_written(garden)


def test_a_bare_place_before_the_telling_one_is_redacted_too(garden: Garden) -> None:
    value = "zQ7Lm2vX9td"
    path = garden.memory("p/m", f"Type {value} here, {value}.\npassword: {value}\n")
    garden.tend()
    assert garden.run("apply", garden.one("secrets").id).code == 0
    assert path.read_text().endswith(
        "Type [redacted password] here, [redacted password].\npassword: [redacted password]\n"
    )


def test_very_many_places_are_counted_and_not_listed(garden: Garden) -> None:
    path = garden.memory("p/m", "password: Deploy1-prod\n" + "Deploy1-prod host runs here.\n" * 2000)
    garden.tend()
    filed = garden.one("secrets")
    assert "in 2,001 lines, the first" in filed.document.proposal.summary
    with garden.decider() as decider:
        decider.answer(filed.id, Answer("accept"))
    assert b"Deploy1-prod" not in path.read_bytes()


def test_no_patch_shows_one_nor_is_one_kept_for_undo(garden: Garden) -> None:
    value = made()["password"]
    garden.memory("p/near", f"The password is {value}.\n", updated=days_ago(200))
    garden.memory("p/bare", f"The password is `{value}`.\n\nType {value} twice.\n")
    garden.tend()
    for one in garden.pending():
        ran = garden.run("show", one.id, "--diff")
        assert (ran.code, value.encode() in ran.out) == (2, False)
    with garden.decider() as decider:
        for one in garden.pending("secrets"):
            decider.answer(one.id, Answer("accept"))
    assert value.encode() not in b"".join(garden.bytes().values())


def test_the_review_shows_what_goes_without_it(garden: Garden) -> None:
    value = made()["github-token"]
    before = f"use {value} here\n".encode()
    change = FileChange("memory/p/m.md", before, b"use [redacted github-token] here\n")
    shown = "\n".join(line.plain for line in changed_lines(change, 80, words=False))
    assert value not in shown
    assert "- use <github-token> here\n+ use [redacted github-token] here" in shown


def test_a_key_cut_into_sentences_is_not_quoted_either(garden: Garden) -> None:
    lines = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "q7Lm2vX9tdKc81ZpWnQe5RbYhJ4sTgUa"]
    key = (
        "-----BEGIN RSA "
        + "PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n"
        + "\n".join(lines)
        + "\n-----END RSA PRIVATE KEY-----\n"
    )
    shared = "The deploy key of the batch host is kept here for the night job of the export.\n"
    garden.memory("p/deploy-key", shared, description="the key")
    garden.memory("p/deploy-key-old", f"{shared}\n{key}", description="the key")
    garden.tend()
    garden.run("reject", garden.one("secrets").id)
    garden.run("label", "deploy-key-old", "deploy-key", "same")
    garden.tend()
    written = everything_written(garden)
    assert len(garden.pending("dedup")) == 1
    assert not [line for line in lines if line.encode() in written]
