"""Networks whose every parameter is random, so that no part of them is idle."""

from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ludens.loading.game import Game, load_game
from ludens.nets.config import NetConfig
from ludens.nets.weights import Net, new_net

ARCHITECTURES = {
    "spatial": ("gomoku:size=7", NetConfig(blocks=2, channels=8, hidden=16)),
    "planes": ("triple_triad", NetConfig(blocks=2, channels=8, policy="spatial")),
    "dense": ("connect_four", NetConfig(blocks=3, channels=8, pool_every=3)),
    "scalar": ("pyrga", NetConfig(blocks=1, channels=8, value="scalar")),
    "score": ("triangle", NetConfig(blocks=1, channels=8, bins=21, value_high=50.0)),
    "mlp": ("tic_tac_toe", NetConfig(trunk="mlp", blocks=2, hidden=16)),
    "encoder": ("connect_four", NetConfig(blocks=0, layers=2, channels=8, heads=2)),
    "both": ("gomoku:size=7", NetConfig(blocks=1, layers=1, channels=8, heads=4)),
}


@cache
def random_net(architecture: str, seed: int = 0) -> tuple[Net, Game]:
    """Return a net of a kind, and its game."""
    spec, config = ARCHITECTURES[architecture]
    game = load_game(spec, compiled=False)
    net = new_net(game, config, seed, iteration=3, run="a run")
    rng = np.random.default_rng(seed)
    tensors = {
        name: tensor + 0.1 * rng.standard_normal(tensor.shape, np.float32)
        for name, tensor in net.tensors.items()
    }
    return replace(net, tensors=tensors), game


def random_planes(game: Game, count: int, seed: int = 0) -> NDArray[np.float32]:
    """Return planes of zeros and ones [count, P, rows, columns]."""
    shape = (count, *game.observation_shape)
    chances = np.random.default_rng(seed).random(shape)
    return (chances < 0.3).astype(np.float32)
