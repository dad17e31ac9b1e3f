"""Games, positions and a small network for the tests of the search."""

import math
from functools import cache
from pathlib import Path

import numpy as np

from ludens import Game, State, load_game
from ludens.game import Planes
from ludens.search.config import SearchConfig
from ludens.search.model import Evaluation, Evaluator
from ludens.search.search import Roots, Search

FOLDER = Path(__file__).parent
RACE = f"{FOLDER / 'dice_race.py'}"
GUESSING = f"{FOLDER / 'guessing.py'}"
GOMOKU = "gomoku:size=7"

load = cache(load_game)


def position(game: Game, plies: int, seed: int) -> State:
    """Return a position that is not over, after so many random moves."""
    generator = np.random.default_rng((seed, plies))
    while True:
        state = game.new(seed=int(generator.integers(1000)))
        for _ in range(plies):
            if not state.is_over:
                state.apply(int(generator.choice(state.legal_actions())))
        if not state.is_over:
            return state


@cache
def network(game: Game) -> Evaluator:
    """Return a linear network of whole numbers: exact whatever the size of a batch."""
    num_inputs = min(1000, math.prod(game.observation_shape))  # a few planes will do
    generator = np.random.default_rng(game.num_actions)
    weights = generator.integers(-8, 9, (num_inputs, game.num_actions + 1))
    floats = weights.astype(np.float64)  # whole numbers are exact, and quick, in these

    def evaluate(planes: Planes) -> Evaluation:
        inputs = planes.reshape(len(planes), -1)[:, :num_inputs].astype(np.float64)
        sums = np.rint(inputs * 16) @ floats
        values = np.sin(sums[:, -1] / 256)
        logits = sums[:, :-1] / 256
        return Evaluation(logits.astype(np.float32), values.astype(np.float32))

    return evaluate


def counted(evaluator: Evaluator, sizes: list[int]) -> Evaluator:
    """Return an evaluator that notes the size of each batch it is asked for."""

    def evaluate(planes: Planes) -> Evaluation:
        sizes.append(len(planes))
        return evaluator(planes)

    return evaluate


def searched(
    state: State,
    config: SearchConfig,
    evaluator: Evaluator | None = None,
    seed: int = 1,
    sims: int | None = None,
) -> tuple[Search, Roots]:
    """Search one position."""
    search = Search(state.game, config, evaluator=evaluator, is_lazy=True)
    search.reset(np.array([state.raw]), [seed])
    return search, search.run(sims)


def tree_of(search: Search, g: int = 0) -> dict[str, list[float]]:
    """Return all that is in a game's tree."""
    head = search.forest.heads[g]
    nodes = search.forest.nodes[g, : head.num_nodes]
    edges = search.forest.edges[g, : head.num_edges]
    columns = {f"node {name}": nodes[name].tolist() for name in nodes.dtype.names}
    return columns | {
        f"edge {name}": edges[name].tolist() for name in edges.dtype.names
    }


def grown(
    states: list[State],
    config: SearchConfig,
    threads: int = 1,
    evaluator: Evaluator | None = None,
    first_seed: int = 0,
) -> list[dict[str, list[float]]]:
    """Search positions of one game, with a seed each, and return their trees."""
    search = Search(states[0].game, config, len(states), threads, evaluator)
    seeds = range(first_seed, first_seed + len(states))
    search.reset(np.array([state.raw for state in states]), seeds)
    search.run()
    return [tree_of(search, g) for g in range(len(states))]
