"""Connect four: hand-worked positions, its options and its notation."""

import numpy as np
import pytest

from ludens import Game, IllegalAction, State, UserError, load_game


def position(text: str, to_play: int = 0, **options: int) -> State:
    """Return the state drawn as text; the board is as large as the drawing."""
    rows = [line.split() for line in text.strip().splitlines()]
    sizes = {"rows": len(rows), "columns": len(rows[0]), **options}
    state = load_game("connect_four", options=sizes, compiled=False).new()
    for r, row in enumerate(rows):
        for c, mark in enumerate(row):
            if mark in "XO":
                state.raw.stones["XO".index(mark)] |= state.game.plain.cell(r, c)
    state.raw.to_play = to_play
    return state


@pytest.fixture(scope="module")
def game() -> Game:
    return load_game("connect_four", compiled=False)


LEVEL = """
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
O . . O . . .
X X X . O O .
"""
UPRIGHT = """
. . . . . . .
. . . . . . .
. . . . . . .
. . . X . . .
. . O X . . .
. O O X . . .
"""
RISING = """
. . . . . . .
. . . . . . .
. . . . . . .
. . X O . . .
. X O X . . .
X O X O . . O
"""
FALLING = """
. . . . . . .
. . . . . . .
. . . . . . .
. . . O X . .
. . . X O X .
O . . O X O X
"""


@pytest.mark.parametrize("text", [LEVEL, UPRIGHT, RISING, FALLING])
def test_four_in_a_row_win_at_once(text: str):
    state = position(text)
    state.apply("4")
    assert (state.is_over, state.result) == (True, 1)


@pytest.mark.parametrize("text", [LEVEL, UPRIGHT, RISING, FALLING])
def test_a_disc_of_the_other_colour_wins_nothing_there(text: str):
    state = position(text, to_play=1)
    state.apply("4")
    assert not state.is_over


def test_a_gap_is_filled_from_the_middle():
    state = position(". . . . . . .\nX . X X . O O")
    state.apply("2")
    assert state.result == 1


def test_more_than_four_win_too():
    state = position(". . . . . . .\nX X X . X X X")
    state.apply("4")
    assert state.result == 1


WRAPS = [
    # Behind the end of a column or row comes the other side of the board.
    (". X . . .\n. X . . .\n. X . . .\n. O . . .", "3"),
    (". . . . .\n. . . . .\n. . . X X\nX . . O O", "1"),
    ("X . . . .\nX . . . .\nX . . . .\nO . . . .", "2"),
]


@pytest.mark.parametrize(("text", "move"), WRAPS)
def test_a_row_does_not_go_round_the_edge(text: str, move: str):
    state = position(text)
    state.apply(move)
    assert not state.is_over


def test_a_full_column_is_not_legal(game: Game):
    state = game.new()
    state.apply_moves("444444")
    assert state.legal_actions() == [0, 1, 2, 4, 5, 6]
    words = r"4 is not legal here \(the column is full\); legal: 1, 2, 3, 5"
    with pytest.raises(IllegalAction, match=words):
        state.apply("4")


def test_a_full_board_is_a_draw_and_the_last_disc_can_win():
    drawn = position("O . X O\nX O O X\nO X X O\nX X O X")
    drawn.apply("2")
    assert (drawn.is_over, drawn.result) == (True, 0)
    won = position("O . X O\nX X O X\nO X X O\nX X O X", to_play=0)
    won.apply("2")
    assert (won.is_over, won.result) == (True, 1)


def test_a_record_is_a_string_of_digits(game: Game):
    state = game.new()
    state.apply_moves("32164625")
    assert str(state).splitlines()[-3:] == [
        ". X . . . O .",
        "X O X X O O .",
        "1 2 3 4 5 6 7",
    ]


@pytest.mark.parametrize(
    ("spec", "moves", "result"),
    [
        ("connect_four:connect=3", "11223", 1),
        ("connect_four:connect=5", "1122334", None),
        ("connect_four:connect=5", "112233445", 1),
        ("connect_four:rows=2,columns=2,connect=2", "12", None),
        ("connect_four:rows=2,columns=2,connect=2", "121", 1),
    ],
)
def test_connect_sets_the_length_of_the_row(spec: str, moves: str, result: float):
    state = load_game(spec, compiled=False).new()
    state.apply_moves(moves)
    assert state.result == result


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        (
            "connect_four:rows=8,columns=8",
            r"columns can be at most 64",
        ),
        ("connect_four:rows=4,columns=4,connect=5", "connect is longer than the board"),
        ("connect_four:rows=9", "rows cannot be '9'; allowed: 2 to 8"),
    ],
)
def test_a_board_that_cannot_be_is_refused(spec: str, complaint: str):
    with pytest.raises(UserError, match=complaint):
        load_game(spec)


@pytest.mark.parametrize(
    ("moves", "result"),
    [("1213141", 1), ("9897969", 1), ("6677889", 1), ("1122334", 1), ("9998979", None)],
)
def test_a_board_of_63_bits_holds_rows_at_both_edges(moves: str, result: float):
    state = load_game("connect_four:rows=6,columns=9", compiled=False).new()
    state.apply_moves(moves)
    assert state.result == result


def test_the_mover_sees_own_discs_first(game: Game):
    state = game.new()
    state.apply_moves("445")
    own, other = state.observe()
    assert np.argwhere(own).tolist() == [[4, 3]]
    assert np.argwhere(other).tolist() == [[5, 3], [5, 4]]


def test_symmetry_mirrors_left_and_right(game: Game):
    state = game.new()
    state.apply_moves("1123")
    mirror = game.new()
    mirror.apply_moves("7765")
    assert state.transformed(1).raw.tobytes() == mirror.raw.tobytes()
    assert [game.rules.transform_action(a, 1) for a in range(7)] == [*range(6, -1, -1)]


def candidates(state: State) -> list[int]:
    """Return the columns that are worth solving, counted from 1."""
    actions = np.empty(state.game.num_actions, np.int32)
    count = state.game.rules.candidates(state.raw, actions)
    return [int(action) + 1 for action in actions[:count]]


def test_only_a_win_or_a_parry_is_worth_solving():
    assert candidates(position(LEVEL)) == [4]
    assert candidates(position(LEVEL, to_play=1)) == [4]


def test_a_move_under_the_opponents_winning_cell_is_shunned():
    text = """
        . . . . . . .
        . O O O . . .
        . X X O . . .
        O X O X . . X
        """
    # After 1, O wins on top of it; under 5 there is nothing yet.
    assert set(candidates(position(text))) == {2, 3, 4, 5, 6, 7}


def test_against_two_threats_one_parry_is_enough():
    text = """
        . . . . .
        . O O O .
        X X O X X
        """
    assert candidates(position(text)) in ([1], [5])


def test_the_rows_that_won_have_rings():
    state = load_game("connect_four", compiled=False).new()
    state.apply_moves("112233")
    assert not [shape for shape in state.scene() if shape.role == "won"]
    state.apply_moves("4")
    rings = [shape.points[0] for shape in state.scene() if shape.role == "won"]
    assert rings == [(0.5, 5.5), (1.5, 5.5), (2.5, 5.5), (3.5, 5.5)]
