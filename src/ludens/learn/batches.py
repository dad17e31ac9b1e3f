"""Batches on the device that learns; the next is drawn while it learns from one."""

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ludens.learn.tables import Batch
from ludens.learn.window import Window
from ludens.nets.config import NetConfig
from ludens.nets.value import middle_and_reach, two_hot


@dataclass(frozen=True)
class TensorBatch:
    """A batch of samples on the device that learns from it."""

    planes: Tensor
    """[B, planes, rows, columns]"""
    policies: Tensor
    """[B, A]"""
    policy_weights: Tensor
    """[B] 0 where the policy is unknown"""
    values: Tensor
    """[B] for the player to move"""
    value_targets: Tensor
    """[B, 3 | 1 | bins] what the value head should say"""
    value_weights: Tensor
    """[B]"""
    ownership: Tensor
    """[B, T, rows, columns]"""
    ownership_weights: Tensor
    """[B] 0 where the end of the game is unknown"""
    plies_left: Tensor
    """[B]"""
    replies: Tensor
    """[B, A]"""
    reply_weights: Tensor
    """[B] 0 where the reply is unknown"""


def to_tensors(batch: Batch, config: NetConfig, device: torch.device) -> TensorBatch:
    """Bring a batch to a device."""
    weights = batch.value_weights
    arrays = {
        "planes": batch.planes,
        "policies": batch.policies,
        "policy_weights": batch.policy_weights,
        "values": batch.values,
        "value_targets": value_targets(batch, config),
        "value_weights": weights,
        "ownership": batch.ownership,
        "ownership_weights": weights * batch.has_ownership,
        "plies_left": batch.plies_left,
        "replies": batch.replies,
        "reply_weights": weights * batch.has_reply,
    }
    return TensorBatch(**{name: _to(device, array) for name, array in arrays.items()})


def value_targets(batch: Batch, config: NetConfig) -> NDArray[np.float32]:
    """Return what the value head should say [B, 3 | 1 | bins]."""
    if config.value == "wdl":
        return batch.outcomes
    if config.value == "categorical":
        return two_hot(batch.values, config)
    middle, reach = middle_and_reach(config)
    return (batch.values[:, None] - np.float32(middle)) / np.float32(reach)


def _to(device: torch.device, array: NDArray[np.float32]) -> Tensor:
    tensor = torch.from_numpy(np.ascontiguousarray(array, np.float32))
    if device.type == "cuda":  # copies while the card is busy with the last batch
        tensor = tensor.pin_memory()
    return tensor.to(device, non_blocking=True)


class Feeder:
    """Batches of a window, one ahead, in an order that does not depend on time."""

    def __init__(
        self,
        window: Window,
        count: int,
        batch_size: int,
        rng: np.random.Generator,
        importance: float,
        config: NetConfig,
        device: torch.device,
    ) -> None:
        self._window = window
        self._left = count
        self._what = (batch_size, rng, importance)
        self._config = config
        self._device = device
        self._thread = ThreadPoolExecutor(1)
        self._coming: Future[tuple[Batch, TensorBatch]] | None = None
        self._indices = np.zeros(0, np.int64)
        self._errors: NDArray[np.float32] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._thread.shutdown(cancel_futures=True)
        if error is None:
            self._update()

    def next(self) -> TensorBatch:
        """Return the next batch; draw the one after it, if there is one."""
        coming = self._coming or self._thread.submit(self._draw)
        batch, tensors = coming.result()
        self._update()  # nothing is drawn meanwhile
        self._indices = batch.indices
        self._left -= 1
        self._coming = self._thread.submit(self._draw) if self._left else None
        return tensors

    def tell(self, errors: NDArray[np.float32]) -> None:
        """Say how wrong the net was about the last batch."""
        self._errors = errors

    def _update(self) -> None:
        if self._errors is not None:
            self._window.update(self._indices, self._errors)
        self._errors = None

    def _draw(self) -> tuple[Batch, TensorBatch]:
        batch = self._window.sample(*self._what)
        return batch, to_tensors(batch, self._config, self._device)
