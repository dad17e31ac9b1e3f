from itertools import islice

import pytest

from ludens.arena.openings import default_plies, draw_openings
from ludens.errors import UserError
from ludens.loading.game import load_game


def first(spec: str, count: int, plies: int, seed: int = 0):
    """Return a game with its first openings, and the positions they lead to."""
    game = load_game(spec, compiled=False)
    openings = list(islice(draw_openings(game, seed, plies), count))
    return openings, [opening.begin(game) for opening in openings]


@pytest.mark.parametrize(
    ("spec", "plies"),
    [
        ("tic_tac_toe", 1),
        ("connect_four", 4),
        ("gomoku", 2),
        ("gomoku:size=9", 2),
        ("triple_triad", 0),
        ("triangle", 0),
    ],
)
def test_a_game_has_a_default_that_suits_it(spec, plies):
    assert default_plies(load_game(spec, compiled=False)) == plies


def test_openings_come_from_the_seed():
    once, again, other = (first("connect_four", 20, 4, seed)[0] for seed in (5, 5, 6))
    assert once == again
    assert once != other


def test_more_openings_begin_with_the_same_ones():
    assert first("connect_four", 30, 4)[0][:20] == first("connect_four", 20, 4)[0]


def test_no_position_comes_twice():
    openings, states = first("connect_four", 100, 4)
    assert all(len(opening.actions) == 4 for opening in openings)
    assert len({state.raw.tobytes() for state in states}) == 100


def test_all_nine_first_moves_come_before_one_comes_again():
    actions = [opening.actions[0] for opening in first("tic_tac_toe", 27, 1)[0]]
    for begin in (0, 9, 18):
        assert sorted(actions[begin : begin + 9]) == list(range(9))


def test_no_opening_is_over_or_won_at_once():
    for state in first("connect_four", 40, 14)[1]:
        assert not state.is_over
        for action in state.legal_actions():
            child = state.copy()
            child.apply(action)
            assert not child.result


def test_deals_differ_and_no_move_is_made():
    openings, states = first("triple_triad", 20, 0)
    assert all(opening.actions == () for opening in openings)
    assert len({state.raw.hands.tobytes() for state in states}) == 20


def test_a_game_that_is_over_by_then_is_refused():
    with pytest.raises(UserError, match="tic_tac_toe is over after 9 random plies"):
        first("tic_tac_toe", 1, 9)
