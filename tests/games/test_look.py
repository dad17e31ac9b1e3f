"""The named parts of a state that people and programs look at."""

from typing import Any

import numpy as np
import pytest

from ludens import load_game
from ludens.loading.game import game_files


def look(spec: str, moves: str = "", setup: str = "") -> Any:
    game = load_game(spec, compiled=False)
    state = game.new(seed=1, setup=setup)
    state.apply_moves(moves)
    return game.plain.look(state.raw)


@pytest.mark.parametrize("spec", game_files())
def test_what_is_looked_at_can_be_changed_without_changing_the_state(spec: str) -> None:
    game = load_game(spec, compiled=False)
    state = game.new(seed=1)
    before = state.raw.tobytes()
    for part in game.plain.look(state.raw).values():
        if isinstance(part, np.ndarray):
            part[:] = 1
    assert state.raw.tobytes() == before


def test_boards_of_stones_are_arrays_with_the_second_players_negative() -> None:
    board = look("tic_tac_toe", "b1 c3")["board"]
    assert board.tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, -1]]
    board = look("connect_four:rows=4,columns=5", "2 2 5")["board"]
    assert board.shape == (4, 5)
    assert board[2:].tolist() == [[0, -1, 0, 0, 0], [0, 1, 0, 0, 1]]
    board = look("gomoku:size=9", "b1 i9")["board"]
    assert (board[0, 1], board[8, 8], np.abs(board).sum()) == (1, -1, 2)


def test_renju_tells_black_where_there_are_fouls() -> None:
    # Two threes of black, e5 f5 and g6 g7, meet at g5.
    moves = "e5 a1 f5 o1 g6 a15 g7 o15"
    assert look("gomoku:rule=renju", moves)["forbidden"] == ["g5"]
    assert "forbidden" not in look("gomoku:rule=renju", moves + " h8")
    assert "forbidden" not in look("gomoku", moves)


def test_pyrga_names_pieces_by_owner_kind_and_direction() -> None:
    parts = look("pyrga", "Sa1 Ab1d")
    assert parts["stacks"] == {"a1": ["first square"], "b1": ["second arrow down"]}
    assert parts["allowed"] == ["b2", "b3", "b4"]
    assert parts["stocks"][0] == {"square": 4, "circle": 5, "arrow": 5}
    assert parts["stocks"][1] == {"square": 5, "circle": 5, "arrow": 4}
    assert parts["towers"] == [0, 0]


def test_triple_triad_names_cards_in_hands_and_on_the_board() -> None:
    hand = "Geezard, Grendel, Abyss Worm, Iguion, Ifrit"
    parts = look("triple_triad:hands=random", "1a1", f"{hand} | 1,2,3,4,5 | 0")
    assert parts["board"][0] == [("Geezard", 0), None, None]
    names = [None, "Grendel", "Abyss Worm", "Iguion", "Ifrit"]
    assert parts["hands"][0] == names
    assert parts["cards"] == [5, 5]
    assert parts["elements"] == [["none"] * 3] * 3


def test_triangle_shows_cells_and_the_shapes_in_slots() -> None:
    parts = look("triangle", setup="1 2 23")
    assert parts["filled"].shape == parts["playable"].shape == (8, 15)
    assert (parts["filled"].sum(), parts["playable"].sum()) == (0, 96)
    assert [slot["shape"] for slot in parts["slots"]] == [1, 2, 23]
    cells = parts["slots"][2]["cells"]
    game = load_game("triangle", compiled=False)
    state = game.new(setup="1 2 23")
    move = next(a for a in state.legal_actions() if state.action_name(a)[0] == "3")
    state.apply(move)
    parts = game.plain.look(state.raw)
    assert parts["slots"][2] is None
    assert parts["filled"].sum() == len(cells)
    anchor = np.array(divmod(move % 120, 15))
    assert all(parts["filled"][tuple(anchor + cell)] for cell in cells)
