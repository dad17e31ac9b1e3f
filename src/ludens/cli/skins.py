"""How boards look at the terminal: as games draw them, in Unicode, or in ASCII.

LUDENS_SKIN chooses one for every command. Without it, a screen that cannot show what a
game draws gets ASCII.
"""

import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ludens.boards import is_grid, paint, paint_tone, redraw_cells
from ludens.errors import UserError, nearest

if TYPE_CHECKING:
    from ludens.formats.words import Turn
    from ludens.state import State

VARIABLE = "LUDENS_SKIN"
SKINS = ("plain", "unicode", "ascii")
PIECES = dict(zip("XOSCAsca^>v<", "●○■●▲□○△↑→↓←", strict=True))
"""Pieces, which games paint in the colours of their owners."""
LETTERS = str.maketrans("▽△▼▲·●○■□↑→↓←", "v^VA.XO##^>v<")
_PAINTED = re.compile(r"(\x1b\[\d+m)(.)(\x1b\[0m)")
_ALONE = re.compile(r"(?<![^ \[\n])\.(?![^ \]\n])")


def choose_skin(name: str) -> None:
    """Let boards of this process have a skin; without a name, see that there is one."""
    if _check(name):
        os.environ[VARIABLE] = name
    skin()


def skin() -> str:
    """Return the skin that boards have."""
    name = _check(os.environ.get(VARIABLE, ""))
    return name or ("plain" if _can_show("▲·") else "ascii")


def _check(name: str) -> str:
    if name and name not in SKINS:
        raise UserError(f"there is no skin {name!r}{nearest(name, SKINS)}")
    return name


def _can_show(signs: str) -> bool:
    try:
        signs.encode(sys.stdout.encoding or "utf-8")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def dress(drawing: str, colourful: bool) -> str:
    """Return a drawing in the skin, and without its colours if they are not wanted."""
    match skin():
        case "unicode":
            drawing = _PAINTED.sub(_as_piece, _ALONE.sub("·", drawing))
        case "ascii":
            drawing = drawing.translate(LETTERS)
    return drawing if colourful else re.sub(r"\x1b\[\d+m", "", drawing)


def _as_piece(painted: re.Match[str]) -> str:
    colour, sign, end = painted.groups()
    return f"{colour}{PIECES.get(sign, sign)}{end}"


def tinted(state: "State", told: "Sequence[Turn] | None" = None) -> str:
    """Return the drawing of a state, filled cells in the colours of their shapes.

    `told` are the turns that led to it, if its history does not have them.
    """
    from ludens.formats.words import turns
    from ludens.pictures.tones import FILLED, coloured
    from ludens.state import State

    drawing, shapes = state.draw(), state.scene()
    if not is_grid(drawing) or all(shape.role != FILLED for shape in shapes):
        return drawing
    try:
        told = list(turns(state.game, state.history)) if told is None else told
    except UserError:  # it remembers only a part of its history
        return drawing
    if not told or told[-1].state.raw.tobytes() != state.raw.tobytes():
        return drawing
    painted = coloured(shapes, State(state.game), told)
    tones = {s.label: s.tone for s in painted if s.role == FILLED}
    return redraw_cells(drawing, {n: _painter(tone) for n, tone in tones.items()})


def _painter(tone: int) -> Callable[[str], str]:
    """Return what paints a sign; what was filled by hand has no shape's colour."""
    return lambda sign: paint_tone(sign, tone) if tone else paint(sign, "cyan")
