"""Matches: pairs with sides swapped, the same games for any number of threads."""

import threading
from itertools import islice

import pytest

from ludens.agents.agent import NO_LIMIT, Agent, Limit
from ludens.arena.match import Contest, MatchTally, Scores
from ludens.arena.play import Player
from ludens.errors import UserError
from ludens.loading.game import load_game
from ludens.state import State

TIC_TAC_TOE = load_game("tic_tac_toe")
CARDS = load_game("triple_triad", compiled=False)
TRIANGLE = load_game("triangle")


def histories(contest: Contest, rounds: int) -> list[list[int | str]]:
    return [game.state.history for games in contest.play(rounds) for game in games]


def tally_of(contest: Contest, rounds: int) -> MatchTally:
    tally = MatchTally()
    for pair in contest.play(rounds):
        tally.add(pair)
    return tally


class FirstMove(Agent):
    """Plays the first legal move, at once on what it is given, which it notes."""

    def __init__(self) -> None:
        super().__init__()
        self.players: list[int] = []
        self.dice: list[int | None] = []

    def choose(self, state: State, limit: Limit = NO_LIMIT) -> int:
        action = state.legal_actions()[0]
        self.players.append(state.to_play)
        self.dice.append(state.seed)
        state.apply(action)
        return action


class FirstMovers:
    """Two players, and the agents made for them."""

    def __init__(self) -> None:
        self.made: list[FirstMove] = []
        self.players = [Player(name, self._make) for name in "ab"]

    def _make(self, seed: int, num_games: int = 1) -> Agent:
        self.made.append(FirstMove())
        return self.made[-1]


@pytest.fixture
def first_movers():
    return FirstMovers()


def test_a_pair_shares_its_opening_and_swaps_sides():
    contest = Contest(TIC_TAC_TOE, ("random", "greedy"), plies=3)
    beginnings = []
    for first, second in contest.play(5):
        assert (first.seating, second.seating) == ((0, 1), (1, 0))
        assert first.state.history[:3] == second.state.history[:3]
        beginnings.append(tuple(first.state.history[:3]))
    assert len(set(beginnings)) == 5


def test_games_are_numbered_in_order():
    games = Contest(TIC_TAC_TOE, ("random", "random"), threads=2).play(4)
    assert [game.number for pair in games for game in pair] == list(range(1, 9))


def test_a_pair_has_the_same_deal():
    for first, second in Contest(CARDS, ("random", "random")).play(5):
        assert first.state.history[:11] == second.state.history[:11]
        assert first.state.history[11:] != second.state.history[11:]


def test_agents_of_a_puzzle_see_the_same_dice(first_movers):
    contest = Contest(TRIANGLE, first_movers.players, threads=1)
    for first, second in contest.play(3):
        assert (first.seating, second.seating) == ((0,), (1,))
        assert first.state.history == second.state.history


def test_points_are_for_the_agent_not_the_side():
    for pair in Contest(TIC_TAC_TOE, ("solver", "random")).play(5):
        for game in pair:
            assert game.points(0) + game.points(1) == 1
            assert game.points(0) >= 0.5
            own = 1 if game.seating[0] == 0 else -1
            assert game.points(0) == (1 + own * game.state.result) / 2


def test_perfect_play_never_loses():
    tally = tally_of(Contest(TIC_TAC_TOE, ("solver", "random")), 20)
    assert (tally.losses, tally.num_games) == (0, 40)
    assert tally.wins > 25


@pytest.mark.parametrize(
    ("game", "agents"),
    [
        (TIC_TAC_TOE, ("mcts:sims=40", "mcts:sims=10")),
        (CARDS, ("random", "random")),
        (TRIANGLE, ("random", "random")),
    ],
)
def test_any_number_of_threads_plays_the_same_games(game, agents):
    one, two, five = (
        histories(Contest(game, agents, seed=3, threads=n), 8) for n in (1, 2, 5)
    )
    assert one == two == five


def test_another_seed_plays_other_games():
    three, four = (
        histories(Contest(TIC_TAC_TOE, ("random", "random"), seed=n), 8) for n in (3, 4)
    )
    assert three != four


def test_agents_named_the_other_way_round_mirror_the_result():
    ours = tally_of(Contest(TIC_TAC_TOE, ("random", "solver")), 10)
    theirs = tally_of(Contest(TIC_TAC_TOE, ("solver", "random")), 10)
    assert (ours.wins, ours.draws, ours.losses) == (
        theirs.losses,
        theirs.draws,
        theirs.wins,
    )
    assert ours.pairs == theirs.pairs[::-1]
    assert ours._histories == theirs._histories


def test_an_agent_against_itself_plays_both_games_anew():
    for first, second in Contest(CARDS, ("random", "random")).play(5):
        assert first.state.history != second.state.history


def test_repeated_games_are_counted_once(first_movers):
    tally = tally_of(Contest(TIC_TAC_TOE, first_movers.players), 18)
    assert (tally.num_games, tally.num_distinct) == (36, 9)
    assert tally.pairs == [0, 0, 18, 0, 0]


def test_agents_are_fresh_for_each_game_and_side(first_movers):
    contest = Contest(TIC_TAC_TOE, first_movers.players)
    first_movers.made.clear()  # those made to see whether they can be
    list(contest.play(3))
    assert len(first_movers.made) == 12
    for agent in first_movers.made:
        assert len(set(agent.players)) == 1


def test_agents_never_see_the_coming_dice(first_movers):
    contest = Contest(TRIANGLE, first_movers.players, threads=1)
    games = [game for games in contest.play(2) for game in games]
    dice = [seed for agent in first_movers.made for seed in agent.dice]
    assert len(dice) == sum(game.state.num_plies for game in games)
    assert set(dice) == {None}


def test_what_an_agent_does_to_its_state_does_not_touch_the_game(first_movers):
    contest = Contest(TIC_TAC_TOE, first_movers.players, plies=0)
    assert histories(contest, 1) == [[0, 1, 2, 3, 4, 5, 6]] * 2


def test_an_agents_error_ends_the_match_and_names_it():
    class Lost(Agent):
        def choose(self, state: State, limit: Limit = NO_LIMIT) -> int:
            raise UserError("no idea")

    lost = Player("lost", lambda seed, num_games=1: Lost())
    with pytest.raises(UserError, match=r"^lost, game 1: no idea$"):
        list(Contest(TIC_TAC_TOE, (lost, lost)).play(3))


def test_an_illegal_move_ends_the_match():
    class Corner(Agent):
        def choose(self, state: State, limit: Limit = NO_LIMIT) -> int:
            return 0

    corner = Player("corner", lambda seed, num_games=1: Corner())
    with pytest.raises(UserError, match="corner, game 1: a1 is not legal here"):
        list(Contest(TIC_TAC_TOE, (corner, corner), plies=0).play(1))


def test_unknown_agents_are_refused_before_anything_is_played():
    with pytest.raises(UserError, match="there is no agent 'rndom'"):
        Contest(TIC_TAC_TOE, ("random", "rndom"))


def test_a_match_left_early_leaves_no_threads_behind():
    before = threading.active_count()
    games = Contest(TIC_TAC_TOE, ("random", "random"), threads=3).play(1000)
    assert len(list(islice(games, 2))) == 2
    assert threading.active_count() == before + 3
    games.close()
    assert threading.active_count() == before


def test_gains_are_pair_by_pair():
    scores = Scores(2)
    for games in Contest(TRIANGLE, ("random", "random")).play(4):
        scores.add(games)
    assert scores.num_rounds == 4
    assert scores.gains(0, 1) == [a - b for a, b in zip(*scores.scores, strict=True)]
    assert scores.gains(1, 0) == [-gain for gain in scores.gains(0, 1)]
