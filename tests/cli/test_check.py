"""The hint at the moment a memory is written."""

import json
import subprocess
import sys

import pytest

from tests.garden import Garden, ulid

BOOT = "The indexer opens its collection while it is imported and hangs for ever when the port is closed.\n"


@pytest.fixture
def known(garden: Garden) -> Garden:
    garden.memory("p/boot-order", BOOT, description="the indexer hangs when it starts first")
    for number in range(5):
        garden.memory(f"p/other-{number}")
    garden.tend()
    return garden


def test_what_it_resembles(known: Garden) -> None:
    near = json.loads(known.run("check", "-", "--json", stdin=BOOT).out)[0]["near"]
    assert near[0]["path"] == "memory/p/boot-order.md"
    assert near[0]["verdict"] in {"duplicate", "contained"}
    assert known.run("check", "-", "--check", stdin=BOOT).code == 1


def test_nothing_like_it(known: Garden) -> None:
    ran = known.run("check", "-", "--check", stdin="Quite another matter: zebras graze at noon.\n")
    assert ran.code == 0


def test_faults_of_a_file_in_the_store(known: Garden) -> None:
    path = known.memory("p/new", "Something else altogether.\n", description="", kind="gocha")
    found = json.loads(known.run("check", str(path), "--json").out)[0]
    assert found["path"] == "memory/p/new.md"
    assert {"description", "identity"} <= {fault["pass"] for fault in found["faults"]}


MINE = "---\nid: {0}\nname: boot-wait\nproject: p\nkind: gotcha\ndescription: what {1}\n---\nZebras.\n"


@pytest.mark.parametrize("place", ["-", "elsewhere.md", "store/drafts/draft.md"])
def test_a_text_without_a_place_is_not_judged_by_it(known: Garden, place: str) -> None:
    text = MINE.format(ulid(7), "zebras do")
    draft = known.path.parent / place
    draft.parent.mkdir(exist_ok=True)
    draft.write_text(text)
    name = "-" if place == "-" else str(draft)
    ran = known.run("check", name, "--json", stdin=text)
    assert [fault["pass"] for fault in json.loads(ran.out)[0]["faults"]] == []


def test_a_memory_in_a_folder_two_levels_down_is_judged_by_it(known: Garden) -> None:
    known.settings('[store]\nmemory = ["docs/memory", "memory"]\n')
    path = known.write("docs/memory/p/boot-wait.md", MINE.format(ulid(7), "zebras do"))
    assert json.loads(known.run("check", str(path), "--json").out)[0]["faults"] == []
    wrong = known.write("docs/memory/q/wait.md", MINE.format(ulid(8), "zebras do"))
    found = json.loads(known.run("check", str(wrong), "--json").out)[0]["faults"]
    assert [fault["pass"] for fault in found] == ["identity", "identity"]


def test_the_best_match_is_first_and_chance_words_are_no_match(known: Garden) -> None:
    words = "The gateway listens on port {0} and keeps a session for an hour before it asks again.\n"
    known.memory("p/gateway-a", words.format("8080") + "It reads the flags of region one.\n")
    known.memory("p/gateway-b", words.format("8080") + "It is drained by hand, region by region, at night.\n")
    known.memory("p/lunch", "Lunch is at noon, before the gateway meeting.\n")
    known.tend()
    near = json.loads(known.run("check", "-", "--json", stdin=words.format("8080")).out)[0]["near"]
    told = [one["verdict"] in {"duplicate", "contained", "conflict"} for one in near]
    assert told == sorted(told, reverse=True)
    rest = [one["cosine"] for one in near if one["verdict"] not in {"duplicate", "contained", "conflict"}]
    assert rest == sorted(rest, reverse=True)
    assert all(cosine >= 0.3 for cosine in rest)
    assert "memory/p/lunch.md" not in {one["path"] for one in near}
    text = known.run(
        "check", "-", stdin="Zebras of the seventh herd cross the gateway of their park while the sun is low.\n"
    ).text
    assert "lunch" not in text


@pytest.mark.parametrize(
    ("after", "claim"),
    [
        (BOOT.replace("closed", "open"), True),
        (BOOT.replace("hangs", "never hangs"), True),
        (BOOT + "See the log.\n", False),
    ],
)
def test_an_edit_that_carries_a_new_claim(known: Garden, after: str, claim: bool) -> None:
    old = known.path.parent / "old.md"
    old.write_text(BOOT)
    ran = known.run("check", "-", "--was", str(old), stdin=after)
    assert ("new claim: supersede instead" in ran.text) == claim


def test_the_store_as_a_whole(known: Garden) -> None:
    known.memory("p/thin", "The dashboard shows the load.\n", kind="reference")
    assert "kind_shape" in known.run("check").text
    assert known.run("check", "--check").code == 1
    assert known.run("check", "nowhere.md").code == 2


def test_it_needs_no_heavy_library(known: Garden) -> None:
    code = (
        "import sys\nfrom gardener.__main__ import main\n"
        f"sys.argv = ['gardener', '--store', {str(known.path)!r}, 'check', '-']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], input=BOOT, capture_output=True, text=True, check=True)
    assert not {"sklearn", "scipy", "numpy", "sparse_dot_topn"} & set(eval(done.stderr.strip().splitlines()[-1]))
