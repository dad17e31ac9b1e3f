"""Many games at once: the same terms as a contest, the same games for the same seed."""

import numpy as np
import pytest

from ludens.arena.lockstep import play_lockstep, play_rounds, score_lockstep
from ludens.arena.match import Contest, Tally
from ludens.arena.movers import PolicyMover, RandomMover, SearchMover, legal_mask
from ludens.loading.game import load_game
from ludens.search.config import SearchConfig
from ludens.search.model import Evaluation
from ludens.solver.exact import Solver
from ludens.state import State

TIC_TAC_TOE = load_game("tic_tac_toe")
CARDS = load_game("triple_triad")
TRIANGLE = load_game("triangle")
ROLLOUTS = SearchConfig(sims=60, rollouts=1)


class SolverMover:
    """Plays perfectly."""

    def __init__(self) -> None:
        self.solver = Solver(TIC_TAC_TOE, memory_mb=1)

    def choose_many(self, states, plies, seeds):
        return np.array([self._choose(state) for state in states], np.int64)

    def _choose(self, raw) -> int:
        state = State(TIC_TAC_TOE)
        state._array[0] = raw
        return self.solver.solve(state).best[0]


def centre_first(planes):
    """Know nothing but that an action in the middle of the numbers is better."""
    logits = np.tile(-np.abs(np.arange(9) - 4.0), (len(planes), 1))
    return Evaluation(logits.astype(np.float32), np.zeros(len(planes), np.float32))


def histories(rounds) -> list[list[int | str]]:
    return [played.state.history for games in rounds for played in games]


def randoms(game) -> list[RandomMover]:
    return [RandomMover(game), RandomMover(game)]


@pytest.mark.parametrize("plies", [0, 3])
def test_random_movers_play_the_games_of_a_contest(plies):
    contest = Contest(TIC_TAC_TOE, ("random", "random"), seed=5, plies=plies)
    ours = play_rounds(TIC_TAC_TOE, randoms(TIC_TAC_TOE), 12, 5, plies)
    assert histories(ours) == histories(contest.play(12))
    tally = Tally()
    for pair in contest.play(12):
        tally.add(pair)
    assert play_lockstep(TIC_TAC_TOE, randoms(TIC_TAC_TOE), 12, 5, plies) == tally


def test_a_pair_shares_its_opening_and_swaps_sides():
    movers = [SolverMover(), RandomMover(TIC_TAC_TOE)]
    for first, second in play_rounds(TIC_TAC_TOE, movers, 6, 0, 3):
        assert (first.seating, second.seating) == ((0, 1), (1, 0))
        assert first.state.history[:3] == second.state.history[:3]
        assert first.state.is_over


def test_perfect_play_never_loses():
    movers = [SolverMover(), RandomMover(TIC_TAC_TOE)]
    tally = play_lockstep(TIC_TAC_TOE, movers, 20)
    assert (tally.losses, tally.num_games) == (0, 40)
    assert tally.wins > 25
    assert tally.num_distinct > 30


def test_movers_named_the_other_way_round_have_the_opposite_result():
    search = SearchMover(TIC_TAC_TOE, ROLLOUTS)
    ours = play_lockstep(TIC_TAC_TOE, [search, RandomMover(TIC_TAC_TOE)], 20)
    theirs = play_lockstep(TIC_TAC_TOE, [RandomMover(TIC_TAC_TOE), search], 20)
    assert ours.wins > 25 > 5 > ours.losses
    assert theirs.losses > 25 > 5 > theirs.wins


@pytest.mark.parametrize(
    ("slots", "threads"),
    [(64, 1), (3, 1), (7, 2)],
)
def test_slots_and_threads_do_not_change_the_games(slots, threads):
    movers = [SearchMover(CARDS, ROLLOUTS, None, threads, slots), RandomMover(CARDS)]
    alone = [SearchMover(CARDS, ROLLOUTS, None, 1, 1), RandomMover(CARDS)]
    assert histories(play_rounds(CARDS, movers, 5, 2)) == histories(
        play_rounds(CARDS, alone, 5, 2)
    )


def test_the_same_movers_play_the_same_games_again_and_others_for_another_seed():
    movers = [SearchMover(TIC_TAC_TOE, ROLLOUTS), RandomMover(TIC_TAC_TOE)]
    first, again, other = (
        histories(play_rounds(TIC_TAC_TOE, movers, 8, seed)) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_a_pair_has_the_same_deal_and_search_beats_chance():
    movers = [SearchMover(CARDS, ROLLOUTS), RandomMover(CARDS)]
    rounds = play_rounds(CARDS, movers, 10, 3)
    for first, second in rounds:
        assert first.state.history[:11] == second.state.history[:11]
    tally = play_lockstep(CARDS, movers, 10, 3)
    assert tally.num_games == 20
    assert sum(tally.pairs) == 10
    assert tally.wins > 12


def test_movers_of_a_puzzle_see_the_same_dice():
    scores = score_lockstep(TRIANGLE, [RandomMover(TRIANGLE)] * 2, 4, 7)
    contest = Contest(TRIANGLE, ("random", "random"), seed=7)
    dice = [[game.state.history[:1] for game in games] for games in contest.play(4)]
    ours = play_rounds(TRIANGLE, randoms(TRIANGLE), 4, 7)
    assert [[game.state.history[:1] for game in games] for games in ours] == dice
    assert scores.num_rounds == 4
    assert all(score > 0 for scored in scores.scores for score in scored)


def test_a_game_is_cut_at_the_longest_it_may_be():
    for games in play_rounds(TIC_TAC_TOE, randoms(TIC_TAC_TOE), 3, 0, 0, max_plies=4):
        assert [(g.state.num_plies, g.points(0)) for g in games] == [(4, 0.5)] * 2


def test_stopped_early_only_finished_rounds_count():
    movers = randoms(TIC_TAC_TOE)
    assert play_rounds(TIC_TAC_TOE, movers, 3, should_stop=lambda: True) == []


def test_a_policy_plays_its_likeliest_legal_move():
    mover = PolicyMover(TIC_TAC_TOE, centre_first)
    states = TIC_TAC_TOE.states(2)
    after = State(TIC_TAC_TOE)
    after.apply(4)
    states[1] = after.raw
    numbers = np.zeros(2, np.int64)
    assert mover.choose_many(states, numbers, numbers).tolist() == [4, 3]
    assert legal_mask(TIC_TAC_TOE, states).sum(1).tolist() == [9, 8]


def test_a_network_answers_for_all_games_together():
    sizes = []

    def evaluator(planes):
        sizes.append(len(planes))
        return centre_first(planes)

    config = SearchConfig(sims=8, root="gumbel", gumbel_scale=0.0)
    movers = [SearchMover(TIC_TAC_TOE, config, evaluator), RandomMover(TIC_TAC_TOE)]
    tally = play_lockstep(TIC_TAC_TOE, movers, 20)
    assert tally.num_games == 40
    assert sizes[0] == 20
    assert max(sizes) == 40
