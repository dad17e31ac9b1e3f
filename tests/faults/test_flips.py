"""Bit flips and cuts: no damage to a run passes in silence."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from faults import flips


def test_no_damage_is_silent() -> None:
    assert flips.run(60, 1).failures == []


@pytest.mark.parametrize("is_checked", [True, False])
def test_a_changed_game_is_silent_only_without_checksums(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_checked: bool
) -> None:
    if not is_checked:
        monkeypatch.setattr("zlib.crc32", lambda *_: 0)
    folder = flips.make_victim(tmp_path / "run")
    honest, _ = flips.read_all(folder)
    with closing(sqlite3.connect(folder / "games.sqlite")) as base, base:
        base.execute("UPDATE games SET seed = 5 WHERE number = 15")
    silent = "" if is_checked else "other games, and not a word"
    assert flips.why_silent(folder, honest) == silent


def test_a_changed_net_is_silent_only_without_checksums(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ludens.store.checkpoints.Named.read", read_blindly)
    monkeypatch.setattr("ludens.files._checksum", lambda *_: "")
    assert any("not a word" in line for line in flips.run(60, 1).failures)


def read_blindly(named, folder):
    return (folder / named.file).read_bytes()
