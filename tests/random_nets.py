"""Networks whose every parameter is random, so that no part of them is idle."""

from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ludens.loading.game import Game, load_game
from ludens.nets.config import NetConfig, Sizes, resolve
from ludens.nets.shapes import initial_tensors
from ludens.nets.weights import Net, NetCard, new_net

ARCHITECTURES = {
    "spatial": ("gomoku:size=7", NetConfig(blocks=2, channels=8, hidden=16)),
    "planes": ("triple_triad", NetConfig(blocks=2, channels=8, policy="spatial")),
    "dense": ("connect_four", NetConfig(blocks=3, channels=8, pool_every=3)),
    "scalar": (
        "pyrga",
        NetConfig(blocks=1, channels=8, value="scalar", activation="silu"),
    ),
    "score": ("triangle", NetConfig(blocks=1, channels=8, bins=21, value_high=50.0)),
    "mlp": ("tic_tac_toe", NetConfig(trunk="mlp", blocks=2, hidden=16)),
    "encoder": ("connect_four", NetConfig(blocks=0, layers=2, channels=8, heads=2)),
    "normed": (
        "tic_tac_toe",
        NetConfig(
            blocks=1,
            channels=8,
            kernel=5,
            activation="gelu",
            norm="layer",
            layers=1,
            feedforward=12,
        ),
    ),
    "both": ("gomoku:size=7", NetConfig(blocks=1, layers=1, channels=8, heads=4)),
}
MODELS = {
    "spatial": (Sizes(3, 5, 4, 20, 1, 2), NetConfig(blocks=2, channels=8)),
    "dense": (
        Sizes(2, 6, 7, 7, 1, 2),
        NetConfig(blocks=3, channels=8, pool_every=1, dynamics=2, gates=True),
    ),
    "encoder": (Sizes(2, 3, 3, 9, 1, 2), NetConfig(blocks=0, layers=1, channels=8)),
    "mlp": (
        Sizes(2, 3, 3, 9, 1, 2),
        NetConfig(trunk="mlp", blocks=4, hidden=16, turns="learned"),
    ),
    "chance": (
        Sizes(4, 3, 3, 45, 2, 2, 6),
        NetConfig(blocks=1, channels=8, policy="spatial", gates=True),
    ),
    "score": (
        Sizes(5, 4, 4, 24, 1, 1, 7),
        NetConfig(blocks=1, channels=8, bins=21, value_high=50.0, codes=7),
    ),
    "normed": (
        Sizes(2, 3, 3, 9, 1, 2),
        NetConfig(
            blocks=2,
            channels=8,
            kernel=1,
            activation="silu",
            norm="layer",
            rescale="rms",
        ),
    ),
    "mlp score": (
        Sizes(4, 1, 1, 2, 0, 1),
        NetConfig(
            trunk="mlp",
            blocks=1,
            hidden=16,
            reward_high=1.0,
            value_high=50.0,
            norm="layer",
            rescale="rms",
        ),
    ),
}
"""Learned models: actions on cells and not, one and two players, chance and codes."""


@cache
def random_net(architecture: str, seed: int = 0) -> tuple[Net, Game]:
    """Return a net of a kind, and its game."""
    spec, config = ARCHITECTURES[architecture]
    game = load_game(spec, compiled=False)
    net = new_net(game, config, seed, iteration=3, run="a run")
    return _disturbed(net, seed), game


@cache
def random_model(name: str, seed: int = 0) -> Net:
    """Return a learned model of a kind, which belongs to no game."""
    sizes, config = MODELS[name]
    config = resolve(replace(config, model="learned", consistency=True), sizes)
    card = NetCard("no game", {}, "", config, sizes)
    return _disturbed(Net(card, initial_tensors(config, sizes, seed)), seed)


def _disturbed(net: Net, seed: int) -> Net:
    rng = np.random.default_rng(seed)
    tensors = {
        name: tensor + 0.1 * rng.standard_normal(tensor.shape, np.float32)
        for name, tensor in net.tensors.items()
    }
    return replace(net, tensors=tensors)


def random_planes(game: Game, count: int, seed: int = 0) -> NDArray[np.float32]:
    """Return planes of zeros and ones [count, P, rows, columns]."""
    return _zeros_and_ones((count, *game.observation_shape), seed)


def model_planes(net: Net, count: int, seed: int = 0) -> NDArray[np.float32]:
    """Return planes of zeros and ones [count, P, rows, columns] for a model."""
    sizes = net.card.sizes
    return _zeros_and_ones((count, sizes.planes, sizes.rows, sizes.columns), seed)


def _zeros_and_ones(shape: tuple[int, ...], seed: int) -> NDArray[np.float32]:
    chances = np.random.default_rng(seed).random(shape)
    return (chances < 0.3).astype(np.float32)
