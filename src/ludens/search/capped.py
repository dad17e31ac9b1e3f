"""A network that is never asked for more than some positions at once."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.game import Planes
from ludens.search.model import Evaluation, Evaluator, LearnedModel, is_learned


def cap(evaluator: Evaluator | None, most: int) -> Evaluator | None:
    """Return a network that gets batches of at most `most` positions; 0: any."""
    if evaluator is None or most == 0:
        return evaluator
    if is_learned(evaluator):
        return CappedModel(evaluator, most)
    return lambda planes: in_parts(evaluator, most, planes)


class CappedModel:
    """A learned model that gets small batches."""

    def __init__(self, model: LearnedModel, most: int) -> None:
        self._model, self._most = model, most
        self.latent_size, self.model_sizes = model.latent_size, model.model_sizes

    def __call__(self, planes: Planes) -> Evaluation:
        """Evaluate positions [M, P, rows, columns], with their latents."""
        return in_parts(self._model, self._most, planes)

    def step(
        self, latents: NDArray[np.float32], choices: NDArray[np.integer[Any]]
    ) -> Evaluation:
        """Evaluate what follows from choices [M] at latents [M, D]."""
        return in_parts(self._model.step, self._most, latents, choices)


def in_parts(
    ask: Callable[..., Evaluation], most: int, *inputs: NDArray[Any]
) -> Evaluation:
    """Ask for inputs [M, ...] in batches of at most `most`; join the answers."""
    count = len(inputs[0])
    if count <= most:
        return ask(*inputs)
    starts = range(0, count, most)
    parts = [ask(*(given[at : at + most] for given in inputs)) for at in starts]
    columns = zip(*parts, strict=True)
    return Evaluation._make(
        None if column[0] is None else np.concatenate(column) for column in columns
    )
