"""AdamW as PyTorch has it, but without PyTorch's compiler.

PyTorch's own loads the compiler before the first step, only to tell it that a step is
not to be compiled: 1.2 s and 70 MB.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch.optim import Optimizer


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
