"""What fixed searches come to: the same for any number of threads, and as stored."""

from pathlib import Path

import pytest

from ludens.bench.fingerprint import fingerprint
from ludens.loading.game import game_files
from marked import quick

GOLDEN = Path(__file__).parent.parent / "golden" / "search" / "fingerprint.txt"
STORED = dict(line.split() for line in GOLDEN.read_text(encoding="utf-8").splitlines())


def test_every_game_has_a_stored_fingerprint() -> None:
    assert sorted(STORED) == sorted(game_files())


@pytest.mark.parametrize("name", quick(sorted(STORED), "tic_tac_toe"))
def test_searches_come_to_what_is_stored(name: str) -> None:
    """`ludens bench fingerprint` prints them anew after a wanted change."""
    assert fingerprint([name], threads=2)[name] == STORED[name]
