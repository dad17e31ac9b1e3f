from itertools import islice

import pytest

from ludens.agents import make_agent
from ludens.arena.even import judge_openings, smallest_image
from ludens.arena.match import Contest
from ludens.arena.openings import default_plies, draw_openings, turn_pages
from ludens.errors import UserError
from ludens.loading.game import load_game
from ludens.state import State


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
    assert all(len(opening.history) == 4 for opening in openings)
    assert len({state.raw.tobytes() for state in states}) == 100


def test_all_nine_first_moves_come_before_one_comes_again():
    actions = [opening.history[0] for opening in first("tic_tac_toe", 27, 1)[0]]
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
    _, states = first("triple_triad", 20, 0)
    assert all(state.num_plies == 0 for state in states)
    assert len({state.raw.hands.tobytes() for state in states}) == 20


def test_a_game_that_is_over_by_then_is_refused():
    with pytest.raises(UserError, match="tic_tac_toe is over after 9 random plies"):
        first("tic_tac_toe", 1, 9)


BOOK = [(4,), (0, 4), (1, 4)]


def test_a_book_goes_round_each_time_in_another_order_by_the_seed():
    pages = list(islice(turn_pages(BOOK, 1), 30))
    assert [page.number for page in pages] == list(range(30))
    rounds = [[page.history for page in pages[at : at + 3]] for at in range(0, 30, 3)]
    assert all(sorted(one) == sorted(BOOK) for one in rounds)
    assert len(set(map(tuple, rounds))) > 2
    assert pages == list(islice(turn_pages(BOOK, 1), 30))
    assert pages != list(islice(turn_pages(BOOK, 2), 30))


def test_each_opening_of_a_book_is_played_from_each_side():
    game = load_game("tic_tac_toe", compiled=False)
    contest = Contest(game, ("random", "random"), threads=1, book=BOOK)
    begun = []
    for one, other in contest.play(3):
        assert (one.seating, other.seating) == ((0, 1), (1, 0))
        histories = [tuple(played.state.history) for played in (one, other)]
        begun += [p for p in BOOK if all(h[: len(p)] == p for h in histories)]
    assert sorted(begun) == sorted(BOOK)


def test_a_deal_of_a_book_is_dealt():
    game = load_game("triple_triad", compiled=False)
    deal = tuple(game.new(seed=3).history)
    (opening,) = islice(turn_pages([deal], 9), 1)
    state = opening.begin(game)
    assert tuple(state.history) == deal
    assert state.to_play >= 0


def test_drawn_positions_are_found_once_however_they_are_turned():
    game = load_game("tic_tac_toe", compiled=False)
    solver = make_agent("solver", game, 0)
    judged = list(judge_openings(game, solver, 0.0, 0, 2))
    images = {smallest_image(State.replay(game, one.history)) for one in judged}
    assert len(images) == len(judged) == 12  # all there are after two moves
    even = {one.history for one in judged if one.is_even}
    assert len(even) == 5
    assert {one.value for one in judged if not one.is_even} == {1.0}
    assert judged == list(judge_openings(game, solver, 0.0, 0, 2))


def test_puzzles_have_no_even_positions():
    game = load_game("triangle", compiled=False)
    with pytest.raises(UserError, match="triangle is for one player"):
        next(judge_openings(game, make_agent("random", game, 0), 0.1, 0, 1))
