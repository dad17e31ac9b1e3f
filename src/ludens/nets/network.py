"""The architecture, written once for every backend.

A network for known rules is `forward`. One with a learned model is used in parts:
`represent` leads from planes to a latent, `dynamics` from a latent and a choice to the
next one, and `predict` says what a latent is worth.

Latents are relative to the player to move as planes are; where chance is next or the
game is over, to the player who moved last.
"""

from dataclasses import replace

import numpy as np

from ludens.nets.config import NetConfig, Sizes, resolve
from ludens.nets.dynamics import Consistency, Dynamics
from ludens.nets.encoder import Encoder
from ludens.nets.heads import Heads, Outputs
from ludens.nets.operations import Ask, Ops, T
from ludens.nets.trunk import Trunk
from ludens.nets.value import for_rewards, middle_and_reach, points


def forward(
    config: NetConfig, sizes: Sizes, ops: Ops[T], p: Ask[T], planes: T
) -> Outputs[T]:
    """Run planes [B, P, rows, columns] through the network."""
    latent = represent(config, sizes, ops, p, planes)
    return predict(config, sizes, ops, p, latent)


def evaluate_root(
    config: NetConfig, sizes: Sizes, ops: Ops[T], p: Ask[T], planes: T
) -> tuple[T, Outputs[T]]:
    """Return the latents of planes, and what play needs to be told of real positions.

    The rules know who is next and what is legal there.
    """
    config = config.for_play()
    latent = represent(config, sizes, ops, p, planes)
    return latent, predict(replace(config, model="rules"), sizes, ops, p, latent)


def represent(config: NetConfig, sizes: Sizes, ops: Ops[T], p: Ask[T], planes: T) -> T:
    """Return the latents [B, *latent_shape] of planes [B, P, rows, columns]."""
    return Trunk(resolve(config, sizes), sizes, ops, p).run(planes)


def dynamics(
    config: NetConfig, sizes: Sizes, ops: Ops[T], p: Ask[T], latent: T, choices: T
) -> tuple[T, T | None]:
    """Return the next latents, and the logits of rewards [B, bins] for one player.

    `choices` [B, A + C] are one-hot rows: actions, then outcomes of chance.
    """
    return Dynamics(resolve(config, sizes), sizes, ops, p).run(latent, choices)


def predict(
    config: NetConfig, sizes: Sizes, ops: Ops[T], p: Ask[T], latent: T
) -> Outputs[T]:
    """Return what the heads say of latents."""
    return Heads(resolve(config, sizes), sizes, ops, p).run(latent)


def project(config: NetConfig, sizes: Sizes, ops: Ops[T], p: Ask[T], latent: T) -> T:
    """Return what latents of one position should have in common [B, n]."""
    return Consistency(resolve(config, sizes), sizes, ops, p).project(latent)


def forecast(
    config: NetConfig, sizes: Sizes, ops: Ops[T], p: Ask[T], projected: T
) -> T:
    """Return the forecast [B, n] of the projection of the position that came."""
    return Consistency(resolve(config, sizes), sizes, ops, p).forecast(projected)


def encode(config: NetConfig, sizes: Sizes, ops: Ops[T], p: Ask[T], planes: T) -> T:
    """Return how near each code is [B, codes] to what chance did, seen in planes."""
    return Encoder(resolve(config, sizes), sizes, ops, p).run(planes)


def expected_value(config: NetConfig, ops: Ops[T], value: T) -> T:
    """Return the value [B] for the player to move from the output of its head."""
    if config.value == "scalar":
        middle, reach = middle_and_reach(config)
        weights, middles = np.array([[reach]]), np.array([middle])
    else:
        value = ops.softmax(value)
        weights, middles = points(config)[None], np.zeros(1)
    weight = ops.constant(weights.astype(np.float32))
    bias = ops.constant(middles.astype(np.float32))
    return ops.reshape(ops.linear(value, weight, bias), (-1,))


def expected_reward(config: NetConfig, ops: Ops[T], reward: T) -> T:
    """Return the reward [B] from the output of its head."""
    return expected_value(for_rewards(config), ops, reward)
