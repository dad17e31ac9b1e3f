"""How many steps a second a library user gets from a `State` in ordinary Python."""

import random
import statistics
import time
from collections.abc import Callable
from typing import Annotated

import typer

from ludens.loading.game import Game, load_game
from script import run

ROUNDS, SECONDS = 5, 1.0


def play_random(game: Game, seed: int) -> int:
    """Play a random game as a user writes it; return its number of steps."""
    state = game.new(seed=seed)
    while not state.is_over:
        state.apply(random.choice(state.legal_actions()))
    return state.num_plies


def replayer(game: Game) -> Callable[[Game, int], int]:
    """Return what only applies the actions of one game, known before."""
    state = game.new(seed=1)
    random.seed(1)
    actions = []
    while not state.is_over:
        actions.append(random.choice(state.legal_actions()))
        state.apply(actions[-1])

    def replay(game: Game, seed: int) -> int:
        state.reset()
        for action in actions:
            state.apply(action)
        return len(actions)

    return replay


def steps_a_second(game: Game, play: Callable[[Game, int], int]) -> float:
    """Return the steps a second of one round."""
    steps = seed = 0
    began = time.perf_counter()
    while time.perf_counter() < began + SECONDS:
        steps += play(game, seed)
        seed += 1
    return steps / (time.perf_counter() - began)


def main(
    games: Annotated[
        list[str] | None,
        typer.Argument(help="Games to measure; three if none.", metavar="GAME"),
    ] = None,
) -> None:
    """Measure the steps a second of a `State`: one core, medians of five rounds."""
    print(f"{'game':<14}{'random games':>14}{'apply alone':>14}   steps a second")
    for spec in games or ["connect_four", "tic_tac_toe", "triangle"]:
        game = load_game(spec)
        plays = (play_random, replayer(game))
        play_random(game, 0)
        found = [
            statistics.median(steps_a_second(game, play) for _ in range(ROUNDS))
            for play in plays
        ]
        print(f"{spec:<14}{found[0]:>14,.0f}{found[1]:>14,.0f}")


if __name__ == "__main__":
    run(main)
