"""How long a move may take: less where it is clear, more where it is open.

The time that clear moves leave over is saved for open ones of the same game, so that a
game takes no longer than if each move had the usual time.
"""

from dataclasses import dataclass

import numpy as np

from ludens.search.search import Roots

CLOSE = 0.5
"""A move is open while another one has more than this share of its visits."""


@dataclass
class Pace:
    """The clock of one move."""

    usual_s: float
    most_s: float
    """The usual time, and what was saved."""
    num_before: float
    """Visits that the root has from earlier moves."""

    def goes_on(self, roots: Roots, slot: int, used_s: float) -> bool:
        """Tell whether to go on after a slice of time.

        A move is clear if no other one can overtake it in the usual time. It is open if
        the runner-up is close, or better by its mean.
        """
        if np.count_nonzero(roots.priors[slot]) == 1:
            return False
        visits, means = roots.visits[slot], roots.means[slot]
        second, first = np.argsort(visits, kind="stable")[-2:]
        if used_s < self.usual_s:
            rate = (visits.sum() - self.num_before) / used_s
            to_come = rate * (self.usual_s - used_s)
            return bool(visits[first] - visits[second] <= to_come)
        is_close = visits[second] > CLOSE * visits[first]
        is_open = is_close or means[second] > means[first]
        return bool(is_open and used_s < self.most_s)
