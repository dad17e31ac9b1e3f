"""The root: noise, temperature, the move that is played and the policy to learn."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from shared import load, network, position, searched

from ludens import State
from ludens.game import Planes
from ludens.search.config import SearchConfig
from ludens.search.model import Evaluation, Evaluator
from ludens.search.search import Search
from marked import quick


def root_priors(spec: str, config: SearchConfig, count: int) -> NDArray[np.float64]:
    """Return the root's priors [count, moves] for as many seeds."""
    game = load(spec, compiled=count > 1)
    search = Search(game, config, count)
    search.reset(np.array([game.new(seed=1).raw] * count), range(count))
    search.run(0)
    return np.array([search.edges(g, 0)["prior"] for g in range(count)], np.float64)


@pytest.mark.parametrize(("spec", "moves"), [("tic_tac_toe", 9), ("connect_four", 7)])
def test_noise_is_dirichlet_s_with_the_same_total_alpha(spec: str, moves: int) -> None:
    config = SearchConfig(sims=1, noise_fraction=0.25)
    priors = root_priors(spec, config, 3000)
    noise = (priors - 0.75 / moves) / 0.25
    assert noise.sum(1) == pytest.approx(1, abs=1e-6)
    assert noise.mean(0) == pytest.approx(1 / moves, abs=0.01)
    variance = (1 / moves) * (1 - 1 / moves) / (config.noise_total + 1)
    assert noise.var(0) == pytest.approx(variance, rel=0.15)


def test_noise_total_sets_how_uneven_noise_is() -> None:
    config = SearchConfig(sims=1, noise_fraction=1.0, noise_total=0.7)
    noise = root_priors("connect_four", config, 3000)
    assert noise.var() == pytest.approx((1 / 7) * (6 / 7) / 1.7, rel=0.1)


def test_gumbel_numbers_have_gumbel_s_moments() -> None:
    game = load("connect_four")
    search = Search(game, SearchConfig(sims=1, root="gumbel"), 3000)
    search.reset(np.array([game.new().raw] * 3000), range(3000))
    search.run(0)
    numbers = search.forest.noise
    assert numbers.mean() == pytest.approx(0.5772, abs=0.03)
    assert numbers.var() == pytest.approx(math.pi**2 / 6, rel=0.05)


def test_temperature_flattens_the_root_s_priors() -> None:
    game = load("connect_four")
    state = position(game, 4, 1)
    _, cold = searched(state, SearchConfig(sims=1), network(game))
    for heat in (0.5, 2.0):
        config = SearchConfig(sims=1, root_temperature=heat)
        search, roots = searched(state, config, network(game))
        powers = cold.priors[0] ** (1 / heat)
        assert search.edges(0, 0)["prior"] == pytest.approx(powers / powers.sum())
        assert roots.priors[0] == pytest.approx(cold.priors[0])


def test_low_temperature_on_a_wide_board_is_no_division_by_zero() -> None:
    config = SearchConfig(sims=1, root_temperature=0.01)
    assert root_priors("gomoku", config, 1)[0] == pytest.approx([1 / 225] * 225)


@pytest.mark.parametrize("root", ["puct", "gumbel"])
@pytest.mark.parametrize(
    "spec", quick(["connect_four", "pyrga", "triple_triad"], "connect_four")
)
def test_policy_is_a_distribution_over_legal_actions(spec: str, root: str) -> None:
    state = position(load(spec), 4, 2)
    legal = state.legal_actions()
    for sims in (1, 3, 60):
        _, roots = searched(state, SearchConfig(sims=sims, root=root, rollouts=1))
        assert roots.policy[0].sum() == pytest.approx(1)
        assert roots.policy[0, legal].sum() == pytest.approx(1)
        assert roots.visits[0, legal].sum() == roots.sims[0]
        assert roots.priors[0, legal] == pytest.approx(1 / len(legal))
        assert roots.chosen[0] in legal


def test_puct_teaches_the_share_of_visits() -> None:
    config = SearchConfig(sims=100, rollouts=1, noise_fraction=0.25)
    _, roots = searched(load("connect_four").new(), config)
    assert roots.policy[0] == pytest.approx(roots.visits[0] / 100)
    assert roots.chosen[0] == roots.visits[0].argmax()


def must_block() -> State:
    """Return a position in which O, to move, loses with all moves but c3.

      a b c
    1 . . .
    2 . O .
    3 X X .
    """
    state = load("tic_tac_toe").new()
    state.apply_moves("a3 b2 b3")
    return state


def biased(logits: dict[tuple[int, int], float]) -> Evaluator:
    """Return a network for tic-tac-toe: a logit by number of marks and action."""

    def evaluate(planes: Planes) -> Evaluation:
        given = np.zeros((len(planes), 9), np.float32)
        for (marks, action), logit in logits.items():
            given[planes.sum((1, 2, 3)) == marks, action] = logit
        return Evaluation(given, np.zeros(len(planes), np.float32))

    return evaluate


BLOCK = 8
OTHERS = [0, 1, 2, 3, 5]


def test_lost_moves_are_never_taught_even_if_nothing_else_was_tried() -> None:
    network = biased({(3, BLOCK): -8.0, (4, BLOCK): 8.0})
    seen = set()
    for sims in range(1, 40):
        config = SearchConfig(sims=sims, c_puct=0.1)
        _, roots = searched(must_block(), config, network)
        lost = roots.proofs[0] == -1
        seen.add(int(lost.sum()))
        assert roots.policy[0, lost].sum() == 0
        assert roots.policy[0].sum() == pytest.approx(1)
        assert not lost[roots.chosen[0]]
    assert seen == {0, 1, 2, 3, 4, 5}


def test_gumbel_does_not_play_a_lost_move_however_likely() -> None:
    for sims in range(5, 60):
        config = SearchConfig(sims=sims, root="gumbel", gumbel_scale=0.0)
        _, roots = searched(must_block(), config, biased({(3, 0): 20.0}))
        assert roots.proofs[0, roots.chosen[0]] != -1
    assert roots.proofs[0, 0] == -1


@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_proven_policy_is_exact(root: str) -> None:
    _, roots = searched(must_block(), SearchConfig(sims=5000, root=root))
    assert roots.proofs[0, OTHERS].tolist() == [-1] * 5
    assert roots.policy[0].argmax() == roots.chosen[0] == BLOCK
    assert roots.policy[0, BLOCK] == 1


def test_forced_playouts_are_made_but_not_taught() -> None:
    game = load("connect_four")
    settings = {"sims": 300, "rollouts": 4, "proofs": False, "c_puct": 0.3}
    _, free = searched(position(game, 4, 1), SearchConfig(**settings))
    _, forced = searched(position(game, 4, 1), SearchConfig(**settings, forced=2.0))
    least = math.sqrt(2 / 7 * 300)
    assert free.visits[0].min() < least - 2
    assert forced.visits[0].min() > least - 2
    taught = forced.policy[0] * forced.visits[0].sum()
    assert (taught <= forced.visits[0].sum()).all()
    assert forced.policy[0].max() > forced.visits[0].max() / 300
    assert (forced.policy[0] == 0).any()
