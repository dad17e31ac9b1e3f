"""Figures of a moment within an iteration; of a run only the newest are kept."""

import json
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ludens.errors import UserError
from ludens.files import open_plain, read_bytes
from ludens.formats.strict import to_json

FILE = "now.json"
EVERY_S = 5.0
_MAX_BYTES = 4096
_STALE_S = 60.0
"""A process that was killed leaves its file behind."""
_PHASES = {"play": "playing", "learn": "learning"}
Point = tuple[int, Mapping[str, float]]
"""A step and its figures."""


@dataclass(frozen=True)
class Moment:
    """How an iteration stands."""

    iteration: int
    phase: str
    step: int
    """Positions searched in all while playing, steps taken in all while learning."""
    figures: Mapping[str, float]
    points: Sequence[Point] = ()
    """Steps since the moment before, this one included; none where they are no steps
    of a learner. A file has none of them."""

    @property
    def all_points(self) -> Sequence[Point]:
        """What a sink writes: the steps before this moment, and all of this moment."""
        before = [point for point in self.points if point[0] != self.step]
        return [*before, (self.step, self.figures)]

    def words(self) -> str:
        """Return it for people."""
        shown = f"iteration {self.iteration:,}, {_PHASES[self.phase]}"
        if "evals_per_s" in self.figures:
            shown += f", {self.figures['evals_per_s']:,.0f} evaluations/s"
        if "loss" in self.figures:
            shown += f", loss {self.figures['loss']:.3f}"
        return shown


class Pulse:
    """Tells how an iteration stands, but only every few seconds."""

    def __init__(
        self, tell: Callable[[Moment], None], every_s: float = EVERY_S
    ) -> None:
        self._tell, self.every_s = tell, every_s
        self._next_s = time.monotonic()

    def beat(
        self,
        iteration: int,
        phase: str,
        step: int,
        figures: Callable[[], Mapping[str, float]],
        points: Callable[[], Sequence[Point]] = lambda: (),
        is_last: bool = False,
    ) -> None:
        """Tell this moment, if it is time to; only then are figures asked for.

        The last moment of a phase is told in any case, so that no step is left out.
        """
        if is_last or time.monotonic() >= self._next_s:
            self._tell(Moment(iteration, phase, step, figures(), points()))
            self._next_s = time.monotonic() + self.every_s


def write_now(folder: Path, moment: Moment) -> None:
    """Put a moment in place of the one before; it matters little if that fails."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with suppress(OSError), os.fdopen(open_plain(folder / FILE, flags), "w") as file:
        facts = asdict(replace(moment, points=()))
        del facts["points"]
        file.write(to_json(facts))


def forget_now(folder: Path) -> None:
    """Remove what was written: nothing is going on any more."""
    with suppress(OSError):
        (folder / FILE).unlink()


def read_now(folder: Path) -> Moment | None:
    """Return what was written a moment ago, None if nothing sensible was."""
    path = folder / FILE
    try:
        if time.time() - path.lstat().st_mtime > _STALE_S:
            return None
        text = read_bytes(path, _MAX_BYTES, "a moment", follows_links=False)
        return _moment_of(json.loads(text))
    except (OSError, UserError, ValueError, RecursionError):
        return None


def _moment_of(read: Any) -> Moment | None:
    """Return what a file says, None unless each part of it is what it should be."""
    try:
        moment = Moment(**read)
        if moment.points:
            return None
        numbers = [moment.iteration, moment.step, *moment.figures.values()]
        moment.words()
        is_fine = all(map(math.isfinite, numbers))
    except (TypeError, LookupError, AttributeError, ValueError, OverflowError):
        return None
    return moment if is_fine else None
