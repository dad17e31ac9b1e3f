"""Evaluators that need no network, and iterations of self-play with them."""

import hashlib
import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from ludens.game import Planes
from ludens.loading.game import Game, load_game
from ludens.search.config import SearchConfig
from ludens.search.model import Evaluation, Evaluator
from ludens.selfplay.config import SelfplayConfig
from ludens.selfplay.share import GameRecord, SharePlayed
from ludens.selfplay.worker import play_iteration

load = cache(load_game)


def uniform(game: Game) -> Evaluator:
    """Return an evaluator that likes all moves the same."""

    def evaluate(planes: Planes) -> Evaluation:
        count = len(planes)
        logits = np.zeros((count, game.num_actions), np.float32)
        return Evaluation(logits, np.zeros(count, np.float32))

    return evaluate


def gloomy(game: Game) -> Evaluator:
    """Return an evaluator that always sees the first player of a board game lose."""
    even = uniform(game)

    def evaluate(planes: Planes) -> Evaluation:
        own, other = planes[:, 0].sum((1, 2)), planes[:, 1:2].sum((1, 2, 3))
        values = np.where(own == other, np.float32(-0.9), np.float32(0.9))
        return Evaluation(even(planes).logits, values)

    return evaluate


def hashed(game: Game) -> Evaluator:
    """Return an evaluator that scatters, by whole numbers: the same on any machine."""
    num_inputs = min(1000, math.prod(game.observation_shape))  # a few planes will do
    generator = np.random.default_rng(5)
    weights = generator.integers(-8, 9, (num_inputs, game.num_actions + 1))
    floats = weights.astype(np.float64)  # whole numbers are exact, and quick, in these

    def evaluate(planes: Planes) -> Evaluation:
        inputs = planes.reshape(len(planes), -1)[:, :num_inputs].astype(np.float64)
        sums = (np.rint(inputs * 16) @ floats).astype(np.int64)
        answers = (sums * 2654435761 >> 7) & 255
        scaled = (answers / 128).astype(np.float32)
        return Evaluation(scaled[:, :-1], scaled[:, -1] - 1)

    return evaluate


def play(
    spec: str,
    evaluator: Any = hashed,
    *,
    positions: int = 200,
    games: int = 8,
    seed: int = 1,
    sims: int = 8,
    root: str = "gumbel",
    threads: int = 1,
    first_game: int = 0,
    unfinished: Sequence[GameRecord] = (),
    **settings: Any,
) -> SharePlayed:
    """Play an iteration."""
    game = load(spec)
    config = SelfplayConfig(
        positions=positions, games=games, threads=threads, **settings
    )
    return play_iteration(
        game,
        SearchConfig(sims=sims, root=root),
        config,
        evaluator(game),
        seed=seed,
        net=0,
        first_game=first_game,
        unfinished=unfinished,
    )


def content(played: GameRecord) -> tuple[Any, ...]:
    """Return all that a game is, to compare."""
    arrays = (played.history, played.kinds, played.policies, played.values)
    plain = (played.number, played.seed, played.result, played.is_over, played.ending)
    return (*plain, *((str(a.dtype), a.shape, a.tobytes()) for a in arrays))


def digest(games: Sequence[GameRecord]) -> str:
    """Return a hash of games."""
    whole = repr([content(played) for played in games])
    return hashlib.sha256(whole.encode()).hexdigest()[:16]
