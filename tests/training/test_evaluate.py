"""Evaluation: Elo by hand, moves against the truth, the gate, games for one."""

import numpy as np
import pytest
from small_trainings import SMALL_GAMES

from ludens.agents import Agent, policy_maker
from ludens.arena.elo import Z, elo_of, score_estimate
from ludens.arena.exams import examine, make_truth
from ludens.arena.match import Contest
from ludens.arena.play import Player
from ludens.arena.ratings import ELO, rate
from ludens.errors import UserError
from ludens.infer.evaluator import make_evaluator
from ludens.loading.game import Game, load_game
from ludens.nets.config import NetConfig
from ludens.nets.weights import Net, new_net
from ludens.rng import sub_seed
from ludens.search.config import SearchConfig
from ludens.solver.graded import Truth
from ludens.store.summary import strength_of
from ludens.training.config import EvalConfig
from ludens.training.evaluate import (
    Examiner,
    Place,
    compare,
    named_opponents,
    play_config,
    rate_net,
)

TIC_TAC_TOE = load_game("tic_tac_toe")
GUESSING = load_game(str(SMALL_GAMES / "guessing.py"), compiled=False)
CONFIG = EvalConfig(games=8, sims=8, mcts_sims=8, gate_games=10)
GUMBEL = SearchConfig(root="gumbel", cache_size=1024)
SEARCH = play_config(TIC_TAC_TOE, GUMBEL, 8)


@pytest.fixture(scope="module")
def truth() -> Truth:
    return make_truth(TIC_TAC_TOE, 20, seed=3)


def net_of(game: Game, seed: int) -> Net:
    config = NetConfig(trunk="mlp", blocks=1, hidden=16, bins=11)
    return new_net(game, config, seed, iteration=seed)


def examiner(truth: Truth, game: Game = TIC_TAC_TOE, **changes: object) -> Examiner:
    stop = changes.pop("should_stop", lambda: False)
    config = EvalConfig(**{**vars(CONFIG), **changes})
    return Examiner(game, config, SEARCH, truth, 5, Place("cpu", "f32"), stop)


class Perfect(Agent):
    """One who plays a best move in the positions of the truth."""

    def __init__(self, truth: Truth) -> None:
        super().__init__()
        self.best = {
            state.tobytes(): int(best.argmax())
            for state, best in zip(truth.states, truth.best, strict=True)
        }

    def choose(self, state, limit=None):
        return self.best[state.raw.tobytes()]


def test_elo_of_one_match_is_that_of_its_score():
    metrics = {"matches": [["net 1", "mcts", 7000, 1000, 2000]]}
    rated = rate_net([metrics], "net 1")
    assert rated["elo"] == pytest.approx(elo_of(0.75), abs=0.1)
    # A game whose chance is p tells p * (1 - p) about the difference.
    margin = Z * ELO / np.sqrt(10_000 * 0.75 * 0.25)
    assert rated["elo_high"] - rated["elo"] == pytest.approx(margin, rel=1e-2)
    assert rated["elo"] - rated["elo_low"] == pytest.approx(margin, rel=1e-2)
    assert rated["score_mcts"] == 0.75


def test_elo_is_that_of_the_arena_with_rollouts_at_zero():
    history = [
        {},
        {"matches": [["net 5", "random", 9, 1, 0], ["net 5", "mcts", 2, 2, 6]]},
        {
            "matches": [
                ["net 10", "random", 10, 0, 0],
                ["net 10", "mcts", 6, 2, 2],
                ["net 10", "net 5", 7, 2, 1],
            ]
        },
    ]
    # In the order of: net 10, net 5, mcts, random.
    points = np.array(
        [[0, 8, 7, 10], [2, 0, 3, 9.5], [3, 7, 0, 0], [0, 0.5, 0, 0]], float
    )
    ratings = rate(points)
    rated = rate_net(history, "net 10")
    assert rated["elo"] == pytest.approx(ratings.elo[0] - ratings.elo[2])
    margin = ratings.margin_between(0, 2)
    assert rated["elo_low"] == pytest.approx(rated["elo"] - margin)
    assert rated["elo_high"] == pytest.approx(rated["elo"] + margin)
    assert (rated["score_random"], rated["score_mcts"]) == (1.0, 0.7)


def test_without_rollouts_random_is_at_zero():
    rated = rate_net([{"matches": [["net 1", "random", 4, 2, 4]]}], "net 1")
    assert rated["elo"] == pytest.approx(0.0)
    assert "score_mcts" not in rated


def test_a_perfect_mover_is_graded_perfect_and_a_new_net_is_not(truth):
    net = net_of(TIC_TAC_TOE, 1)
    perfect = Player("perfect", lambda seed, num_games=1: Perfect(truth))
    alone, _ = examiner(truth).grade(net, truth)
    metrics = compare(alone, examine(truth, TIC_TAC_TOE, perfect, threads=2))
    assert (metrics["truth_search"], metrics["lost_search"]) == (1.0, 0.0)
    policy = Player("", policy_maker(make_evaluator(net, "cpu", "f32")))
    graded = examine(truth, TIC_TAC_TOE, policy)
    assert metrics["truth_net"] == graded.optimal < 1.0
    assert metrics["lost_net"] == graded.lost > 0.0


def test_an_examination_meets_everybody(truth):
    before = [{"matches": [["net 1", "random", 4, 0, 4]]}]
    found = examiner(truth).examine(
        net_of(TIC_TAC_TOE, 2), {1: net_of(TIC_TAC_TOE, 1)}, before
    )
    assert [match[:2] for match in found["matches"]] == [
        ["net 2", "random"],
        ["net 2", "mcts"],
        ["net 2", "net 1"],
    ]
    assert all(sum(match[2:]) == 8 for match in found["matches"])
    wanted = {"elo", "elo_low", "elo_high", "truth_net", "truth_search", "score_mcts"}
    assert wanted <= set(found)
    assert found["elo_low"] < found["elo"] < found["elo_high"]


def test_opponents_are_agents_by_name(truth):
    nothing = Truth(truth.states[:0], truth.plies[:0], truth.values[:0])
    config = {"mcts_sims": 0, "opponents": "greedy  mcts:sims=2"}
    found = examiner(nothing, **config).examine(net_of(TIC_TAC_TOE, 1), {}, [])
    names = [match[1] for match in found["matches"]]
    assert names == ["random", "greedy", "mcts:sims=2"]
    shares = strength_of(found).shares
    assert list(shares) == ["random", "greedy", "mcts-sims-2"]
    wins, draws, losses = found["matches"][1][2:]
    assert shares["greedy"] == (wins + draws / 2) / (wins + draws + losses)


@pytest.mark.parametrize(
    ("opponents", "complaint"),
    [
        ("gredy", "evaluate.opponents: there is no agent 'gredy'.*greedy"),
        ("mcts:simms=3", "evaluate.opponents: the agent mcts has no setting 'simms'"),
        ("random", "evaluate.opponents: random is always met"),
        ("engine:cmd=true", "evaluate.opponents: engine:cmd=true would run a command"),
    ],
)
def test_opponents_that_nobody_can_play_are_refused(opponents, complaint):
    with pytest.raises(UserError, match=complaint):
        named_opponents(EvalConfig(opponents=opponents), TIC_TAC_TOE)


def test_without_rollouts_and_truth_less_is_told(truth):
    nothing = Truth(truth.states[:0], truth.plies[:0], truth.values[:0])
    found = examiner(nothing, mcts_sims=0).examine(net_of(TIC_TAC_TOE, 1), {}, [])
    assert [match[1] for match in found["matches"]] == ["random"]
    assert "truth_net" not in found


def test_a_stopped_examination_tells_nothing(truth):
    stopped = examiner(truth, should_stop=lambda: True)
    assert stopped.examine(net_of(TIC_TAC_TOE, 1), {}, []) == {}
    nets = net_of(TIC_TAC_TOE, 1), net_of(TIC_TAC_TOE, 2)
    assert stopped.passes(*nets, 1) == (False, 0.0)


def test_a_net_that_meets_itself_makes_half_of_the_points(truth):
    net = net_of(TIC_TAC_TOE, 1)
    assert examiner(truth).passes(net, net, 1) == (False, 0.5)
    assert examiner(truth, gate_share=0.5).passes(net, net, 1) == (True, 0.5)


def test_the_gate_lets_pass_who_makes_enough_points(truth):
    new, old = net_of(TIC_TAC_TOE, 1), net_of(TIC_TAC_TOE, 2)
    judge = examiner(truth)
    _, share = judge.passes(new, old, 7)
    players = judge.searcher(new), judge.searcher(old)
    tally = Contest(TIC_TAC_TOE, players, sub_seed(5, "gate", 7)).tally(5)
    assert share == score_estimate(tally.pairs).value
    assert examiner(truth, gate_share=share).passes(new, old, 7) == (True, share)
    higher = min(1.0, share + 0.01)
    assert examiner(truth, gate_share=higher).passes(new, old, 7) == (False, share)


def test_scores_of_a_game_for_one_are_told():
    nothing = make_truth(GUESSING, 0)
    judge = examiner(nothing, GUESSING, games=5)
    found = judge.examine(net_of(GUESSING, 1), {}, [])
    assert "elo" not in found
    assert 0 <= found["score_p10"] <= found["score_median"] <= found["score_p90"]
    assert 0 < found["score_mean"] <= found["score_p90"]
    rounds = GUESSING.options["rounds"]
    assert found["length_p10"] == found["length_mean"] == found["length_p90"] == rounds
    assert found["length_cut"] == 0.0
    assert judge.examine(net_of(GUESSING, 1), {}, []) == found


def test_games_that_reach_the_limit_are_counted(monkeypatch):
    monkeypatch.setattr(GUESSING.plain, "MAX_PLIES", 0)  # says nothing of its end
    monkeypatch.setattr("ludens.arena.match.MAX_PLIES", 1)
    judge = examiner(make_truth(GUESSING, 0), GUESSING, games=8)
    found = judge.examine(net_of(GUESSING, 1), {}, [])
    assert found["length_p90"] == 1
    assert 0 < found["length_cut"] <= 1


def test_scores_of_a_stopped_examination_are_not_told():
    """The games that are finished by then are the short ones."""
    looks = iter([False] * 2 + [True] * 1000)
    judge = examiner(
        make_truth(GUESSING, 0), GUESSING, games=8, should_stop=lambda: next(looks)
    )
    assert judge.examine(net_of(GUESSING, 1), {}, []) == {}
