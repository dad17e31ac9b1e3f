"""Damaged files of other programs are read or refused, in a line and soon."""

from pathlib import Path

import pytest

from faults import hostile_games


@pytest.mark.parametrize("name", hostile_games.FORMATS)
def test_a_file_before_it_is_damaged_is_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDENS_COMPILE", "0")
    path = tmp_path / f"game{hostile_games.SUFFIXES.get(name, '.txt')}"
    path.write_text(hostile_games.HONEST[name])
    hostile_games.read(path)


def test_damaged_files_of_games_do_no_harm() -> None:
    assert hostile_games.run(40, seed=1).failures == []


def test_a_reader_that_falls_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(path: Path) -> None:
        path.read_text(encoding="ascii")

    monkeypatch.setattr(hostile_games, "read", read)
    assert hostile_games.run(40, seed=1).failures
