"""Chance: values are expectations, and no future is ever seen before it comes."""

import numpy as np
import pytest
from shared import GUESSING, RACE, load, position, searched, tree_of

from ludens import State
from ludens.game import CHANCE
from ludens.search.config import SearchConfig
from ludens.search.search import Search


def expectation(state: State) -> float:
    """Return the value of best play for player 0, by looking at everything."""
    if state.is_over:
        return float(state.result or 0)
    if state.is_chance:
        return sum(p * expectation(after_outcome(state, o)) for o, p in state.chance())
    values = []
    for action in state.legal_actions():
        child = state.copy()
        child.apply(action)
        values.append(expectation(child))
    return max(values) if state.to_play == 0 else min(values)


def after_outcome(state: State, outcome: int) -> State:
    child = state.copy()
    child.apply_chance(outcome)
    return child


@pytest.mark.parametrize(
    ("sides", "root"),
    [
        pytest.param(4, "puct", marks=pytest.mark.slow),
        pytest.param(4, "gumbel", marks=pytest.mark.slow),
        (9, "puct"),
        pytest.param(9, "gumbel", marks=pytest.mark.slow),
    ],
)
def test_search_values_honest_play_not_foresight(sides: int, root: str) -> None:
    """Two rounds: never guessing brings 0.8, knowing the die would bring 2."""
    game = load(f"{GUESSING}:sides={sides}")
    config = SearchConfig(sims=20_000, root=root, rollouts=1)
    _, roots = searched(game.new(), config)
    assert roots.chosen[0] == sides
    # Means are a little lower, as guesses go on being explored, with Gumbel by design.
    least = 0.75 if root == "puct" else 0.5
    assert least < roots.means[0, sides] <= 0.8 + 1e-6
    assert roots.values[0] < 0.8
    assert (roots.means[0, :sides] < 0.4 + 1 / sides + 0.1).all()


def test_value_of_few_outcomes_is_exact_once_each_is_known() -> None:
    game = load(f"{GUESSING}:sides=9")
    state = game.new()
    state.apply("sure")
    config = SearchConfig(sims=150, c_puct=20.0, exact_outcomes=9)
    _, roots = searched(state, config)
    assert roots.means[0] == pytest.approx([1 / 9] * 9 + [0.4], abs=1e-7)


def test_dice_are_thrown_in_due_proportion() -> None:
    game = load(RACE)
    search, _ = searched(game.new(), SearchConfig(sims=2000, proofs=False))
    throw = search.edges(0, 0)[1].child
    visits = search.edges(0, throw)["visits"]
    assert visits.sum() > 100
    assert visits == pytest.approx(visits.sum() * np.array([0.5, 0.25, 0.25]), abs=1)


@pytest.mark.parametrize("plies", [0, 1, 2])
def test_search_comes_to_the_expectation_of_best_play(plies: int) -> None:
    state = State(load(RACE))
    for _ in range(plies):
        state.apply("walk")
    exact = expectation(state) * (1 if state.to_play == 0 else -1)
    _, roots = searched(state, SearchConfig(sims=20_000))
    best = roots.means[0, roots.chosen[0]]
    assert best == pytest.approx(exact, abs=0.05)
    moves = [state.copy(), state.copy()]
    for action, child in enumerate(moves):
        child.apply(action)
    values = [expectation(child) * (1 if state.to_play == 0 else -1) for child in moves]
    assert max(values) == pytest.approx(values[int(roots.chosen[0])], abs=0.02)


def before_refill() -> State:
    """Return a position of triangle with one shape left, so that a refill follows."""
    state = position(load("triangle"), 5, 3)
    assert sum(value != 0 for value in state.raw.slots) == 1
    return state


def test_search_does_not_know_the_coming_refill() -> None:
    state = before_refill()
    trees, futures = [], []
    for dice in (1, 2):
        twin = state.copy(seed=dice)
        search, roots = searched(twin, SearchConfig(sims=200, rollouts=1))
        trees.append(tree_of(search))
        twin.apply(int(roots.chosen[0]))
        futures.append(twin.raw.tobytes())
    assert trees[0] == trees[1]
    assert futures[0] != futures[1]


def test_move_before_a_refill_is_worth_the_mean_over_refills() -> None:
    state = before_refill()
    config = SearchConfig(sims=400, rollouts=1, max_edges=1)
    search, roots = searched(state, config)
    (edge,) = search.edges(0, 0)
    refill = search.forest.nodes[0, edge.child]
    outcomes = search.edges(0, edge.child)
    tried = outcomes[outcomes["visits"] > 0]
    assert refill.to_play == CHANCE
    assert edge.visits == outcomes["visits"].sum() == 400
    assert len(tried) > 12
    mean = refill.reward + tried["total"].sum() / 400
    assert roots.means[0, edge.action] == pytest.approx(mean)
    # Nearer to their share than lots would come: those have a deviation of 4 to 7.
    assert np.abs(outcomes["visits"] - 400 * outcomes["prior"]).max() < 3


def test_moves_are_compared_by_the_same_refills() -> None:
    search, _ = searched(before_refill(), SearchConfig(sims=300, rollouts=1))
    by_visits: dict[int, list[list[int]]] = {}
    for edge in search.edges(0, 0):
        if edge.visits > 3:
            drawn = search.edges(0, edge.child)["visits"].tolist()
            by_visits.setdefault(int(edge.visits), []).append(drawn)
    alike = [many for many in by_visits.values() if len(many) > 1]
    assert alike
    assert all(drawn == many[0] for many in alike for drawn in many)


def test_chance_to_move_is_nobody_s_choice() -> None:
    search, roots = searched(State(load("triangle")), SearchConfig(sims=10))
    assert roots.sims[0] == 0
    assert roots.chosen[0] == -1
    assert isinstance(search, Search)
