"""Figures of a step that teach nothing: how sure a net is, and how far off."""

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from ludens.learn.batches import TensorBatch
from ludens.learn.imagine import Said
from ludens.nets.torch_ops import TorchNet


@torch.no_grad()
def errors_of_values(net: TorchNet, said: Said, batch: TensorBatch) -> Tensor:
    """Return how far the values of the samples themselves are off [B]."""
    size = len(batch.planes)
    values = net.expected_value(said.outputs.value.detach()[:size].float())
    return (values - batch.values[:size]).abs()


@torch.no_grad()
def step_figures(said: Said, batch: TensorBatch, errors: Tensor) -> dict[str, Tensor]:
    """Return the entropy of the net's policies, their divergence from those of the
    searches, in nats, and the mean error [B] of values, each over the samples."""
    size = len(batch.planes)
    logs = F.log_softmax(said.outputs.policy.detach()[:size].float(), -1)
    wanted, weights = batch.policies[:size], batch.policy_weights[:size]
    entropies = -(logs.exp() * logs).sum(-1)
    divergences = (torch.xlogy(wanted, wanted) - wanted * logs).sum(-1)
    return {
        "net_entropy": _mean(entropies, weights),
        "kl": _mean(divergences, weights),
        "value_error": _mean(errors, batch.value_weights[:size]),
    }


def _mean(figures: Tensor, weights: Tensor) -> Tensor:
    """Return the mean of figures [B] over the samples that have them."""
    has_one = (weights > 0).float()
    return (figures * has_one).sum() / has_one.sum().clamp(min=1.0)
