"""What a manager says about rules, time and memory, and what a move may take of it."""

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ludens.agents.gomocup import rule_of

MARGIN_S, MARGIN, MOST_MARGIN_S = 0.03, 0.1, 0.5
"""Of the time for a move this share is left, within these bounds."""
LEAST_S = 0.01
"""Thought about a move for which there is no time."""
FEWEST_MOVES, MOST_MOVES = 5, 20
"""For which the time of the match that is left has to last."""
TREE_MB, LEAST_TREE_MB = 256, 4
OWN_BYTES = 300 * 2**20
"""What the process takes without a tree, where nobody can tell."""
LARGEST = 2**53


@dataclass
class Terms:
    """The terms of a game, by the keys of INFO."""

    rule: str = "freestyle"
    turn_s: float = 5.0
    match_s: float = 0.0
    """0: the match has no limit."""
    left_s: float | None = None
    """What is left of the match as the manager says, None if it does not."""
    spent_s: float = 0.0
    """What we have used up ourselves since the game began."""
    max_bytes: int = 0
    """0: any."""

    def take(self, key: str, text: str) -> None:
        """Take an INFO; what makes no sense, or is not for us, is ignored."""
        with suppress(ValueError):
            value = max(-LARGEST, min(int(text[:20]), LARGEST))
            match key.lower():
                case "timeout_turn":
                    self.turn_s = max(0, value) / 1000
                case "timeout_match":
                    self.match_s = max(0, value) / 1000
                case "time_left":
                    self.left_s = value / 1000 if value else None
                case "max_memory":
                    self.max_bytes = max(0, value)
                case "rule":
                    self.rule = rule_of(value)

    def begin(self) -> None:
        """Begin a new game: its clock begins anew."""
        self.left_s, self.spent_s = None, 0.0

    def spend(self, began_s: float) -> None:
        """Take note of a move that was asked for at a time of `time.perf_counter`."""
        self.spent_s += time.perf_counter() - began_s

    def move_s(self, num_empty: int) -> float:
        """Return how long to think about a move."""
        limit_s, left_s = self.turn_s, self.left_s
        if left_s is None and self.match_s:
            left_s = self.match_s - self.spent_s
        if left_s is not None:
            moves = max(FEWEST_MOVES, min(num_empty // 2, MOST_MOVES))
            limit_s = min(limit_s, left_s / moves)
        margin_s = min(max(MARGIN_S, MARGIN * limit_s), MOST_MARGIN_S)
        return max(LEAST_S, limit_s - margin_s)

    def tree_mb(self, used_bytes: int) -> int:
        """Return the memory for a tree, given what the process has taken already."""
        if not self.max_bytes:
            return TREE_MB
        free_mb = (self.max_bytes - used_bytes) // 2**21  # half of it stays free
        return max(LEAST_TREE_MB, min(free_mb, TREE_MB))


def used_bytes() -> int:
    """Return the memory that this process has in use."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return OWN_BYTES
    return pages * 4096
