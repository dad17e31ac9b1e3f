"""Tic-tac-toe: hand-worked positions."""

from itertools import combinations

import numpy as np
import pytest

from ludens import Game, State, load_game

ROWS = ["a1 b1 c1", "a2 b2 c2", "a3 b3 c3"]
COLUMNS = ["a1 a2 a3", "b1 b2 b3", "c1 c2 c3"]
LINES = [*ROWS, *COLUMNS, "a1 b2 c3", "c1 b2 a3"]
CELLS = " ".join(ROWS).split()


@pytest.fixture(scope="module")
def game() -> Game:
    return load_game("tic_tac_toe", compiled=False)


def play(game: Game, moves: str) -> State:
    state = game.new()
    state.apply_moves(moves)
    return state


def position(game: Game, text: str, to_play: int) -> State:
    """Return the state drawn as text."""
    state = game.new()
    marks = [{"X": 1, "O": -1, ".": 0}[mark] for mark in text.split()]
    state.raw.board = marks
    state.raw.ply = np.count_nonzero(marks)
    state.raw.to_play = to_play
    return state


def is_won_by(state: State, action: str) -> bool:
    """Play a move; tell whether its player has won."""
    mover = state.to_play
    state.apply(action)
    return state.result == 1 - 2 * mover


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("mover", [0, 1])
def test_three_in_a_row_win_whichever_comes_last(game: Game, line: str, mover: int):
    for last in line.split():
        state = position(game, ". " * 9, mover)
        for cell in line.split():
            state.raw.board[CELLS.index(cell)] = (1 - 2 * mover) * (cell != last)
        state.raw.ply = 4
        assert is_won_by(state, last)
        assert state.is_over


def test_no_other_three_win(game: Game):
    for cells in combinations(CELLS, 3):
        state = position(game, ". " * 9, 0)
        for cell in cells[:2]:
            state.raw.board[CELLS.index(cell)] = 1
        assert is_won_by(state, cells[2]) == (
            set(cells) in map(set, map(str.split, LINES))
        )


def test_a_full_board_without_a_row_is_a_draw(game: Game):
    state = position(game, "X O X  X O O  O X .", 0)
    state.apply("c3")
    assert (state.is_over, state.result) == (True, 0)


def test_the_ninth_mark_can_win(game: Game):
    assert is_won_by(position(game, "X O X  O X O  O X .", 0), "c3")


def test_three_of_both_colours_are_no_row(game: Game):
    state = play(game, "a1 b1 c1")
    assert not state.is_over


def test_player_0_moves_first_and_then_they_take_turns(game: Game):
    turns = [play(game, moves).to_play for moves in ("", "a1", "a1 b1", "a1 b1 c1")]
    assert turns == [0, 1, 0, 1]


def test_the_mover_sees_own_marks_first(game: Game):
    state = position(game, "X . .  . O .  . . X", 1)
    own, other = state.observe()
    assert own.tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert other.tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 1]]


def test_drawing_and_scene_show_every_mark(game: Game):
    state = play(game, "b2 c1")
    assert str(state) == "  a b c\n1 . . O\n2 . X .\n3 . . ."
    discs = [shape for shape in state.scene() if shape.kind == "disc"]
    assert [(shape.points[0], shape.owner) for shape in discs] == [
        ((2.5, 0.5), 1),
        ((1.5, 1.5), 0),
    ]
