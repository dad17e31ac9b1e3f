"""Renju's opening of 1996 to 2008: 26 patterns, a swap, two points for the fifth."""

import random

import numpy as np
import pytest

from ludens import load_game
from ludens.arena.even import smallest_image
from ludens.errors import IllegalAction, UserError
from ludens.state import State

RIF = "gomoku:size=9,rule=renju,opening=rif"
LATER = 24
"""A ply well after the opening: rules are compared until there."""
MIRRORED = "e5 e4 e7 stay e3"
"""Five steps after which the board is the same if it is mirrored left to right."""


def played(moves: str, spec: str = RIF) -> State:
    state = load_game(spec, compiled=False).new()
    state.apply_moves(moves)
    return state


def legal(state: State) -> list[str]:
    return [state.action_name(action) for action in state.legal_actions()]


def test_three_stones_make_the_26_patterns_that_renju_has_names_for() -> None:
    images = set()
    for second in legal(start := played("e5")):
        after = start.copy()
        after.apply(second)
        for third in legal(after):
            pattern = after.copy()
            pattern.apply(third)
            images.add(smallest_image(pattern))
    assert len(images) == 26


def test_the_first_player_puts_three_stones_and_the_second_chooses() -> None:
    assert (legal(played("")), played("e5").to_play) == (["e5"], 0)
    assert legal(played("e5")) == ["d4", "e4", "f4", "d5", "f5", "d6", "e6", "f6"]
    assert len(legal(played("e5 e4"))) == 23
    state = played("e5 e4 e7")
    assert (state.to_play, legal(state)) == (1, ["stay", "swap"])
    assert len(legal(played("e5 e4 e7 stay"))) == 78


@pytest.mark.parametrize(("choice", "black"), [("stay", 0), ("swap", 1)])
def test_black_offers_two_points_and_white_picks(choice: str, black: int) -> None:
    state = played(f"e5 e4 e7 {choice}")
    turns = [state.to_play]
    for move in ("a1", "b7", "h2", "b7", "c3"):
        state.apply(move)
        turns.append(state.to_play)
    white = 1 - black
    assert turns == [white, black, black, white, white, black]
    board = state.look()["board"]
    assert board[6, 1] == 1  # b7: the offer that was picked
    assert board[1, 7] == 0  # h2: the other
    assert board[0, 0] == board[2, 2] == -1
    assert state.look()["offered"] == []


def test_the_order_of_offers_does_not_matter() -> None:
    one, other = (played(f"{MIRRORED} {two}") for two in ("c5 d8", "d8 c5"))
    assert one.raw.tobytes() == other.raw.tobytes()
    assert one.look()["offered"] == ["c5", "d8"]
    assert legal(one) == ["c5", "d8"]


def test_points_that_a_symmetry_makes_the_same_are_not_offered_twice() -> None:
    assert "g5" not in legal(played(f"{MIRRORED} c5"))
    assert "c5" not in legal(played(f"{MIRRORED} c5"))
    on_the_axis = legal(played(f"{MIRRORED} e1"))
    assert len(on_the_axis) == 76
    assert {"g5", "c5"} <= set(on_the_axis)
    # The stones alone have an axis on column f, the board has not.
    aside = legal(played("e5 f4 g5 stay f6 c5"))
    assert "i5" in aside


@pytest.mark.parametrize(
    ("moves", "gone"),
    [
        ("e5 e4 e6 stay e7 c2", "c2 g2"),  # upright axis only
        ("e5 d4 f6 stay g7 b3", "b3 c2"),  # a diagonal
        ("e5 e4 f5 stay a1 b3", "b3"),  # none
    ],
)
def test_a_position_decides_which_offers_are_the_same(moves: str, gone: str) -> None:
    state = played(moves)
    empty = [cell for cell in range(81) if state.raw.board[cell] == 0]
    missing = {state.action_name(cell) for cell in empty} - set(legal(state))
    assert missing == set(gone.split())


@pytest.mark.parametrize(
    ("moves", "word", "why"),
    [
        ("", "a1", "the first stone goes on the centre"),
        ("e5", "g5", "the second stone goes within the central 3x3"),
        ("e5 e4", "h5", "the third stone goes within the central 5x5"),
        ("e5 e4 e7", "a1", "a colour is to be chosen first"),
        ("e5 e4 e7 stay", "swap", "there is nothing to choose"),
        (f"{MIRRORED} c5", "g5", "it is the same as the first offer"),
        (f"{MIRRORED} c5 d8", "a1", "it is not one of the two points offered"),
        (f"{MIRRORED} c5 d8", "e5", "the point is taken"),
    ],
)
def test_what_is_not_legal_is_explained(moves: str, word: str, why: str) -> None:
    state = played(moves)
    with pytest.raises(IllegalAction, match=rf"{word} is not legal here \({why}"):
        state.apply(word)
    assert state.foul_actions() == []


def test_compiled_and_plain_rules_and_images_are_the_same() -> None:
    compiled, plain = load_game(RIF).new(), played("")
    rng = random.Random(4)
    for symmetry in range(8):
        compiled.reset(0)
        plain.reset(0)
        while not plain.is_over and plain.num_plies < LATER:
            assert compiled.raw.tobytes() == plain.raw.tobytes()
            assert compiled.legal_actions() == plain.legal_actions()
            assert (compiled.observe() == plain.observe()).all()
            action = rng.choice(plain.legal_actions())
            image = compiled.transformed(symmetry)
            image.apply(int(compiled.game.rules.transform_action(action, symmetry)))
            compiled.apply(action)
            plain.apply(action)
            assert image.raw.tobytes() == compiled.transformed(symmetry).raw.tobytes()


def test_likely_moves_of_the_sixth_stone_do_not_trust_the_offers() -> None:
    state = played(f"{MIRRORED} c5 d8 c5")
    rules, actions = state.game.plain, np.empty(state.game.num_actions, np.int32)
    before, last = (state.read_action(word) for word in ("d8", "c5"))
    known = rules.likely(state.raw, before, last, actions)
    points = actions[:known].tolist()
    assert known == rules.likely(state.raw, -1, -1, actions)
    assert points == actions[:known].tolist()


def test_offers_are_seen_drawn_and_named() -> None:
    state = played(f"{MIRRORED} c5 d8")
    planes = dict(zip(state.game.plain.PLANES, state.observe(), strict=True))
    assert [
        tuple(at) for at in zip(*planes["points offered"].nonzero(), strict=True)
    ] == [
        (4, 2),
        (7, 3),
    ]
    assert planes["white picks"].all()
    assert str(state).count("?") == 2
    rings = [shape for shape in state.scene() if shape.role == "ring"]
    assert [shape.points[0] for shape in rings] == [(2.5, 4.5), (3.5, 7.5)]


def test_an_edit_ends_the_opening() -> None:
    state = played(f"{MIRRORED} c5 d8")
    state.edit("set a1 first")
    assert len(legal(state)) == 76
    assert state.look()["offered"] == []


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("gomoku:opening=rif", "opening cannot be rif: it is for rule=renju"),
        (
            "gomoku:rule=renju,size=8,opening=rif",
            "size cannot be 8: rif needs a centre",
        ),
    ],
)
def test_rif_wants_renju_and_a_centre(spec: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        load_game(spec, compiled=False)
