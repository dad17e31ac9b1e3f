"""Optimisers as PyTorch has them, but without PyTorch's compiler.

PyTorch's own load the compiler before the first step, only to tell it that a step is
not to be compiled: 1.2 s and 70 MB.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from ludens.learn.config import LearnConfig

MEMORIES = {"adamw": ("exp_avg", "exp_avg_sq"), "sgd": ("momentum_buffer",)}
"""What each optimiser keeps of the gradients of a weight."""


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function without what PyTorch has wrapped around it."""
    wrapped: Callable[..., Any] = getattr(function, "__wrapped__", function)
    return wrapped


for _method in (Optimizer.add_param_group, Optimizer.zero_grad):
    # Where PyTorch keeps what its compiler made of the function, so as to ask once.
    setattr(_plain(_method), "__dynamo_disable", _plain(_method))


class AdamW(torch.optim.AdamW):
    """AdamW whose steps are never compiled."""

    step = torch.no_grad()(_plain(torch.optim.AdamW.step))


class SGD(torch.optim.SGD):
    """SGD whose steps are never compiled."""

    step = torch.no_grad()(_plain(torch.optim.SGD.step))


def make_optimizer(config: LearnConfig, weights: Sequence[Tensor]) -> Optimizer:
    """Return an optimiser with its memory at zero; biases and norms do not decay."""
    many = [weight for weight in weights if weight.dim() > 1]
    few = [weight for weight in weights if weight.dim() <= 1]
    groups: list[dict[str, Any]] = [
        {"params": many, "weight_decay": config.weight_decay},
        {"params": few, "weight_decay": 0.0},
    ]
    made: Optimizer = AdamW(groups, lr=config.lr, fused=True)
    if config.optimizer == "sgd":
        made = SGD(groups, lr=config.lr, momentum=config.momentum)
    for weight in weights:
        made.state[weight] = {
            name: torch.zeros_like(weight) for name in MEMORIES[config.optimizer]
        }
        if config.optimizer == "adamw":
            step = torch.zeros((), dtype=torch.float32, device=weight.device)
            made.state[weight]["step"] = step
    return made


def set_steps(optimizer: Optimizer, num_steps: int) -> None:
    """Tell an optimiser how many steps it has taken, if it counts them."""
    for memory in optimizer.state.values():
        if "step" in memory:
            memory["step"].fill_(num_steps)
