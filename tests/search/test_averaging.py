"""Answers of a network that are averaged over the symmetries of a game."""

import numpy as np
import pytest
from shared import counted, load, network, position, searched
from toy_model import ToyModel

from ludens import State
from ludens.errors import UserError
from ludens.search.config import SearchConfig
from ludens.search.search import Search

GAME = load("tic_tac_toe")


def mean_policy(state: State, symmetries: list[int]) -> np.ndarray:
    """Return the policy [A] of mean logits, image by image."""
    rules, logits = GAME.plain, np.zeros(GAME.num_actions)
    for symmetry in symmetries:
        seen = network(GAME)(state.transformed(symmetry).observe()[None]).logits[0]
        for action in range(GAME.num_actions):
            logits[action] += seen[rules.transform_action(action, symmetry)]
    policy = np.zeros(GAME.num_actions)
    legal = state.legal_actions()
    policy[legal] = np.exp(logits[legal] / len(symmetries))
    return policy / policy.sum()


@pytest.mark.parametrize(
    ("symmetries", "which"), [(2, [0, 4]), (8, list(range(8))), (99, list(range(8)))]
)
def test_the_root_has_the_mean_of_all_images(symmetries: int, which: list[int]) -> None:
    state = position(GAME, 2, 1)
    config = SearchConfig(sims=3, symmetries=symmetries)
    _, roots = searched(state, config, network(GAME))
    np.testing.assert_allclose(roots.priors[0], mean_policy(state, which), atol=1e-6)


def test_below_the_root_the_network_sees_one_image() -> None:
    sizes: list[int] = []
    config = SearchConfig(sims=3, symmetries=8)
    searched(position(GAME, 2, 1), config, counted(network(GAME), sizes))
    assert sizes == [1, 8, 1, 1, 1]


def test_a_root_of_a_kept_tree_is_averaged_too() -> None:
    state = position(GAME, 2, 1)
    config = SearchConfig(sims=60, symmetries=8)
    search, roots = searched(state, config, network(GAME))
    state.apply(int(roots.chosen[0]))
    assert search.reuse(0, state.raw)
    priors = search.read_roots().priors[0]
    np.testing.assert_allclose(priors, mean_policy(state, list(range(8))), atol=1e-6)


def test_averaged_answers_stay_out_of_the_cache() -> None:
    """Other trees of a thread would come to depend on which position was a root."""
    states = [position(GAME, 2, 1)]
    states += [states[0].copy()]
    states[1].apply(states[1].legal_actions()[0])
    config = SearchConfig(sims=40, symmetries=8, cache_size=256)

    def visits(which: list[State]) -> list[float]:
        search = Search(GAME, config, len(which), 1, network(GAME))
        search.reset(np.array([state.raw for state in which]), range(len(which)))
        return [float(n) for n in search.run().visits[0]]

    assert visits(states) == visits(states[:1])


def test_symmetries_are_refused_without_a_network_that_has_them() -> None:
    config = SearchConfig(symmetries=8)
    for evaluator in (None, ToyModel(GAME, False, False)):
        with pytest.raises(UserError, match="symmetries is for a network"):
            Search(GAME, config, evaluator=evaluator, is_lazy=True)
