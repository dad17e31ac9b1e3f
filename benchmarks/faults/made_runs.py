"""Runs whose games, nets and states are made from numbers, the same each time."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from ludens.files import Tensors
from ludens.loading.game import load_game
from ludens.nets.config import NetConfig
from ludens.nets.weights import Net, new_net
from ludens.selfplay.share import GameRecord
from ludens.store.run import Run

NUM_ACTIONS = 9
FACTS = {"game": "tic_tac_toe", "rules_hash": "abc", "seed": "7"}
CONFIG = 'game = "tic_tac_toe"\nseed = 7\n'
_GAME = load_game("tic_tac_toe", compiled=False)
_NET = NetConfig(trunk="mlp", blocks=1, hidden=8)


def make_game(number: int, num_plies: int = 5) -> GameRecord:
    """Return a made-up game that depends on its number alone."""
    rng = np.random.default_rng(number)
    kinds = rng.integers(0, 3, num_plies).astype(np.uint8)
    return GameRecord(
        number=number,
        seed=2**64 - 1 - number,
        net=number // 10,
        history=rng.permutation(NUM_ACTIONS)[:num_plies].astype(np.int32),
        kinds=kinds,
        policies=rng.random((num_plies, NUM_ACTIONS)).astype(np.float16),
        values=rng.random(num_plies).astype(np.float32),
        result=float(number % 3 - 1),
        is_over=number % 4 > 0,
        ending="played" if number % 4 > 0 else "resigned",
    )


def make_net(iteration: int) -> Net:
    """Return a small net that depends on the iteration alone."""
    return new_net(_GAME, _NET, iteration, iteration=iteration)


def make_state(iteration: int) -> Tensors:
    """Return made-up arrays of a learner."""
    rng = np.random.default_rng(iteration)
    return {
        "weights": rng.random((16, 16)).astype(np.float32),
        "num_steps": np.array(iteration),
    }


def commit_games(run: Run, iteration: int, num_games: int = 10) -> None:
    """Commit made-up games; the same iteration brings the same ones."""
    first = iteration * num_games
    games = [make_game(number) for number in range(first, first + num_games)]
    run.commit_games(iteration, games, [make_game(first + num_games)], {"a": 1.5})


def commit(run: Run, iteration: int) -> None:
    """Commit a made-up iteration, or what is left of it if its games are there."""
    if run.pending() is None:
        commit_games(run, iteration)
    metrics = {"loss": 1 / iteration, "elo": 10.0 * iteration}
    run.commit_net(iteration, make_net(iteration), make_state(iteration), metrics)


def commit_iteration(
    run: Run,
    number: int,
    games: Sequence[GameRecord] = (),
    unfinished: Sequence[GameRecord] = (),
    net: Net | None = None,
    state: Tensors | None = None,
    metrics: Mapping[str, Any] | None = None,
) -> None:
    """Commit the games and the net of an iteration."""
    run.commit_games(number, games, unfinished, {})
    run.commit_net(number, net, state, metrics or {})


def make_run(folder: Path, num_iterations: int = 0) -> Run:
    """Return a new run, open for writing, with so many iterations."""
    run = Run.create(folder, CONFIG, FACTS)
    for iteration in range(1, num_iterations + 1):
        commit(run, iteration)
    return run


def make_older(folder: Path, number: int) -> None:
    """Turn a run into one of an older format."""
    with closing(sqlite3.connect(folder / "games.sqlite")) as base, base:
        newer = {"workers": 5, "traces": 4, "tallies": 3, "checksums": 3, "pending": 2}
        for table in (table for table, since in newer.items() if since > number):
            base.execute(f"DROP TABLE {table}")
        if number < 3:
            base.execute("DELETE FROM facts WHERE key IN ('head', 'digest')")
        base.execute(f"PRAGMA user_version = {number}")


def is_same(one: GameRecord, other: GameRecord) -> bool:
    """Compare games, arrays to the last bit and with their types."""
    pairs = [(value, vars(other)[name]) for name, value in vars(one).items()]
    return all(
        a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
        if isinstance(a, np.ndarray)
        else (type(a), a) == (type(b), b)
        for a, b in pairs
    )
