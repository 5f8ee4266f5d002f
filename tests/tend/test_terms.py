"""The term index: what is not touched stays as it is, what changed or went is brought up to date."""

from gardener.storage.beneath import open_root
from gardener.storage.cache import open_cache
from tests.garden import Garden


def terms(garden: Garden) -> dict[str, tuple[str, bytes]]:
    with open_root(garden.path) as root, open_cache(root, create=False) as cache:
        return {path: (sha, data) for path, sha, data in cache.terms()}


def test_only_what_changed_is_written_anew(garden: Garden) -> None:
    kept, changed, gone = (garden.memory(f"p/{name}", f"The {name} one.\n") for name in ("kept", "changed", "gone"))
    garden.tend()
    before = terms(garden)
    assert set(before) == {f"memory/p/{path.name}" for path in (kept, changed, gone)}
    # A mark that would be lost if the row were written again.
    with open_root(garden.path) as root, open_cache(root) as cache:
        cache.index([("memory/p/kept.md", before["memory/p/kept.md"][0], b"marked")])
    changed.write_text(changed.read_text() + "It holds more now.\n")
    gone.unlink()
    garden.tend()
    after = terms(garden)
    assert set(after) == {"memory/p/kept.md", "memory/p/changed.md"}
    assert after["memory/p/kept.md"][1] == b"marked"
    assert after["memory/p/changed.md"] != before["memory/p/changed.md"]


def test_a_dry_run_writes_none(garden: Garden) -> None:
    garden.memory("p/kept")
    garden.tend()
    before = terms(garden)
    garden.memory("p/new")
    assert garden.run("tend", "--dry-run").code == 0
    assert terms(garden) == before
