"""What authors of games use to draw boards, name and turn cells, and edit positions."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ludens.game import OVER, Shape

_ANSI = {
    "red": 31,
    "green": 32,
    "yellow": 33,
    "blue": 34,
    "magenta": 35,
    "cyan": 36,
    "dim": 2,
    "orange": 91,
    "pink": 95,
}
PLAYER_COLOURS = ("cyan", "yellow")
TONES = ("red", "orange", "yellow", "green", "cyan", "blue", "magenta", "pink")


def paint(text: str, colour: str | int) -> str:
    """Colour a text for the terminal: a player (0, 1) or the name of a colour."""
    name = PLAYER_COLOURS[colour] if isinstance(colour, int) else colour
    return f"\x1b[{_ANSI[name]}m{text}\x1b[0m"


def paint_tone(text: str, tone: int) -> str:
    """Colour a text for the terminal by the tone of a shape, from 1 on; 0: plain."""
    return paint(text, TONES[(tone - 1) % len(TONES)]) if tone else text


def cell_name(row: int, column: int) -> str:
    """Name a cell: column letter from the left, row number from the top."""
    return f"{chr(ord('a') + column)}{row + 1}"


def draw_grid(cells: Sequence[Sequence[str]]) -> str:
    """Draw one-character cells with the letters and numbers around them."""
    width = len(str(len(cells)))
    letters = " ".join(chr(ord("a") + i) for i in range(len(cells[0])))
    rows = [f"{r + 1:>{width}} {' '.join(row)}" for r, row in enumerate(cells)]
    return "\n".join([f"{'':>{width}} {letters}", *rows])


def is_grid(drawing: str) -> bool:
    """Tell whether a drawing is one of `draw_grid`."""
    return drawing.lstrip().startswith("a b")


def redraw_cells(drawing: str, marks: Mapping[str, Callable[[str], str]]) -> str:
    """Change cells of a drawing by `draw_grid`, by name: each gets its character."""
    lines = drawing.split("\n")
    for name, mark in marks.items():
        row = int(name[1:])
        pieces = re.findall(r"((?:\x1b\[\d+m)*)(.)((?:\x1b\[0m)?)", lines[row])
        at = re.sub(r"\x1b\[\d+m", "", lines[0]).index(f" {name[0]}") + 1
        pieces[at] = ("", mark(pieces[at][1]), "")
        lines[row] = "".join("".join(piece) for piece in pieces)
    return "\n".join(lines)


def square(row: float, column: float, **of_shape: Any) -> Shape:
    """Return the unit square of a cell."""
    corners = ((0, 0), (1, 0), (1, 1), (0, 1))
    points = tuple((column + x, row + y) for x, y in corners)
    return Shape("polygon", points, **{"role": "cell", **of_shape})


def disc(row: float, column: float, **of_shape: Any) -> Shape:
    """Return a disc in the middle of a cell."""
    return Shape("disc", ((column + 0.5, row + 0.5),), **{"role": "stone", **of_shape})


def text(row: float, column: float, label: str, **of_shape: Any) -> Shape:
    """Return a text in the middle of a cell."""
    at = ((column + 0.5, row + 0.5),)
    return Shape("text", at, label=label, **{"role": "text", **of_shape})


def square_symmetries(side: int) -> NDArray[np.int32]:
    """Return where each cell of a square board goes under its 8 symmetries [8, cells].

    Symmetry k turns the board by k % 4 quarter turns clockwise, after mirroring it left
    to right if k >= 4.
    """
    images = np.empty((8, side * side), np.int32)
    here = np.arange(side * side).reshape(side, side)
    for k in range(8):
        board = here[:, ::-1] if k >= 4 else here
        images[k, np.rot90(board, -(k % 4)).reshape(-1)] = np.arange(side * side)
    return images


PLAYERS = ("first", "second")
STONE_EDITS = ("set CELL first|second|empty", "to_play first|second")


def edit_stones(
    state: np.record,
    words: Sequence[str],
    shape: tuple[int, int],
    has_row: Callable[[int], bool],
) -> None:
    """Edit a board of stones, 1 and -1, by the words of STONE_EDITS.

    `has_row` tells for 1 or -1 whether those stones have won.
    """
    mover = int(state.to_play)
    match [word.lower() for word in words]:
        case ["set", cell, "first" | "second" | "empty" as stone]:
            mark = {"first": 1, "second": -1, "empty": 0}[stone]
            state.board[read_cell(cell, shape)] = mark
        case ["to_play", "first" | "second" as player]:
            mover = PLAYERS.index(player)
        case _:
            refuse_edit(STONE_EDITS)
    stones = [int((state.board == mark).sum()) for mark in (1, -1)]
    state.ply = sum(stones)
    is_full = state.ply == len(state.board)
    give_turn(state, mover, stones, (has_row(1), has_row(-1)), is_full)


def give_turn(
    state: np.record,
    mover: int,
    pieces: Sequence[int],
    wins: tuple[bool, bool],
    is_full: bool,
) -> None:
    """Set `winner` and `to_play`; in a game that was over the one behind moves."""
    if all(wins):
        raise ValueError("both players would have won")
    state.winner = int(wins[0]) - int(wins[1])
    mover = mover if mover >= 0 else int(pieces[0] > pieces[1])
    state.to_play = OVER if any(wins) or is_full else mover


def read_cell(name: str, shape: tuple[int, int]) -> int:
    """Return the number of a cell, row by row, from its name."""
    rows, columns = shape
    column, row = ord(name[0]) - ord("a"), name[1:]
    if not (row.isdecimal() and 1 <= int(row) <= rows and 0 <= column < columns):
        raise ValueError(f"{name!r} is not a cell of the board")
    return (int(row) - 1) * columns + column


def refuse_edit(forms: Sequence[str]) -> NoReturn:
    """Say how edits are written."""
    raise ValueError(f"write {' or '.join(forms)}")
