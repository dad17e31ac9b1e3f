"""Many games at once: each as if alone, a network answers for all together."""

import threading
from pathlib import Path

import numpy as np
import pytest

from ludens.agents import Agent, agent_maker, net_maker, policy_maker
from ludens.agents.networks import Memory
from ludens.arena.match import Contest
from ludens.arena.play import Player, games_together
from ludens.errors import UserError
from ludens.loading.game import load_game
from ludens.search.config import SearchConfig
from ludens.search.model import Evaluation
from ludens.state import State

TIC_TAC_TOE = load_game("tic_tac_toe")
DICE = load_game(str(Path(__file__).parents[1] / "search" / "dice_race.py"))
CONFIG = SearchConfig(sims=24, leaf_batch=4)


class CentreFirst:
    """A network that only knows that actions in the middle of the numbers are better.

    It notes how many positions it is asked about at a time.
    """

    device = precision = ""

    def __init__(self, num_actions: int) -> None:
        self.num_actions = num_actions
        self.sizes: list[int] = []

    def __call__(self, planes):
        self.sizes.append(len(planes))
        logits = -np.abs(np.arange(self.num_actions) - self.num_actions // 2)
        values = planes.reshape(len(planes), -1).mean(1) / 10
        return Evaluation(np.tile(logits, (len(planes), 1)).astype(np.float32), values)


def net(game, name="net", config=CONFIG) -> tuple[Player, CentreFirst]:
    evaluator = CentreFirst(game.num_actions)
    return Player(name, net_maker(game, config, Memory(evaluator))), evaluator


def histories(contest: Contest, rounds: int) -> list[list[int | str]]:
    return [played.state.history for games in contest.play(rounds) for played in games]


@pytest.mark.parametrize("config", [CONFIG, SearchConfig(sims=16, root="gumbel")])
def test_games_of_nets_are_the_same_for_any_number_of_threads(config):
    def played(threads: int) -> list[list[int | str]]:
        players = [net(DICE, "one", config)[0], "mcts:sims=10"]
        return histories(Contest(DICE, players, 3, threads=threads), 9)

    assert played(1) == played(2) == played(5)


def test_games_do_not_depend_on_how_many_there_are():
    player, _ = net(DICE)
    contest = Contest(DICE, (player, "random"), 3)
    assert histories(contest, 3) == histories(contest, 8)[:6]


def test_nets_named_the_other_way_round_play_the_same_games():
    one, other = net(DICE, "one")[0], net(DICE, "other", SearchConfig(sims=9))[0]
    ours = Contest(DICE, (one, other)).tally(6)
    theirs = Contest(DICE, (other, one)).tally(6)
    assert (ours.wins, ours.draws, ours.losses) == (
        theirs.losses,
        theirs.draws,
        theirs.wins,
    )
    assert ours._histories == theirs._histories


def test_a_network_answers_for_all_games_together():
    player, evaluator = net(TIC_TAC_TOE)
    contest = Contest(TIC_TAC_TOE, (player, "random"), threads=1, plies=3)
    assert contest.tally(20).num_games == 40
    assert max(evaluator.sizes) > 30


def test_what_a_network_has_said_is_not_asked_again():
    (player, evaluator), asked = net(TIC_TAC_TOE), []
    for _ in range(2):
        Contest(TIC_TAC_TOE, (player, "random"), threads=1).tally(5)
        asked.append(sum(evaluator.sizes))
        evaluator.sizes.clear()
    assert asked[0] > 50
    assert asked[1] == 0


def test_a_memory_answers_as_its_network_does():
    evaluator = CentreFirst(9)
    memory = Memory(evaluator)
    planes = np.random.default_rng(1).random((7, 2, 3, 3)).astype(np.float32)
    for rows in ([0, 1, 2], [2, 3, 2, 0], [6, 5, 4, 3, 2, 1, 0]):
        ours, theirs = memory(planes[rows]), evaluator(planes[rows])
        assert np.array_equal(ours.logits, theirs.logits)
        assert np.array_equal(ours.values, theirs.values)


def test_a_policy_plays_its_likeliest_legal_move():
    agent = policy_maker(CentreFirst(9))(0)
    start, after = State(TIC_TAC_TOE), State(TIC_TAC_TOE)
    after.apply(4)
    assert agent.choose_many([start, after]) == [4, 3]


def test_agents_with_a_clock_have_a_thread_to_themselves():
    timed = agent_maker("mcts:sims=10,seconds=1", TIC_TAC_TOE)(0)
    batched = net(TIC_TAC_TOE)[0].make(0)
    plain = agent_maker("mcts:sims=10", TIC_TAC_TOE)(0)
    assert games_together([plain, plain]) == 1
    assert games_together([batched, plain]) > 1
    assert games_together([batched, timed]) == 1


def test_large_trees_are_few():
    large = agent_maker("mcts:sims=200000", DICE)(0)
    assert games_together([net(DICE)[0].make(0), large]) < 16


def test_the_game_that_fails_is_named_among_many():
    class Lost(Agent):
        capacity = 100
        is_batched = True

        def choose_many(self, states, limit=None, seeds=None):
            if any(state.raw.tobytes() == bad for state in states):
                raise UserError("no idea")
            return [state.legal_actions()[0] for state in states]

    contest = Contest(TIC_TAC_TOE, ("random", "random"), 2, 3)
    bad = b""
    for number, (game, _) in enumerate(contest.play(3)):
        state = State.replay(TIC_TAC_TOE, game.state.history[:3])
        bad = state.raw.tobytes() if number == 2 else bad
    lost = Player("lost", lambda seed, num_games=1: Lost())
    with pytest.raises(UserError, match=r"^lost, game [56]: no idea$"):
        list(Contest(TIC_TAC_TOE, (lost, lost), 2, 3).play(6))


def test_a_defect_of_an_agent_is_not_swallowed():
    class Broken(Agent):
        def choose(self, state, limit=None):
            raise ZeroDivisionError

    broken = Player("broken", lambda seed, num_games=1: Broken())
    with pytest.raises(ZeroDivisionError):
        list(Contest(TIC_TAC_TOE, (broken, broken), threads=2).play(6))


def test_a_game_is_cut_at_the_longest_it_may_be():
    contest = Contest(TIC_TAC_TOE, ("random", "random"), plies=0, max_plies=4)
    for games in contest.play(3):
        assert [(g.state.num_plies, g.points(0)) for g in games] == [(4, 0.5)] * 2


def test_a_stopped_match_hands_out_only_whole_rounds():
    looks = iter([False] * 20 + [True] * 1000)
    contest = Contest(
        TIC_TAC_TOE, ("random", "random"), threads=1, should_stop=lambda: next(looks)
    )
    rounds = list(contest.play(100))
    assert 0 < len(rounds) < 20
    assert all(len(games) == 2 for games in rounds)


def test_a_long_game_does_not_hold_up_the_others():
    """Results come in order; other threads go on as far as they may be ahead."""
    gate, begun = threading.Event(), []

    class First(Agent):
        def choose(self, state, limit=None):
            begun.append(self.seed)
            if len(begun) == 1:
                gate.wait(20)
            elif len(begun) > 30:
                gate.set()
            return state.legal_actions()[0]

    player = Player("first", lambda seed, num_games=1: First(seed))
    contest = Contest(TIC_TAC_TOE, (player, player), threads=2)
    numbers = [game.number for games in contest.play(10) for game in games]
    assert numbers == list(range(1, 21))
    assert gate.is_set()
