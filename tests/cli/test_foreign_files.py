"""Files of other programs on the command line: shown, converted, played on."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from faults.made_runs import commit_iteration, make_game, make_run
from ludens.formats.registry import load_played

PSQ = "Piskvorky 9x9, 0:0, 0\n5,5,0\n6,5,0\nann\nbob\n0\n"
BRANCHED = "(;GM[4]SZ[9];B[ee](;W[fe])(;W[aa];B[bb]))"


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "game.psq"
    path.write_text(PSQ)
    return path


def test_a_file_is_shown_and_converted(ludens, game, tmp_path):
    ran = ludens("show", game, "--save", tmp_path / "game.sgf")
    assert ran.out.startswith(
        "gomoku:size=9: player 0 (ann) against player 1 (bob)\n  1. e5  2. f5\n"
    )
    assert ";B[ee];W[fe])" in (tmp_path / "game.sgf").read_text()
    strange = ludens("show", game, "--save", tmp_path / "game.pgn")
    assert (strange.code, strange.out) == (2, "")
    assert "no format is known by its suffix; known: .json, .jsonl, .psq" in strange.err


def test_what_a_file_leaves_open_is_named(ludens, game):
    ran = ludens("show", game, "--as", "gomoku:rule=caro,size=9")
    assert ran.out.startswith("gomoku:size=9,rule=caro: ")
    other = ludens("show", game, "--as", "gomoku")
    assert (
        other.err == f"ludens: {game}: it is a game of gomoku:size=9, not of gomoku\n"
    )


def test_variations_are_kept_when_a_file_is_converted(ludens, tmp_path):
    path, kept = tmp_path / "game.sgf", tmp_path / "game.json"
    path.write_text(BRANCHED)
    assert ludens("show", path, "--save", kept).code == 0
    variation = {"of": 0, "at": 1, "history": [0, 10]}
    assert json.loads(kept.read_text())["variations"] == [variation]


def test_one_of_several_games_is_named_by_its_number(ludens, tmp_path):
    path = tmp_path / "games.txt"
    path.write_text("44\n1234\n")
    assert "name one by its number: --game 1" in ludens("show", path).err
    assert "1. 1  2. 2  3. 3  4. 4" in ludens("show", path, "--game", 2).out


def test_rows_from_the_bottom_are_told_by_the_user(ludens, tmp_path):
    path = tmp_path / "game.txt"
    path.write_text("h8i9")
    assert "say from where its rows are counted" in ludens("show", path).err
    assert "1. h8  2. i7" in ludens("show", path, "--format", "bottom").out


def test_a_game_is_loaded_played_on_and_saved(ludens, tmp_path):
    path, saved = tmp_path / "game.sgf", tmp_path / "after.sgf"
    path.write_text(BRANCHED)
    play = ("play", "gomoku:size=9", "--vs", "human", "--load", path)
    ran = ludens(*play, "--save", saved, lines="e4")
    assert ran.out.endswith(f"Left 3 moves into the game.\nSaved to {saved}.\n")
    record = load_played(saved)
    assert record.history == [40, 41, 31]
    assert [one.history for one in record.variations] == [[0, 10]]
    assert ludens("play", path, "--vs", "human", lines="e4").code == 0


def test_a_game_of_another_size_is_not_played_on(ludens, game):
    ran = ludens("play", "gomoku", "--load", game)
    assert (ran.code, ran.out) == (2, "")
    assert "it is a game of gomoku:size=9, not of gomoku" in ran.err


def test_a_match_is_saved_in_another_format(ludens, tmp_path):
    match = ("match", "random", "random", "--games", 2, "--save", tmp_path / "games")
    ran = ludens(*match, "--format", "psq", "--game", "tic_tac_toe")
    assert (ran.code, ran.out) == (2, "")
    assert "PSQ has games of gomoku, not of tic_tac_toe" in ran.err
    assert ludens(*match, "--format", "top", "--game", "tic_tac_toe").code == 0
    first, second = sorted((tmp_path / "games").iterdir())
    assert (first.name, second.name) == ("game-1.txt", "game-2.txt")
    assert load_played(first).game == "tic_tac_toe"


def test_a_game_of_a_run_is_shown_and_saved(ludens, tmp_path):
    folder, saved = tmp_path / "run", tmp_path / "game.json"
    history = np.array([0, 3, 1, 4, 2], np.int32)
    games = [make_game(0), replace(make_game(1), history=history, ending="played")]
    with make_run(folder) as run:
        commit_iteration(run, 1, games, [], None, None, {})
    ran = ludens("show", folder, "--game", 1, "--save", saved)
    assert "Player 0 won after 5 moves" in ran.out
    assert load_played(saved).result == 1
    assert (
        "has no finished game 7; the last is 1"
        in ludens("show", folder, "--game", 7).err
    )


def test_a_file_that_is_not_there_is_not_taken_for_a_run(ludens) -> None:
    ran = ludens("show", "nowhere.psq")
    assert (ran.code, ran.err) == (
        2,
        "ludens: cannot read nowhere.psq: No such file or directory\n",
    )
