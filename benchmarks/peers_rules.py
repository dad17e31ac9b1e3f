"""Other people's engines, each driven the way its users drive it, when installed."""

import random
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from ludens.bench.speed import Play

PGX_BATCH = 1024


def _until(seconds: float, one_game: Callable[[], int]) -> tuple[int, int]:
    """Play game after game until the time is over; return games and steps."""
    games = steps = 0
    end = time.perf_counter() + seconds
    while True:
        steps += one_game()
        games += 1
        if time.perf_counter() >= end:
            return games, steps


def open_spiel(name: str) -> Play | None:
    """Play OpenSpiel's C++ games from Python."""
    theirs = {
        "tic_tac_toe": "tic_tac_toe",
        "connect_four": "connect_four",
        "gomoku": "mnk(m=15,n=15,k=5)",
    }
    if name not in theirs:
        return None
    import pyspiel

    game = pyspiel.load_game(theirs[name])

    def one_game() -> int:
        state = game.new_initial_state()
        steps = 0
        while not state.is_terminal():
            state.apply_action(random.choice(state.legal_actions()))
            steps += 1
        return steps

    return lambda seconds: _until(seconds, one_game)


def pgx(name: str) -> Play | None:
    """Play pgx's JAX games, a compiled batch at a time."""
    if name not in ("tic_tac_toe", "connect_four"):
        return None
    import jax
    import jax.numpy as jnp
    from pgx import make

    env = make(name)
    longest = {"tic_tac_toe": 9, "connect_four": 42}[name]

    def batch(key: Any) -> Any:
        def step(carry: Any, key: Any) -> Any:
            state, steps = carry
            logits = jnp.log(state.legal_action_mask.astype(jnp.float32))
            action = jax.random.categorical(key, logits, axis=-1)
            live = ~state.terminated
            return (jax.vmap(env.step)(state, action), steps + live.sum()), None

        first, rest = jax.random.split(key)
        state = jax.vmap(env.init)(jax.random.split(first, PGX_BATCH))
        keys = jax.random.split(rest, longest)
        (_, steps), _ = jax.lax.scan(step, (state, jnp.int32(0)), keys)
        return steps

    compiled = jax.jit(batch)
    keys = iter(jax.random.split(jax.random.PRNGKey(0), 100_000))

    def play(seconds: float) -> tuple[int, int]:
        batches, steps = _until(seconds, lambda: int(compiled(next(keys))))
        return batches * PGX_BATCH, steps

    return play


def trianglengin(name: str) -> Play | None:
    """Play trianglengin's C++ triangle puzzle from Python."""
    if name != "triangle":
        return None
    from trianglengin import EnvConfig, GameState

    config = EnvConfig()

    def one_game() -> int:
        state = GameState(config, initial_seed=random.randrange(2**31))
        steps = 0
        while not state.is_over():
            state.step(random.choice(list(state.valid_actions())))
            steps += 1
        return steps

    return lambda seconds: _until(seconds, one_game)


_MODULES = {"open_spiel": "pyspiel", "pgx": "pgx", "trianglengin": "trianglengin"}
_MAKERS = {"open_spiel": open_spiel, "pgx": pgx, "trianglengin": trianglengin}


def installed() -> dict[str, Callable[[str], Play | None]]:
    """Return the peers that can be imported here."""
    return {who: make for who, make in _MAKERS.items() if _imports(_MODULES[who])}


def missing() -> list[str]:
    """Return the peers that cannot."""
    return [who for who in _MAKERS if not _imports(_MODULES[who])]


def _imports(module: str) -> bool:
    """Tell whether a module can be imported; trianglengin's wheel for 3.11 cannot."""
    try:
        import_module(module)
    except ImportError:
        return False
    return True
