"""What a net says of a batch; a learned model imagines what followed, too."""

from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from ludens.learn.batches import ModelBatch, TensorBatch
from ludens.learn.codes import Codes, find_codes
from ludens.nets.heads import Outputs
from ludens.nets.torch_ops import TorchNet


@dataclass(frozen=True)
class Said:
    """What a net says of B samples and, if it has a model, of the K steps after them.

    N = (K + 1) * B: the samples come first, then those one step later, and so on.
    """

    outputs: Outputs[Tensor]
    """[N, ...]"""
    rewards: Tensor | None = None
    """[K * B, bins] logits"""
    agreement: Tensor | None = None
    """[K * B] of the imagined with the true positions, from -1 to 1"""
    codes: Codes | None = None
    """What stands for outcomes of chance that nobody saw"""


def ask(net: TorchNet, batch: TensorBatch, gradient: float) -> Said:
    """Return what a net says of a batch.

    `gradient` is the share of the gradient that passes through each step of a model.
    """
    if batch.model is None:
        return Said(net(batch.planes))
    latent = net.represent(batch.planes)
    latents, rewards = [latent], []
    one_hot = F.one_hot(batch.model.choices, net.sizes.choices)
    one_hot = one_hot.to(batch.planes.dtype)
    codes = find_codes(net, batch.model, one_hot) if net.config.codes else None
    for choices in one_hot if codes is None else codes.choices:
        latent, reward = net.dynamics(scale_gradient(latent, gradient), choices)
        latents.append(latent)
        if reward is not None:
            rewards.append(reward)
    return Said(
        net.predict(torch.cat(latents)),
        torch.cat(rewards) if rewards else None,
        _agreement(net, latents[1:], batch.model) if net.config.consistency else None,
        codes,
    )


def _agreement(net: TorchNet, latents: list[Tensor], batch: ModelBatch) -> Tensor:
    """Compare imagined latents with those of the positions that came (SimSiam)."""
    size = batch.choices.shape[1]
    with torch.no_grad():
        true = net.project(net.represent(batch.planes[size:]))
    said = net.forecast(net.project(torch.cat(latents)))
    return F.cosine_similarity(said.float(), true.float(), dim=1)


def scale_gradient(x: Tensor, share: float) -> Tensor:
    """Return x itself, through which only a share of the gradient goes back."""
    scaled: Tensor = _ScaledGradient.apply(x, share)  # type: ignore[no-untyped-call]
    return scaled


class _ScaledGradient(torch.autograd.Function):
    """The identity, with another gradient than that of others who use the tensor."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, share: float) -> Tensor:
        ctx.share = share
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return gradients[0] * ctx.share, None
