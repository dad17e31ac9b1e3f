"""A board as managers of matches tell it: stones on points x,y from the top left."""

import numpy as np

from ludens.agents.gomocup import point_name, read_point
from ludens.errors import UserError
from ludens.loading.game import Game
from ludens.state import State

SIZES = range(5, 21)
SIDES = ("first", "second")


class Board:
    """Stones by the player whose they are, and who is to move: 0 is black.

    Managers may tell of boards that no game leads to, so there are no rules here.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.stones: dict[int, int] = {}
        """The player of each cell that is taken, in the order of their moves."""
        self.to_play = 0

    def copy(self) -> "Board":
        """Return an independent copy."""
        twin = Board(self.size)
        twin.stones, twin.to_play = dict(self.stones), self.to_play
        return twin

    @property
    def num_empty(self) -> int:
        """How many points are empty."""
        return self.size**2 - len(self.stones)

    def put(self, cell: int) -> None:
        """Put a stone of the player to move."""
        self.stones[cell] = self.to_play
        self.to_play = 1 - self.to_play

    def take(self, cell: int) -> None:
        """Take a stone back; its player is to move."""
        self.to_play = self.stones.pop(cell)

    def read(self, text: str) -> int:
        """Return the cell of a point such as "7,7"."""
        return read_point(text, self.size)

    def read_empty(self, text: str) -> int:
        """Return the cell of a point that is empty."""
        cell = self.read(text)
        if cell in self.stones:
            raise UserError(f"{self.point(cell)} is taken")
        return cell

    def point(self, cell: int) -> str:
        """Return the name of a cell for managers."""
        return point_name(cell, self.size)

    def state(self, game: Game) -> State:
        """Return the state of a game with these stones."""
        array = game.states(1)
        for cell, player in self.stones.items():
            array["board"][0, cell] = 1 - 2 * player
        state = State.at(game, array[0], len(self.stones))
        state.edit(f"to_play {SIDES[self.to_play]}")  # counts, and looks for rows
        return state


def sane_move(state: State) -> int:
    """Return a move that needs no search: win, parry, or stay close to the stones."""
    game, size = state.game, state.game.plain.SHAPE[0]
    actions = np.empty(game.num_actions, np.int32)
    count = game.plain.likely(state.raw, -1, -1, actions)
    found = [int(cell) for cell in actions[:count]] or state.legal_actions()
    places = np.argwhere(state.raw["board"].reshape(size, size))
    middle = (size - 1) / 2

    def worth(cell: int) -> tuple[int, float]:
        away = np.abs(places - divmod(cell, size)).max(1)
        off = max(abs(at - middle) for at in divmod(cell, size))
        return 2 * int((away == 1).sum()) + int((away == 2).sum()), -off

    return max(found, key=worth)
