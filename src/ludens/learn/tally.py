"""What the steps of a learner brought."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from ludens.errors import UserError

MAX_SKIPPED_IN_A_ROW = 10


class TrainingFailed(UserError):
    """Training that cannot go on with its settings."""


@dataclass
class Tally:
    """The losses of the steps taken, and how many were skipped."""

    skipped: int = 0
    _rows: list[Tensor] = field(default_factory=list)
    _names: list[str] = field(default_factory=list)
    _skipped_in_a_row: int = 0

    @property
    def num_steps(self) -> int:
        """How many steps there were, skipped ones included."""
        return len(self._rows) + self.skipped

    def note(self, losses: Mapping[str, Tensor]) -> None:
        """Note the losses of a step, which stay on their device for now."""
        self._names = list(losses)
        self._rows.append(torch.stack([loss.detach() for loss in losses.values()]))
        self._skipped_in_a_row = 0

    def skip(self) -> None:
        """Note a step that gave nothing finite; too many in a row are the end."""
        self.skipped += 1
        self._skipped_in_a_row += 1
        if self._skipped_in_a_row == MAX_SKIPPED_IN_A_ROW:
            raise TrainingFailed(
                f"training failed: {MAX_SKIPPED_IN_A_ROW} steps in a row gave numbers"
                " that are not finite; try a lower learn.lr or learn.precision=f32"
            )

    def means(self) -> dict[str, float]:
        """Return the mean of each loss over the steps taken."""
        if not self._rows:
            return {}
        means = torch.stack(self._rows).cpu().double().mean(0).tolist()
        return dict(zip(self._names, means, strict=True))
