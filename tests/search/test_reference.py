"""The compiled search grows the tree of a literal one, node by node."""

import math
from typing import Any

import pytest
from reference import Node, Reference
from shared import GOMOKU, GUESSING, RACE, load, network, position, searched

from ludens import Game, load_game
from ludens.game import OVER
from ludens.search.config import SearchConfig
from ludens.search.search import Search
from ludens.search.tree import UNPROVEN

ALL_GAMES = {  # and after how many moves of each to search
    "tic_tac_toe": (0, 3),
    "connect_four": (0, 20),
    GOMOKU: (0, 24),
    "pyrga": (0, 20),
    "triangle": (0, 12),
    "triple_triad": (0, 5),
}
MANY_OUTCOMES = f"{GUESSING}:sides=9"
"""With rollouts only: with a network a search treats outcomes as it does in RACE."""
CHANCE_GAMES = {RACE: (0, 2), GUESSING: (0,), MANY_OUTCOMES: (0,)}
PUCT = {
    "plain": {},
    "constant-fpu": {"fpu": "constant", "fpu_value": -0.3, "c_log": 0.0, "c_puct": 2.0},
    "noise": {"noise_fraction": 0.25, "root_temperature": 1.4, "rollouts": 1},
    "forced": {"forced": 2.0, "noise_fraction": 0.25, "c_base": 50.0, "rollouts": 2},
    "weights": {"prior_weight": 0.3, "value_weight": 1.7, "forced": 2.0, "rollouts": 1},
    "spread": {"spread_weight": 0.9, "forced": 2.0, "rollouts": 1},
    "unproven": {"proofs": False, "rollouts": 1, "rollout_plies": 20},
    "alike": {"likely": 0.0, "rollouts": 1},
    "widening": {"widening": 1.5, "rollouts": 1},
    "cut": {"max_edges": 3, "noise_fraction": 0.25, "rollouts": 1},
    "discount": {"discount": 0.9, "rollouts": 1},
    "outcomes": {"outcomes": 0.7, "exact_outcomes": 0, "rollouts": 1},
}
GUMBEL = {
    "plain": {},
    "few": {"max_considered": 3, "rollouts": 1},
    "no-noise": {"gumbel_scale": 0.0, "rollouts": 1, "c_visit": 10.0, "c_scale": 1.0},
    "unproven": {"proofs": False, "rollouts": 1},
    "cut": {"max_edges": 5, "max_considered": 4, "rollouts": 1},
    "one-outcome": {"outcomes": 1.0, "outcomes_power": 0.0, "exact_outcomes": 0},
    "unstretched": {"least_spread": 0.7, "c_scale": 0.5, "rollouts": 1},
}


def compare(search: Search, index: int, node: Node) -> int:
    """Assert that a node and all below it are equal; return how many there are."""
    ours = search.forest.nodes[0, index]
    edges = search.edges(0, index)
    assert (ours.to_play, ours.visits) == (node.to_play, node.visits)
    assert ours.total == pytest.approx(node.total, abs=1e-9)
    assert ours.value == pytest.approx(node.value, abs=1e-9)
    assert ours.reward == node.reward
    if node.to_play != OVER:
        assert ours.proof == (UNPROVEN if node.proof is None else node.proof)
    assert edges["action"].tolist() == list(node.priors)
    assert edges["prior"].tolist() == list(node.priors.values())
    assert edges["visits"].tolist() == [node.n(a) for a in node.priors]
    assert {int(e.action) for e in edges if e.child >= 0} == set(node.children)
    count = 1
    for edge in edges[edges["child"] >= 0]:
        action = int(edge.action)
        child, proof = node.children[action], node.proven(action)
        assert edge.total == pytest.approx(node.sign * child.gain, abs=1e-9)
        assert edge.proof == (UNPROVEN if proof is None else proof)
        count += compare(search, edge.child, child)
    return count


def check(
    game: Game, plies: int, seed: int, with_net: bool, sims: int, **chosen: Any
) -> int:
    """Search a position both ways; return how many nodes were compared."""
    config = SearchConfig(sims=sims, **chosen)
    state = position(game, plies, seed)
    evaluator = network(game) if with_net else None
    search, roots = searched(state, config, evaluator, seed)
    reference = Reference(game, config, evaluator)
    root = reference.run(state.raw, seed, sims)
    count = compare(search, 0, root)
    assert count == search.forest.heads[0].num_nodes
    assert roots.sims[0] == reference.sims
    assert roots.chosen[0] == reference.choice(root)
    lesson = reference.lesson(root)
    assert roots.policy[0, list(lesson)] == pytest.approx([*lesson.values()], abs=1e-9)
    assert math.isclose(roots.policy[0].sum(), 1, abs_tol=1e-9)
    return count


def pairs(settings: dict[str, Any], *telling: str) -> list[Any]:
    """Return all games with all settings; what tells least of the others is slow.

    Of the rest, the stored fingerprints hold the searches of every game.
    """
    return [
        pytest.param(spec, name, marks=[] if spec in telling else pytest.mark.slow)
        for spec in ALL_GAMES | CHANCE_GAMES
        for name in settings
    ]


@pytest.mark.parametrize(
    ("spec", "setting"), pairs(PUCT, "tic_tac_toe", RACE, MANY_OUTCOMES)
)
def test_puct_is_that_of_the_reference(spec: str, setting: str) -> None:
    for plies in (ALL_GAMES | CHANCE_GAMES)[spec]:
        for with_net in (False, True) if spec != MANY_OUTCOMES else (False,):
            check(load(spec), plies, 1 + plies, with_net, 60, **PUCT[setting])


@pytest.mark.parametrize(("spec", "setting"), pairs(GUMBEL, "tic_tac_toe", RACE))
def test_gumbel_is_that_of_the_reference(spec: str, setting: str) -> None:
    for plies in (ALL_GAMES | CHANCE_GAMES)[spec]:
        for with_net in (False, True):
            chosen = {"root": "gumbel", **GUMBEL[setting]}
            check(load(spec), plies, 1 + plies, with_net, 60, **chosen)


@pytest.mark.parametrize("spec", ["tic_tac_toe", GUESSING, f"{GUESSING}:sides=9"])
@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_uncompiled_search_is_that_of_the_reference_too(spec: str, root: str) -> None:
    game = load_game(spec, compiled=False)
    noise = {"noise_fraction": 0.25, "root_temperature": 1.4, "forced": 2.0}
    for with_net in (False, True):
        check(game, 0, 3, with_net, 40, root=root, rollouts=1, **noise)
