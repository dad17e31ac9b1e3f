"""Batches on the device that learns; the next is drawn while it learns from one."""

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ludens.learn.sumtree import Indices
from ludens.learn.tables import Batch, Unrolled
from ludens.learn.window import Window
from ludens.nets.config import NetConfig
from ludens.nets.value import for_rewards, middle_and_reach, two_hot


@dataclass(frozen=True)
class ModelBatch:
    """What a learned model should say of a batch and of the K steps that followed.

    S = K + 1; the samples themselves come first, then those one step later, and so on.
    """

    choices: Tensor
    """[K, B]"""
    rewards: Tensor
    """[S * B, bins] what the reward head should say"""
    reward_weights: Tensor
    """[S * B]"""
    turns: Tensor
    """[S * B] a class of TURNS, -1 where it is unknown"""
    turn_weights: Tensor
    """[S * B]"""
    chances: Tensor
    """[S * B] the outcome that came, -1 where it is not chance's turn; if chance is
    hidden, 0 where the encoder can tell"""
    chance_weights: Tensor
    """[S * B]"""
    legal: Tensor
    """[S * B, A] bool"""
    planes: Tensor
    """[S * B, planes, rows, columns], or [B, ...] where only the first are wanted"""
    position_weights: Tensor
    """[S * B]"""


@dataclass(frozen=True)
class TensorBatch:
    """A batch of samples on the device that learns from it.

    With a learned model N is S * B, in the order of ModelBatch; else it is B.
    """

    planes: Tensor
    """[B, planes, rows, columns]"""
    policies: Tensor
    """[N, A]"""
    policy_weights: Tensor
    """[N] 0 where the policy is unknown"""
    values: Tensor
    """[N] for the player to move"""
    value_targets: Tensor
    """[N, 3 | 1 | bins] what the value head should say"""
    value_weights: Tensor
    """[N] 0 where the value is unknown"""
    ownership: Tensor
    """[N, T, rows, columns]"""
    ownership_weights: Tensor
    """[N] 0 where the end of the game is unknown"""
    plies_left: Tensor
    """[B]"""
    replies: Tensor
    """[B, A]"""
    reply_weights: Tensor
    """[B] 0 where the reply is unknown"""
    model: ModelBatch | None = None


def to_tensors(
    batch: Batch | Unrolled, config: NetConfig, device: torch.device
) -> TensorBatch:
    """Bring a batch to a device."""
    model = None
    if isinstance(batch, Unrolled):
        model = _model_batch(batch, config, device)
        batch = _side_by_side(batch)
    weights = batch.value_weights[: len(batch.planes)]
    arrays = {
        "planes": batch.planes,
        "policies": batch.policies,
        "policy_weights": batch.policy_weights,
        "values": batch.values,
        "value_targets": value_targets(batch, config),
        "value_weights": batch.value_weights,
        "ownership": batch.ownership,
        "ownership_weights": batch.value_weights * batch.has_ownership,
        "plies_left": batch.plies_left,
        "replies": batch.replies,
        "reply_weights": weights * batch.has_reply,
    }
    tensors = {name: _to(device, array) for name, array in arrays.items()}
    return TensorBatch(**tensors, model=model)


def _model_batch(
    batch: Unrolled, config: NetConfig, device: torch.device
) -> ModelBatch:
    arrays: dict[str, tuple[NDArray[Any], type]] = {
        "choices": (batch.choices, np.int64),
        "rewards": (
            two_hot(batch.rewards.reshape(-1), for_rewards(config)),
            np.float32,
        ),
        "reward_weights": (_flat(batch.reward_weights), np.float32),
        "turns": (_flat(batch.turns), np.int64),
        "turn_weights": (_flat(batch.turn_weights), np.float32),
        "chances": (_flat(batch.chances), np.int64),
        "chance_weights": (_flat(batch.chance_weights), np.float32),
        "legal": (_flat(batch.legal), np.bool_),
        "planes": (_flat(batch.planes), np.float32),
        "position_weights": (_flat(batch.position_weights), np.float32),
    }
    return ModelBatch(**{n: _to(device, a, kind) for n, (a, kind) in arrays.items()})


def _side_by_side(batch: Unrolled) -> Batch:
    """Return a batch in which all steps are samples; planes are those of the first."""
    steps = {name: _flat(getattr(batch, name)) for name in _OF_STEPS}
    samples = {name: getattr(batch, name) for name in _OF_SAMPLES}
    return Batch(planes=batch.planes[0], **steps, **samples)


_OF_STEPS = (
    *("policies", "policy_weights", "values", "outcomes", "value_weights"),
    *("ownership", "has_ownership"),
)
_OF_SAMPLES = tuple(n for n in Batch._fields if n not in (*_OF_STEPS, "planes"))


def _flat(array: NDArray[Any]) -> NDArray[Any]:
    """Return steps [S, B, ...] as [S * B, ...]."""
    num_rows = array.shape[0] * array.shape[1]  # there may be no targets: not -1
    return array.reshape(num_rows, *array.shape[2:])


def value_targets(batch: Batch, config: NetConfig) -> NDArray[np.float32]:
    """Return what the value head should say [B, 3 | 1 | bins]."""
    if config.value == "wdl":
        return batch.outcomes
    if config.value == "categorical":
        return two_hot(batch.values, config)
    middle, reach = middle_and_reach(config)
    return (batch.values[:, None] - np.float32(middle)) / np.float32(reach)


def _to(device: torch.device, array: NDArray[Any], kind: type = np.float32) -> Tensor:
    tensor = torch.from_numpy(np.ascontiguousarray(array, kind))
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
        self._coming: Future[tuple[Indices, TensorBatch]] | None = None
        self._indices = np.zeros(0, np.int64)
        self._errors: NDArray[np.float32] | None = None
        self._num_given = self._num_ready = 0
        self._ages: list[NDArray[np.int64]] = []

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
        self._num_ready += self.is_ready
        self._num_given += 1
        coming = self._coming or self._thread.submit(self._draw)
        indices, tensors = coming.result()
        self._update()  # nothing is drawn meanwhile
        self._indices = indices
        self._ages.append(self._window.ages(indices))
        self._left -= 1
        self._coming = self._thread.submit(self._draw) if self._left else None
        return tensors

    @property
    def is_ready(self) -> bool:
        """Whether the next batch is drawn already."""
        return self._coming is not None and self._coming.done()

    def figures(self) -> dict[str, float]:
        """Return how old the samples were, and how often a batch was there in time."""
        ages = np.concatenate(self._ages) if self._ages else np.zeros(1, np.int64)
        return {
            "sample_age": float(ages.mean()),
            "sample_age_max": int(ages.max()),
            "ready_share": self._num_ready / max(1, self._num_given),
        }

    def tell(self, errors: NDArray[np.float32]) -> None:
        """Say how wrong the net was about the last batch."""
        self._errors = errors

    def _update(self) -> None:
        if self._errors is not None:
            self._window.update(self._indices, self._errors)
        self._errors = None

    def _draw(self) -> tuple[Indices, TensorBatch]:
        config = self._config
        batch: Batch | Unrolled
        if config.is_learned:
            is_hidden = config.codes > 0
            wants_all = config.decoder or config.consistency or is_hidden
            alternates = config.turns == "alternating"
            how = (wants_all, alternates, is_hidden)
            batch = self._window.unroll(*self._what, *how)
        else:
            batch = self._window.sample(*self._what)
        return batch.indices, to_tensors(batch, config, self._device)
