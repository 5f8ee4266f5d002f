"""The doors that any bytes may come in at, tried at random; the long run is `python -m tests.proofs.fuzz`."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.proofs.inputs import CHECKS, seeds

FOUND = Path(__file__).parent / "found"
_spoil = st.binary(max_size=12) | st.sampled_from(
    [b"---\n", b"\n", b"\r\n", b"\xff", b": ", b"- [x] accept `", b"> ", b"\x00"]
)


@st.composite
def spoilt(draw: st.DrawFn, name: str) -> bytes:
    """A real file with a few pieces cut out or put in."""
    data = draw(st.sampled_from(seeds(name)))
    for _ in range(draw(st.integers(1, 4))):
        at, drop = draw(st.integers(0, len(data))), draw(st.integers(0, 40))
        data = data[:at] + draw(_spoil) + data[at + drop :]
    return data


@pytest.mark.parametrize("name", CHECKS)
def test_any_bytes_will_do(name: str) -> None:
    @settings(max_examples=20 if name == "passes" else 150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=st.binary(max_size=200) | spoilt(name))
    def holds(data: bytes) -> None:
        CHECKS[name](data)

    holds()


@pytest.mark.parametrize("path", sorted(FOUND.iterdir()), ids=lambda path: path.name)
def test_what_was_once_found(path: Path) -> None:
    CHECKS[path.name.split("-")[0]](path.read_bytes())


@pytest.mark.parametrize(
    ("name", "data", "broken"),
    [
        ("text", b"> quote\x1b[31m", "gardener.text.quote.visible"),
        ("memory", b"\x00---\nname: a\n---\nBody.\n", "gardener.review.hunks.undone"),
    ],
)
def test_a_careless_version_is_noticed(name: str, data: bytes, broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    CHECKS[name](data)
    monkeypatch.setattr(f"tests.proofs.inputs.{broken.rsplit('.', 1)[-1]}", _careless)
    with pytest.raises(AssertionError):
        CHECKS[name](data)


def _careless(given: object, *_: object) -> object:
    return given
