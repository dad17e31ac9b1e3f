"""Books of openings: read, written, and refused in one line."""

import json
import random
from pathlib import Path

import pytest

from ludens.errors import UserError
from ludens.formats.books import BOOKS, Book, BookOpening, load_book, read_book
from ludens.loading.game import Game, load_game

HISTORIES = [[40, 41, 30], [0, 80], []]


@pytest.fixture(scope="module")
def gomoku() -> Game:
    return load_game("gomoku:size=9", compiled=False)


@pytest.fixture(scope="module")
def tic_tac_toe() -> Game:
    return load_game("tic_tac_toe", compiled=False)


def histories(book: Book) -> list[list[int]]:
    return [opening.history for opening in book.openings]


def test_offsets_are_columns_and_rows_from_the_centre_downwards(gomoku: Game) -> None:
    book = read_book("0,0, 1,0, 0,-1\n\n-4,-4, 4,4\n", gomoku)
    assert histories(book) == [[40, 41, 31], [0, 80]]
    even = load_game("gomoku:size=6", compiled=False)  # 3 is the middle, as in C
    assert histories(read_book("0,0, -3,-3, 2,2", even)) == [[21, 0, 35]]


def test_points_are_letters_and_rows_from_the_top(gomoku: Game) -> None:
    book = read_book("e5f5e4\r\nA1 i9\r\n", gomoku)
    assert histories(book) == [[40, 41, 31], [0, 80]]


@pytest.mark.parametrize("name", BOOKS)
def test_a_book_goes_to_text_and_back(name: str, gomoku: Game) -> None:
    openings = [BookOpening(history=history) for history in HISTORIES[:2]]
    text = BOOKS[name].write(Book.of(gomoku, openings))
    book = read_book(text, gomoku)
    assert histories(book) == HISTORIES[:2]
    assert BOOKS[name].write(book) == text


def test_what_c_gomoku_cli_reads_is_written(gomoku: Game) -> None:
    book = Book.of(gomoku, [BookOpening(history=history) for history in HISTORIES[:2]])
    assert BOOKS["offset"].write(book) == "0,0, 1,0, -1,-1\n-4,-4, 4,4\n"
    assert BOOKS["pos"].write(book) == "e5f5d4\na1i9\n"


def test_our_own_books_are_of_every_game_with_chance_and_values() -> None:
    cards = load_game("triple_triad", compiled=False)
    history = [int(step) for step in cards.new(seed=3).history]
    pages = [BookOpening(history=history, value=0.05), BookOpening(history=[])]
    book = read_book(BOOKS["json"].write(Book.of(cards, pages)), cards)
    assert book.openings == pages


def test_options_that_are_usual_may_be_said(tic_tac_toe: Game, gomoku: Game) -> None:
    said = {"size": 9, "rule": "freestyle"}
    book = Book(game="gomoku", options=said, openings=[BookOpening(history=[1])])
    book.check(gomoku)
    with pytest.raises(UserError, match=r"a book of gomoku:.* not of tic_tac_toe"):
        book.check(tic_tac_toe)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0,0, 1,1\n2,2, 2,2", "line 2: move 2: g7 is not legal here"),
        ("0,0, 1", "line 1: a move is two offsets"),
        ("0,0\n\n0,--1", "line 3: '--1' is not an offset"),
        ("0,0, 5,0", "line 1: '5,0' is not on a board of 9x9"),
        ("e5e5", "line 1: move 2: e5 is not legal here"),
        ("e5x", "line 1: 'x' is not a move"),
        ("e5\ne10", "line 2: 'e10' is not on a board of 9x9"),
        ("# e5", "it is not a book of openings; formats: json, offset, pos"),
        ("", "it is not a book of openings"),
        ("{", "it is not JSON"),
        ("[" * 9999, "it is not a book of openings"),
        ('{"game": "gomoku"}', "it is not a book of openings: openings: Field"),
        ('{"game": "gomoku", "openings": []}', "openings: List should have at least 1"),
        (
            '{"game": "gomoku", "openings": [{"history": [1]}]}',
            "it is a book of gomoku, not of gomoku:size=9",
        ),
        (
            '{"game": "gomoku", "options": {"size": 9, "rule": "renju"},'
            ' "openings": [{"history": [1]}]}',
            "it is a book of gomoku:size=9,rule=renju, not of gomoku:size=9",
        ),
        (
            '{"game": "gomoku", "options": {"size": 9}, "openings":'
            ' [{"history": [1]}, {"history": [1, 81]}]}',
            "opening 2: move 2: 81 is not an action",
        ),
        (
            '{"game": "gomoku", "options": {"size": 9}, "openings":'
            ' [{"history": ["set a1 first"]}]}',
            "openings.0.history.0: Input should be a valid integer",
        ),
        (
            '{"game": "../gomoku", "openings": [{"history": [1]}]}',
            "game: String should match",
        ),
        (
            '{"game": "gomoku", "openings": [{"history": [1], "value": NaN}]}',
            "openings.0.value",
        ),
    ],
)
def test_what_is_wrong_is_one_line_with_the_place(
    text: str, why: str, gomoku: Game
) -> None:
    with pytest.raises(UserError) as error:
        read_book(text, gomoku)
    assert why in str(error.value)
    assert "\n" not in str(error.value)


def test_an_opening_that_ends_the_game_is_refused(tic_tac_toe: Game) -> None:
    book = Book.of(tic_tac_toe, [BookOpening(history=[0, 3, 1, 4, 2])])
    with pytest.raises(UserError, match="opening 1: the game is over after these"):
        book.check(tic_tac_toe)


def test_lines_are_of_gomoku_without_choices(tic_tac_toe: Game) -> None:
    with pytest.raises(UserError, match="openings of gomoku, not of tic_tac_toe"):
        read_book("b2a1", tic_tac_toe)
    options = {"size": 5, "opening": "swap2"}
    pages = [BookOpening(history=[1, 2, 3, 25])]
    for name in ("offset", "pos"):
        with pytest.raises(UserError, match="no words for the choices of swap2"):
            BOOKS[name].write(Book(game="gomoku", options=options, openings=pages))
        with pytest.raises(UserError, match="of gomoku, not of tic_tac_toe"):
            BOOKS[name].write(Book.of(tic_tac_toe, pages))


def test_a_book_without_end_is_refused(gomoku: Game) -> None:
    with pytest.raises(UserError, match="line 10002: it is too long"):
        read_book("e5\n" * 10_100, gomoku)
    many = {"game": "gomoku", "options": {"size": 9}, "openings": [{"history": []}]}
    many["openings"] *= 10_001
    with pytest.raises(UserError, match="too long; one has at most 10,000 openings"):
        read_book(json.dumps(many), gomoku)


def test_a_file_is_named_by_what_is_wrong(tmp_path: Path, gomoku: Game) -> None:
    file = tmp_path / "book.txt"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match=r"book\.txt: it is not a book of openings"):
        load_book(file, gomoku)
    with pytest.raises(UserError, match="cannot read"):
        load_book(tmp_path / "none.txt", gomoku)


@pytest.mark.parametrize("name", BOOKS)
def test_damaged_books_are_read_or_refused(name: str, gomoku: Game) -> None:
    rng = random.Random(1)
    openings = [BookOpening(history=history, value=0.1) for history in HISTORIES[:2]]
    text = BOOKS[name].write(Book.of(gomoku, openings))
    num_refused = 0
    for _ in range(200):
        at, end = sorted(rng.choices(range(len(text)), k=2))
        sign = rng.choice(["", "-", "9", "a", ",", '"', "\n", "\0", "{", "é", "٣"])
        try:
            read_book(text[:at] + sign + text[min(end, at + 3) :], gomoku)
        except UserError:
            num_refused += 1
    assert 20 < num_refused < 200
