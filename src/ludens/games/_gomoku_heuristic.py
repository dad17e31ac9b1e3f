"""What a position of gomoku promises: rows that can still be filled."""

import numpy as np

from ludens.game import rule
from ludens.games._gomoku_board import CELLS, REACH, ROW, STEP
from ludens.games._gomoku_opening import colour, is_opening

# Of a row with so many stones of one side and none of the other. An open three lies in
# more rows than a closed one, so that openness need not be looked for.
WORTH = np.array([0, *(5 ** min(n, 6) for n in range(ROW))])
ON_MOVE = 3  # times as much: stones of who is to move grow first


@rule
def heuristic(state: np.record) -> float:
    """Weigh the rows that each side can still fill; 0 during an opening by choices."""
    if is_opening(state):
        return 0.0
    mark = 1 - 2 * colour(state)
    own, other = 0, 0
    for way in range(4):
        for cell in range(CELLS):
            if REACH[way, cell] >= ROW - 1:
                mine, others = 0, 0
                for i in range(ROW):
                    stone = mark * state.board[cell + i * STEP[way]]
                    mine += int(stone > 0)
                    others += int(stone < 0)
                own += WORTH[mine] if others == 0 else 0
                other += WORTH[others] if mine == 0 else 0
    lead = ON_MOVE * own - other
    return float(lead / (500 + abs(lead)))
