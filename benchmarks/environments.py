"""Steps a second of environments on one core: our vector environment and others'."""

import os
import random
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer

import ludens.envs
from script import run

Steps = Iterator[int]
"""Steps again and again; gives how many steps each time."""
Clock = Callable[[], float]


def our_vector(game: str, games: int) -> Steps:
    """Step many games at once; planes, masks and rewards are views."""
    envs = ludens.envs.make_vec(game, games, copy=False)
    envs.reset(seed=1)
    while True:
        waiting = envs.step(envs.sample_legal())[2].sum()  # begin with the next step
        yield games - int(waiting)


def our_turns(game: str, games: int) -> Steps:
    """Step one game through PettingZoo."""
    return turns(ludens.envs.make(game))


def petting_zoo(game: str, games: int) -> Steps | None:
    """Step PettingZoo's own game."""
    from pettingzoo.classic import connect_four_v3

    return turns(connect_four_v3.env()) if game == "connect_four" else None


def turns(env: Any) -> Steps:
    """Step an AEC environment, with observations and masks."""
    while True:
        env.reset(seed=1)
        for agent in env.agent_iter():
            seen, _, is_over, is_cut, _ = env.last()
            if is_over or is_cut:
                break
            env.step(env.action_space(agent).sample(seen["action_mask"]))
            yield 1


def open_spiel(game: str, games: int) -> Steps | None:
    """Step OpenSpiel's C++ game from Python, with its observation tensor."""
    import pyspiel

    if game not in ("connect_four", "tic_tac_toe"):
        return None
    rules = pyspiel.load_game(game)

    def steps() -> Steps:
        state = rules.new_initial_state()
        while True:
            if state.is_terminal():
                state = rules.new_initial_state()
            state.observation_tensor()
            state.apply_action(random.choice(state.legal_actions()))
            yield 1

    return steps()


def pgx(game: str, games: int) -> Steps | None:
    """Step pgx's compiled games, which begin anew by themselves."""
    import jax
    import jax.numpy as jnp
    from pgx import make
    from pgx.experimental import auto_reset

    if game not in ("connect_four", "tic_tac_toe"):
        return None
    env: Any = make(game)
    begin, step = jax.jit(jax.vmap(env.init)), auto_reset(env.step, env.init)

    def advance(state: Any, key: Any) -> Any:
        first, second = jax.random.split(key)
        logits = jnp.log(state.legal_action_mask.astype(jnp.float32))
        actions = jax.random.categorical(first, logits, axis=-1)
        return jax.vmap(step)(state, actions, jax.random.split(second, games))

    compiled = jax.jit(advance)

    def steps() -> Steps:
        key = jax.random.PRNGKey(1)
        state = begin(jax.random.split(key, games))
        while True:
            key, now = jax.random.split(key)
            state = compiled(state, now)
            state.observation.block_until_ready()
            yield games

    return steps()


def cart_poles(game: str, games: int) -> Steps:
    """Step Gymnasium's own vector environment, for comparison."""
    import gymnasium

    envs = gymnasium.make_vec("CartPole-v1", games)
    envs.reset(seed=1)
    while True:
        envs.step(envs.action_space.sample())
        yield games


CONTENDERS: dict[str, Callable[[str, int], Steps | None]] = {
    "ludens": our_vector,
    "ludens in PettingZoo": our_turns,
    "PettingZoo": petting_zoo,
    "OpenSpiel": open_spiel,
    "pgx": pgx,
    "CartPole of Gymnasium": cart_poles,
}


def measure(
    game: str, games: int, rounds: int, seconds: float, clock: Clock
) -> dict[str, float]:
    """Return the steps a second of each, by turns on the first core; medians."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    runners = {}
    for name, begin in CONTENDERS.items():
        try:
            steps = begin(game, games)
        except ImportError as error:
            print(f"{name} was not measured: {error}")
            continue
        if steps is not None:
            next(steps)
            runners[name] = steps
    rates: dict[str, list[float]] = {name: [] for name in runners}
    for _ in range(rounds):
        for name, steps in runners.items():
            rates[name].append(rate(steps, seconds, clock))
    return {name: statistics.median(each) for name, each in rates.items()}


def rate(steps: Steps, seconds: float, clock: Clock) -> float:
    """Return the steps a second over a time."""
    done, began = 0, clock()
    while (spent := clock() - began) < seconds:
        done += next(steps)
    return done / spent


def main(
    game: Annotated[str, typer.Argument(metavar="GAME")] = "connect_four",
    games: Annotated[int, typer.Option(help="Games at once.", min=1)] = 4096,
    rounds: Annotated[
        int, typer.Option(help="Rounds by turns; medians are shown.", min=1)
    ] = 5,
    seconds: Annotated[
        float, typer.Option(help="Time of each in a round.", min=0.01)
    ] = 1.0,
    cpu: Annotated[
        bool, typer.Option("--cpu", help="Count CPU time: others use the machine.")
    ] = False,
) -> None:
    """Measure steps a second on one core: actions chosen, observations, masks."""
    clock = time.process_time if cpu else time.perf_counter
    speeds = measure(game, games, rounds, seconds, clock)
    print(f"{game}, {games:,} games at once")
    for name, speed in speeds.items():
        ratio = "" if name == "ludens" else f"{speeds['ludens'] / speed:,.1f}x"
        print(f"{name:<24}{speed:>14,.0f} steps/s{ratio:>12}")


if __name__ == "__main__":
    run(main)
