"""Draw the next lesson while the net learns from the last."""

from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray

from ludens.learn.losses import Lesson, make_lesson
from ludens.learn.replay import Window
from ludens.learn.tables import Batch
from ludens.nets.config import NetConfig


class Feeder:
    """Lessons from a window, one ahead, in an order that does not depend on time."""

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
        self._coming: Future[tuple[Batch, Lesson]] | None = None
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

    def next(self) -> Lesson:
        """Return the next lesson; draw the one after it, if there is one."""
        coming = self._coming or self._thread.submit(self._draw)
        batch, lesson = coming.result()
        self._update()  # nothing is drawn meanwhile
        self._indices = batch.indices
        self._left -= 1
        self._coming = self._thread.submit(self._draw) if self._left else None
        return lesson

    def tell(self, errors: NDArray[np.float32]) -> None:
        """Say how wrong the net was about the last lesson."""
        self._errors = errors

    def _update(self) -> None:
        if self._errors is not None:
            self._window.update(self._indices, self._errors)
        self._errors = None

    def _draw(self) -> tuple[Batch, Lesson]:
        batch = self._window.sample(*self._what)
        return batch, make_lesson(batch, self._config, self._device)
