"""What a briefing would carry, in order."""

from gardener.brief import brief, tokens, tokens_by_section
from gardener.storage.load import load
from tests.garden import NOW, Garden, days_ago


def test_order_and_what_is_left_out(garden: Garden) -> None:
    garden.memory("p/older", updated=days_ago(9))
    garden.memory("p/newer", updated=days_ago(2))
    garden.memory("p/rule", kind="constraint", updated=days_ago(50))
    garden.stage("p/live", "Status: open", days=99)
    garden.stage("p/puzzling", "Status: flying", days=6)
    garden.stage("p/dropped", "Status: flying", days=7)
    garden.stage("p/finished", "Status: done", days=1)
    garden.memory("p/retired", invalid_at=days_ago(1))
    garden.memory("q/other")
    garden.memory("_global/shared", project=None, updated=days_ago(3))
    with garden.open() as store:
        memories = load(store.root, store.layout).snapshot.memories
    entries = brief(memories, NOW, project="p")
    assert [entry.memory.name for entry in entries] == ["rule", "live", "puzzling", "newer", "shared", "older"]
    assert [str(entry.until) for entry in entries if entry.until] == ["2026-09-02"]
    assert set(tokens_by_section(entries)) == {"constraint", "live stage", "unknown stage", "gotcha"}
    assert tokens("12345") == 2


def test_the_command(garden: Garden) -> None:
    garden.memory("p/rule", kind="constraint")
    assert "constraint (about" in garden.run("brief").text
    assert '"section": "constraint"' in garden.run("brief", "--json").text
    assert garden.run("brief", "--project", "nothing").code == 2
