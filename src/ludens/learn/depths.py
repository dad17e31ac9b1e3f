"""How far a learned model is from the truth, by how many steps it has imagined."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from ludens.learn.batches import ModelBatch, TensorBatch
from ludens.learn.imagine import Said
from ludens.nets.torch_ops import TorchNet


def errors_by_depth(net: TorchNet, said: Said, batch: TensorBatch) -> dict[str, Tensor]:
    """Return "value_error_2" and so on: means over samples, at each depth from 1 on.

    Also turn_accuracy and legality_accuracy (shares that are right), illegal_mass (of
    the policy), reward_error. NaN: no sample can tell. Depth 0 is the sample itself.
    """
    if batch.model is None:
        return {}
    size, outputs = len(batch.planes), said.outputs
    error = (net.expected_value(outputs.value.float()) - batch.values).abs()
    parts = {"value_error": (error, batch.value_weights)}
    parts |= _about_rules(said, batch.model)
    if said.rewards is not None:
        rewards = net.expected_reward(said.rewards.float())
        # What is expected of the targets, which have bounds.
        true = net.expected_reward(torch.log(batch.model.rewards[size:]))
        zeros = torch.zeros_like(rewards[:size])
        error = torch.cat([zeros, (rewards - true).abs()])
        parts["reward_error"] = (error, batch.model.reward_weights)
    found: dict[str, Tensor] = {}
    for name, (error, weights) in parts.items():
        steps, counts = error.reshape(-1, size), weights.reshape(-1, size)
        means = (steps * counts).sum(1) / counts.sum(1)
        found |= {f"{name}_{depth}": means[depth] for depth in range(1, len(means))}
    return found


def mean_errors(batches: Sequence[dict[str, Tensor]]) -> dict[str, float]:
    """Return the means over batches of what any sample could tell."""
    means = {
        name: float(torch.stack([errors[name] for errors in batches]).nanmean())
        for name in (batches[0] if batches else ())
    }
    return {name: mean for name, mean in means.items() if not math.isnan(mean)}


def _about_rules(said: Said, batch: ModelBatch) -> dict[str, tuple[Tensor, Tensor]]:
    """Return how well the model knows the rules, and the weights."""
    outputs, weights = said.outputs, batch.position_weights
    policy = torch.softmax(outputs.policy.float(), 1)
    parts = {"illegal_mass": ((policy * ~batch.legal).sum(1), weights)}
    if outputs.turn is not None:
        is_right = (outputs.turn.argmax(1) == batch.turns).float()
        parts["turn_accuracy"] = (is_right, batch.turn_weights)
    if outputs.legal is not None:
        are_right = ((outputs.legal > 0) == batch.legal).float().mean(1)
        parts["legality_accuracy"] = (are_right, weights)
    return parts
