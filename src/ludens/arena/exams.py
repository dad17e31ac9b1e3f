"""Exams: positions with exact values, and what agents choose in them."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from ludens.arena.match import Contest
from ludens.arena.play import Player, games_together
from ludens.loading.game import Game
from ludens.rng import sub_seed
from ludens.solver.graded import NODES, Grade, Truth, grade, solve_games
from ludens.state import State

BATCHES = 16
"""Batches of games to look for positions in."""
SOURCES = ("random", "mcts:sims=32,rollouts=1")
"""The agents of these games, by turns."""


def make_truth(
    game: Game,
    count: int,
    seed: int = 0,
    seconds: float = 60.0,
    nodes: int = NODES,
    threads: int = 1,
) -> Truth:
    """Solve positions from games at random and by a light search."""
    games = _sample_games(game, count, seed, threads)
    return solve_games(game, games, count, seed, seconds, nodes)


def _sample_games(game: Game, count: int, seed: int, threads: int) -> Iterator[State]:
    for batch in range(BATCHES):
        agent = SOURCES[batch % len(SOURCES)]
        batch_seed = sub_seed(seed, "graded", batch)
        contest = Contest(game, (agent, agent), batch_seed, threads=threads)
        for games in contest.play(-(-count // 2)):
            yield from (played.state for played in games)


def examine(truth: Truth, game: Game, player: Player, threads: int = 1) -> Grade:
    """Grade what an agent plays in the positions."""
    return grade(truth, choices(truth, game, player, threads))


def choices(
    truth: Truth, game: Game, player: Player, threads: int = 1
) -> NDArray[np.int64]:
    """Return the actions [n] that an agent chooses in the positions [n].

    Each position is a game of its own, so that nothing depends on how they are spread
    over the threads.
    """
    states, chosen = truth.positions(game), np.zeros(len(truth), np.int64)
    threads = max(1, min(threads, len(states)))
    if not states:
        return chosen
    size = games_together([player.make(0)])
    parts = [range(i, len(states), threads) for i in range(threads)]

    def choose(part: range) -> list[int]:
        agent = player.make(0, size if size == 1 else max(2, min(size, len(part))))
        return agent.choose_many([states[i] for i in part], seeds=part)

    with ThreadPoolExecutor(threads) as pool:
        for part, actions in zip(parts, pool.map(choose, parts), strict=True):
            chosen[list(part)] = actions
    return chosen
