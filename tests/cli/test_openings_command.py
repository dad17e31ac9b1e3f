"""`ludens openings`, and books in `match` and `rate`."""

import json
from pathlib import Path

import pytest

from ludens.agents.simple import RandomAgent
from ludens.formats.books import load_book
from ludens.formats.record import load_record
from ludens.loading.game import load_game

MAKE = ("openings", "tic_tac_toe", "--agent", "random", "--plies", 3)
DUEL = ("match", "random", "random", "--game", "tic_tac_toe")


@pytest.fixture
def book(tmp_path: Path) -> Path:
    file = tmp_path / "three.json"
    pages = [
        {"history": [4, 0]},
        {"history": [4, 1]},
        {"history": [0, 4], "value": 0.1},
    ]
    said = {"format": "ludens-openings-1", "game": "tic_tac_toe", "openings": pages}
    file.write_text(json.dumps(said))
    return file


def test_a_book_is_made_the_same_for_the_same_seed(ludens, tmp_path):
    files = [tmp_path / name for name in ("a.json", "b.json", "c.json")]
    for file, seed in zip(files, (1, 1, 2), strict=True):
        ran = ludens(*MAKE, "--count", 5, "--seed", seed, "--out", file)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith(f"Wrote {file}: 5 openings of tic_tac_toe, of 5 pos")
    made = [file.read_bytes() for file in files]
    assert made[0] == made[1] != made[2]
    book = load_book(files[0], load_game("tic_tac_toe", compiled=False))
    assert [len(one.history) for one in book.openings] == [3] * 5
    assert {one.value for one in book.openings} == {0.0}


def test_a_book_of_gomoku_is_written_for_c_gomoku_cli(ludens, tmp_path):
    command = ("openings", "gomoku:size=5", "--agent", "random", "--count", 2)
    for kind in ("offset", "pos"):
        file = tmp_path / kind
        assert ludens(*command, "--out", file, "--format", kind).code == 0
        game = load_game("gomoku:size=5", compiled=False)
        assert len(load_book(file, game).openings) == 2
    assert "," in (tmp_path / "offset").read_text()


def test_fewer_than_asked_for_are_written_and_said(ludens, tmp_path):
    ran = ludens(*MAKE[:4], "--plies", 1, "--out", tmp_path / "few.json")
    assert ran.code == 0
    assert ran.out.endswith("No more than 3 were found.\n")


def test_an_interrupted_search_keeps_what_it_found(ludens, tmp_path, monkeypatch):
    analyse, asked = RandomAgent.analyse, []

    def interrupted(self, state, *limit):
        asked.append(state)
        if len(asked) in (4, 5):
            raise KeyboardInterrupt
        return analyse(self, state, *limit)

    monkeypatch.setattr(RandomAgent, "analyse", interrupted)
    file = tmp_path / "book.json"
    assert ludens(*MAKE, "--out", file).code == 130
    assert len(json.loads(file.read_text())["openings"]) == 3
    file.unlink()
    assert ludens(*MAKE, "--out", file).code == 130
    assert list(tmp_path.iterdir()) == []


def test_games_begin_with_the_openings_of_a_book(ludens, tmp_path, book):
    folder = tmp_path / "games"
    ran = ludens(*DUEL, "--games", 6, "--book", book, "--save", folder)
    assert (ran.code, ran.err) == (0, "")
    assert "; 3 openings of a book, seed 0\n" in ran.out
    begun = [load_record(file).history[:2] for file in sorted(folder.iterdir())]
    assert begun[::2] == begun[1::2]
    assert sorted(begun[::2]) == [[0, 4], [4, 0], [4, 1]]


def test_a_book_that_is_too_short_goes_round_and_says_so(ludens, book):
    ran = ludens(*DUEL, "--games", 10, "--book", book, "--json")
    assert ran.err == f"{book} has 3 openings for 5 rounds: it goes round\n"
    facts = json.loads(ran.out)
    assert (facts["book"], facts["openings"], facts["games"]) == (3, 0, 10)


def test_ratings_take_a_book(ludens, book):
    command = ("rate", "random", "random", "--game", "tic_tac_toe", "--games", 6)
    ran = ludens(*command, "--book", book)
    assert (ran.code, ran.err) == (0, "")
    assert ludens(*command, "--book", book) == ran


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("match random random --game connect_four --book {book}", "is a book of tic_"),
        ("match random random --game tic_tac_toe --book {none}", "cannot read "),
        (
            "match random random --game tic_tac_toe --openings 1 --book {book}",
            "--book has openings of its own: leave --openings out",
        ),
        ("rate random random --game gomoku --book {book}", "is a book of tic_tac_toe"),
        ("openings tic_tac_toe", "Missing option '--out'"),
        ("openings tic_tac_toe --out {book}", "three.json exists; name another file"),
        ("openings tic_tac_toe --out {none}/x", "there is no such folder"),
        ("openings tic_tac_toe --out {none} --format psq", "no format 'psq' of books"),
        ("openings tic_tac_toe --out {none} --format pos", "of gomoku, not of tic_tac"),
        ("openings tic_tac_toe --out {none} --even 3", "Invalid value for '--even'"),
        ("openings tic_tac_toe --out {none} --agent x", "there is no agent 'x'"),
        ("openings triangle --out {none} --agent random", "is for one player"),
    ],
)
def test_mistakes_are_one_line(ludens, tmp_path, book, arguments, complaint):
    words = arguments.format(book=book, none=tmp_path / "none").split()
    ran = ludens(*words)
    assert (ran.code, ran.out) == (2, "")
    assert complaint in ran.err
    assert ran.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == [book]
