"""A review at a real terminal, with real keys."""

import pytest

from gardener.model.edit import SetField, Supersede
from gardener.model.finding import Choice, Finding, Loss
from tests.garden import Garden, days_ago, ulid
from tests.person import Person
from tests.review.test_apply import propose


@pytest.fixture
def queue(garden: Garden) -> Garden:
    """A finished stage (safe), three copies, a choice, and two old memories, in a git repository."""
    garden.write(".git/HEAD", "ref: refs/heads/main\n")
    garden.stage("p/s", "Status: done", body="\nThe work was done.\n")
    for name in "abc":
        garden.memory(f"p/{name}", f"Shared words.\nOnly {name} says this.\n", id=ulid(ord(name)))
    for name in ("old", "older"):
        garden.memory(f"p/{name}", updated=days_ago(200))
    garden.memory("p/port-1", "Port 1.\n")
    garden.memory("p/port-2", "Port 2.\n")
    garden.settings("[passes.dedup]\nenabled = false\n[passes.conflict]\nenabled = false\n")
    garden.tend()
    a, b, c = (f"memory/p/{name}.md" for name in "abc")
    losses = (Loss(b, 2, ("Only b says this.",)), Loss(c, 2, ("Only c says this.",)))
    propose(
        garden, Finding("dedup", "Three say the same", (a, b, c), (Supersede(b, a), Supersede(c, a)), losses=losses)
    )
    one, two = "memory/p/port-1.md", "memory/p/port-2.md"
    choices = (Choice("a", "keep both"), Choice("b", "port 2 it is", (Supersede(one, two),)))
    propose(garden, Finding("conflict", "Which port", (one, two), choices=choices))
    return garden


def active(garden: Garden) -> set[str]:
    return {
        path for path, data in garden.memories().items() if path.startswith("memory/") and b"invalid_at" not in data
    }


def test_off_a_terminal_it_prints_the_commands(queue: Garden) -> None:
    ran = queue.run("review")
    assert ran.code == 0
    assert all(f"gardener reject {filed.id}" in ran.text for filed in queue.pending())
    assert "--choose b  # port 2 it is" in ran.text
    assert len(queue.pending()) == 5


def test_keys_that_do_nothing_do_nothing(queue: Garden) -> None:
    before = queue.bytes()
    with Person(queue, "review") as person:
        person.sees("[1/5] stale_stage · safe")
        for key in ("\r", "\n", "\x1b", "h", "l", "\t", "\x1b[C", "é", "\x00"):
            person.press(key)
            person.waits()
            assert queue.bytes() == before
        person.press("q")
        person.sees("Nothing was decided")
        assert person.leaves() == 0
    assert queue.bytes() == before


def test_every_decision_is_on_disk_before_the_next_is_shown(queue: Garden) -> None:
    with Person(queue, "review") as person:
        person.sees("[1/5] stale_stage · safe")
        person.press("y")
        person.sees("[1/4]")
        assert "memory/p/s.md" not in active(queue)
        person.hangs_up()
    with Person(queue, "review") as person:
        person.sees("[1/4]")
        person.press("q")
        assert person.leaves() == 0


def test_a_whole_review_with_every_key(queue: Garden) -> None:
    with Person(queue, "review") as person:
        person.sees("[1/5] stale_stage · safe")
        person.press("?")
        person.sees("any key goes back")
        person.press("q")
        person.sees("? help")
        person.press("d")
        person.sees("? help")
        person.press("d")
        person.sees("? help")
        assert "invalid_at:" not in person.plain
        assert "hidden; d shows it" in person.plain
        person.press("dy")
        person.sees("[1/4]")
        person.press("u")
        person.sees("Undone")
        person.press("y")
        person.sees("[1/4]")
        person.press("/Which\n")
        person.sees("Which port")
        person.press("y")
        person.sees("Pick an answer first")
        person.press("2")
        person.sees("2 (x) port 2 it is")
        person.press("o1")
        person.sees("Which port")
        person.press("e")
        person.sees("Which port")
        person.press("y")
        person.sees("/3]")
        person.press("/Three\n")
        person.sees("Three say the same")
        person.press("x")
        person.sees("Keep which one")
        person.press("B\n")
        person.sees("1 [x] A")
        person.press("f")
        person.sees("Back to the plan")
        person.press("f")
        person.sees("Only b says this.")
        person.press("2")
        person.sees("2 [ ] C")
        person.press("y")
        person.sees("/2]")
        person.press("k")
        person.sees("[1/2]")
        person.press("j")
        person.sees("[2/2]")
        person.press("k")
        person.sees("[1/2]")
        person.press("s")
        person.sees("[2/2]")
        person.press("n")
        person.sees("2 still needed")
        person.press("\x1b")
        person.sees("[2/2]")
        person.press("n2")
        text = person.sees("git add -A")
        assert person.leaves() == 0
    assert "Applied 3:" in text
    assert "Kept 1:" in text
    assert "Skipped 1" in text
    assert "gardener undo" in text
    left = {path.removeprefix("memory/p/").removesuffix(".md") for path in active(queue)}
    assert left == {"a", "c", "old", "older", "port-2"}
    assert b"Only b says this." in queue.memories()["memory/p/a.md"]


def test_the_rest_of_a_pass_goes_after_a_typed_count_and_snooze_and_hide_by_one_key(queue: Garden) -> None:
    with Person(queue, "review", "--pass", "staleness") as person:
        person.sees("[1/2] staleness")
        person.press("Y")
        person.sees("Type 2 to apply")
        person.press("\n")
        person.sees("Nothing was done")
        person.press("N2\n")
        person.sees("Kept 2:")
        assert person.leaves() == 0
    with Person(queue, "review") as person:
        person.sees("[1/3]")
        person.press("z3")
        person.sees("[1/2]")
        person.press("H")
        person.sees("[1/1]")
        person.press("\x03")
        text = person.sees("git commit")
        assert person.leaves() == 0
    assert "Snoozed 1" in text
    assert "Hidden 1" in text


@pytest.mark.parametrize(
    ("columns", "environment"),
    [(80, {}), (200, {}), (80, {"NO_COLOR": "1"}), (40, {}), (80, {"TERM": "dumb"})],
)
def test_screens(queue: Garden, columns: int, environment: dict[str, str]) -> None:
    queue.memory("p/hostile", "x\n", description='"\\e[31mred\\u202e"', updated=days_ago(300))
    queue.tend()
    with Person(queue, "review", "--pass", "staleness", columns=columns, **environment) as person:
        text = person.sees("? help")
        assert max(len(line) for line in text.split("\n")) <= columns
        if "NO_COLOR" in environment:
            assert "\x1b[31m" not in person.seen
        assert "\\u202e" in text
        assert "\u202e" not in text
        assert ("│" in text.split("memory/p/")[-1]) == (columns >= 140)
        person.press("q")
        assert person.leaves() == 0


def test_what_moved_on_is_refused_and_the_review_goes_on(queue: Garden) -> None:
    a = "memory/p/old.md"
    propose(queue, Finding("description", "Says little", (a,), (SetField(a, "description", "More."),), risk="safe"))
    with Person(queue, "review", "--pass", "description") as person:
        person.sees("Says little")
        queue.memory("p/old", "Changed meanwhile.\n")
        person.press("y")
        text = person.sees("Refused")
        assert person.leaves() == 0
    assert "changed since it was proposed" in text


def test_what_was_taken_back_last_is_shown_again_in_its_place(queue: Garden) -> None:
    before = queue.memories()
    with Person(queue, "review") as person:
        person.sees("[1/5] stale_stage")
        person.press("jj")
        place = person.sees("[3/5]").split("[3/5]")[1].split("\n")[0].rsplit("·", 1)[0]
        for keys, left in (("n1", 4), ("n2", 4)):
            person.press(keys)
            person.sees(f"/{left}]")
            person.press("ku")
            text = person.sees("Undone: ")
            assert f"[3/5]{place}" in text
        person.press("q")
        assert "gardener undo" not in person.sees("5 still open")
        assert person.leaves() == 0
    assert queue.memories() == before


def test_a_snooze_is_taken_back_to_the_byte_and_never_offered_to_undo(queue: Garden) -> None:
    filed = next(one for one in queue.pending() if one.document.proposal.pass_name == "stale_stage")
    queue.write(filed.path, filed.data.replace(b"- [ ] reject", b"- [x] reject", 1))
    before = queue.bytes()
    with Person(queue, "review") as person:
        person.sees("[1/5] stale_stage")
        person.press("z3")
        person.sees("[1/4]")
        assert queue.bytes() != before
        person.press("u")
        person.sees("Undone: ")
        person.sees("[1/5] stale_stage")
        assert queue.bytes() == before
        person.press("jn1")
        person.sees("/4]")
        person.press("kz1")
        person.sees("/3]")
        person.press("q")
        text = person.sees("git commit")
        assert person.leaves() == 0
    offered = text.split("gardener undo ")[1].split()[0]
    assert offered != filed.id
    assert queue.run("undo", offered).code == 0


def test_a_snoozed_file_that_was_written_in_since_is_left_as_it_is(queue: Garden) -> None:
    filed = next(one for one in queue.pending() if one.document.proposal.pass_name == "stale_stage")
    with Person(queue, "review") as person:
        person.sees("[1/5] stale_stage")
        person.press("z3")
        person.sees("[1/4]")
        written = queue.inbox.by_id[filed.id].data + b"A remark.\n"
        queue.write(filed.path, written)
        person.press("u")
        person.sees("changed since it was snoozed")
        person.press("q")
        text = person.sees("git commit")
        assert person.leaves() == 0
    assert "gardener undo" not in text
    assert queue.inbox.by_id[filed.id].data == written


def test_outside_a_git_repository_no_line_for_git_is_printed(queue: Garden) -> None:
    (queue.path / ".git/HEAD").unlink()
    with Person(queue, "review") as person:
        person.sees("[1/5] stale_stage")
        person.press("yq")
        text = person.sees("gardener undo")
        assert person.leaves() == 0
    assert "git add" not in text + person.plain


@pytest.mark.parametrize("ending", ["\x1b", "\x03"])
def test_a_question_says_how_it_ends_and_is_taken_back(queue: Garden, ending: str) -> None:
    before = queue.bytes()
    with Person(queue, "review") as person:
        person.sees("[1/5] stale_stage")
        person.press("/Three\r")
        person.sees("2 [x] C")
        for opening in "/x0Y":
            person.press(opening)
            person.sees("Enter ends it, Escape goes back")
            person.sees("> ")
            person.press("1b")
            person.sees("1b")
            person.press(ending)
            assert "2 [x] C" in person.sees("? help")
        person.press("q")
        person.sees("Nothing was decided")
        assert person.leaves() == 0
    assert queue.bytes() == before


def test_a_menu_is_taken_back_by_control_c(queue: Garden) -> None:
    with Person(queue, "review") as person:
        person.sees("[1/5] stale_stage")
        for key, offer in (("n", "2 still needed"), ("z", "3 = 14 days"), ("?", "any key goes back")):
            person.press(key)
            person.sees(offer)
            person.press("\x03")
            person.sees("[1/5] stale_stage")
        person.press("q")
        person.sees("Nothing was decided")


def test_a_typed_line_can_be_mended_and_holds_no_control_codes(queue: Garden) -> None:
    with Person(queue, "review") as person:
        person.sees("[1/5] stale_stage")
        person.press("/Whxé\x7f\x7f\x1b[Aich port\n")
        person.sees("Which port\n")
        person.press("/\x7fnowhere\x1b[D\t\n")
        person.sees("Nothing found for 'nowhere'")
        person.press("q")
        assert person.leaves() == 0


def test_the_digits_are_named_where_there_is_something_to_pick_or_to_tick(queue: Garden) -> None:
    with Person(queue, "review", columns=200) as person:
        text = person.sees("q quit")
        assert "pick" not in text
        assert "tick" not in text
        for wanted, says in (("Which", "1-2 pick  y apply"), ("Three", "1-2 tick  y apply")):
            person.press(f"/{wanted}\n")
            person.sees(says)


def test_a_byte_that_is_no_character_takes_no_key_with_it(queue: Garden) -> None:
    with Person(queue, "review") as person:
        person.sees("[1/5] stale_stage")
        for stray in (b"\xe9", b"\xf0\x9f", b"\xc3", b"\xff", b"\x80"):
            person.press(stray + b"jj")
            person.sees("[3/5]")
            person.press(stray)
            person.waits()
            person.press("kk")
            person.sees("[1/5]")
