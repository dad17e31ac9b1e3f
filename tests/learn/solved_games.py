"""Games of tic-tac-toe played at random and labelled by the solver."""

import numpy as np

from ludens import load_game
from ludens.learn.config import ReplayConfig
from ludens.learn.window import Window
from ludens.loading.game import Game
from ludens.selfplay.share import GameRecord
from ludens.solver.exact import Solver


def solved_game(
    game: Game, solver: Solver, number: int, fast: float = 0.0
) -> GameRecord:
    """Play at random; each position knows its value and all its best moves."""
    rng = np.random.default_rng(number)
    state = game.new(seed=number)
    policies, values = [], []
    while not state.is_over:
        solution = solver.solve(state)
        policy = np.zeros(game.num_actions, np.float16)
        policy[list(solution.best)] = 1 / len(solution.best)
        policies.append(policy)
        values.append(solution.value.outcome)
        state.apply(int(rng.choice(state.legal_actions())))
    assert state.result is not None
    return GameRecord(
        number=number,
        seed=number,
        net=0,
        history=np.array(state.history, np.int32),
        kinds=np.where(rng.random(len(values)) < fast, 1, 2).astype(np.uint8),
        policies=np.array(policies),
        values=np.array(values, np.float32),
        result=state.result,
        is_over=True,
        ending="played",
    )


def solved_window(
    num_games: int, fast: float = 0.0, prioritised: bool = False
) -> Window:
    """Return a window of such games, in which values are exact."""
    game = load_game("tic_tac_toe")
    solver = Solver(game, memory_mb=8)
    window = Window(game, ReplayConfig(q_share=1.0, prioritised=prioritised))
    window.add([solved_game(game, solver, i, fast) for i in range(num_games)])
    return window
