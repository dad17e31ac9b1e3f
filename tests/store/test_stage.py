"""Games of self-play that are seen while they are played."""

import json
import os
from pathlib import Path

import pytest

from ludens.store.stage import FILE, GameSeen, forget_stage, read_stage, write_stage

GAME = GameSeen(7, 3, [4, 0, 8], [0.0, -0.25, 0.5], [0, 1, 2])


def test_games_are_read_as_they_were_written(tmp_path: Path) -> None:
    assert read_stage(tmp_path) == []
    write_stage(tmp_path, [GAME])
    assert read_stage(tmp_path) == [GAME]
    forget_stage(tmp_path)
    assert read_stage(tmp_path) == []


def test_games_of_a_process_that_was_killed_are_not_shown(tmp_path: Path) -> None:
    write_stage(tmp_path, [GAME])
    os.utime(tmp_path / FILE, (0, 0))
    assert read_stage(tmp_path) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"history": [1.5]},
        {"history": [-1]},
        {"history": "123"},
        {"values": [float("nan")]},
        {"values": ["0.5"]},
        {"number": True},
        {"kinds": None},
        {"more": 1},
        {"history": [0] * 5001},
    ],
)
def test_what_is_no_game_is_not_shown(tmp_path: Path, changes: object) -> None:
    facts = vars(GAME) | changes  # type: ignore[operator]
    (tmp_path / FILE).write_text(json.dumps([facts]), encoding="utf-8")
    assert read_stage(tmp_path) == []


def test_a_file_that_is_no_list_is_not_shown(tmp_path: Path) -> None:
    for text in ("{}", "[1]", "[[]]", "null", "[" * 100_000):
        (tmp_path / FILE).write_text(text, encoding="utf-8")
        assert read_stage(tmp_path) == []
