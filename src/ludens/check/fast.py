"""Play many random games at full speed with the checks of the kernel."""

from collections.abc import Callable

import numpy as np

from ludens.check import kernel as check_kernel
from ludens.check.kernel import CODES
from ludens.check.probe import roomy
from ludens.check.report import Notes, one_line
from ludens.loading.ahead import Task
from ludens.loading.game import Game
from ludens.rng import kernel_rng

MAX_STEPS = 100_000
"""A game of more actions and outcomes than this and 10 * MAX_PLIES is endless."""

Play = Callable[[int, int], tuple[int, list[int]]]


def play_fast(game: Game, notes: Notes, games: int, seed: int) -> None:
    """Play games until one shows a fault."""
    play = _player(game, MAX_STEPS + 10 * game.plain.MAX_PLIES)
    for index in range(games):
        try:
            with np.errstate(all="ignore"):
                fault, history = play(seed, index)
        except Exception as error:
            what = f"playing at full speed raises {one_line(error)}"
            notes.add("fast-play-raises", what, index)
            return
        notes.num_games += 1
        notes.num_positions += len(history) + 1
        if fault != 0:
            notes.add(CODES[fault], "", index, history)
            return


def compile_fast(game: Game) -> None:
    """Compile what plays at full speed, by a game of no steps."""
    _player(game, 0)(0, 0)


CHECKING = Task(check_kernel, "play_checked", compile_fast)
"""What compiles it ahead of time."""


def _player(game: Game, max_steps: int) -> Play:
    """Return a function that plays a game by number, in memory that it uses again."""
    rules = game.plain
    states = game.states(2)
    words = states.view(np.uint64).reshape(2, -1)
    outputs = (
        roomy(game.num_actions, np.int32, -1),
        roomy(rules.MAX_OUTCOMES, np.float64, np.nan),
        np.zeros(game.observation_shape, np.float32),
        np.zeros((len(rules.TARGETS), *rules.SHAPE), np.float32),
    )
    history = np.zeros(max_steps, np.int32)
    length = np.zeros(1, np.int64)

    def play(seed: int, index: int) -> tuple[int, list[int]]:
        rng = kernel_rng(seed, "fast", index)
        play_checked = game.kernel(check_kernel).play_checked
        fault = play_checked(states[0], words, *outputs, rng, history, length)
        return int(fault), history[: length[0]].tolist()

    return play
