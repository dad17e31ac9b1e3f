"""Games played at random, with what searches might have thought of them."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from ludens import Game, State, load_game
from ludens.selfplay.share import GameRecord

SIX = (
    "tic_tac_toe",
    "connect_four",
    pytest.param("gomoku:size=7", marks=pytest.mark.slow),
    pytest.param("pyrga", marks=pytest.mark.slow),
    pytest.param("triple_triad", marks=pytest.mark.slow),
    pytest.param("triangle", marks=pytest.mark.slow),
)
load = cache(load_game)


def play(game: Game, number: int, kinds: Sequence[int] = (0, 1, 2)) -> GameRecord:
    """Return a random game, each of its positions searched in one of these ways."""
    rng = np.random.default_rng(number)
    state = game.new(seed=number)
    chosen, policies = [], []
    while not state.is_over:
        legal = state.legal_actions()
        chosen.append(int(rng.choice(kinds)))
        policies.append(np.zeros(game.num_actions))
        if chosen[-1]:
            policies[-1][legal] = rng.dirichlet(np.ones(len(legal)))
        state.apply(int(rng.choice(legal)))
    values = rng.uniform(-1, 1, len(chosen)) * (np.array(chosen) > 0)
    return GameRecord(
        number=number,
        seed=number,
        net=0,
        history=np.array(state.history, np.int32),
        kinds=np.array(chosen, np.uint8),
        policies=np.array(policies, np.float16),
        values=values.astype(np.float32),
        result=state.score if state.result is None else state.result,
        is_over=True,
        ending="played",
    )


def play_line(game: Game, moves: str, number: int = 0, **changes: object) -> GameRecord:
    """Return a game of these moves, with the played ones as policies."""
    state = game.new(seed=1)
    state.apply_moves(moves)
    actions = [a for before, a in positions(game, state.history)]
    made = GameRecord(
        number=number,
        seed=1,
        net=0,
        history=np.array(state.history, np.int32),
        kinds=np.full(len(actions), 2, np.uint8),
        policies=np.eye(game.num_actions, dtype=np.float16)[actions],
        values=np.zeros(len(actions), np.float32),
        result=state.result or 0.0,
        is_over=state.is_over,
        ending="played" if state.is_over else "cut",
    )
    return replace(made, **changes)


def positions(game: Game, history: Sequence[int]) -> list[tuple[State, int]]:
    """Return each state in which a player acts, and what the player does."""
    found = []
    state = State.replay(game, [])
    for step in history:
        if not state.is_chance:
            found.append((state.copy(), int(step)))
        state.apply_step(int(step))
    return found


def last_state(game: Game, played: GameRecord) -> State:
    """Return the state a game ended in."""
    return State.replay(game, [int(step) for step in played.history])
