"""A position as a picture: the shapes of its scene as SVG."""

from collections.abc import Collection, Sequence
from html import escape
from itertools import groupby

from ludens.game import Shape

UNIT = 50
"""Of the picture, for a cell: letters smaller than 1 are not drawn well everywhere."""
MARGIN = 0.15
"""Around the shapes, in cells."""
HEAT_LEVELS = 9
STYLE = """
.board{--cell:#efe9dc;--line:#b8ae98;--ink:#26241f;--p0:#2b8cbe;--p1:#f0a92b;
--mark:#d62246;--dead:#d9d4c8}
@media(prefers-color-scheme:dark){.board{--cell:#2d3036;--line:#545962;--ink:#e8e6e1;
--p0:#4fb3e8;--p1:#f2b544;--mark:#ff5c7c;--dead:#1b1d21}}
.board path,.board circle{fill:var(--cell);stroke:var(--line);stroke-width:1.5;
stroke-linejoin:round}
.board text{fill:var(--ink);text-anchor:middle;dominant-baseline:central;
font-family:system-ui,sans-serif}
.board .death{fill:var(--dead)}.board .slot,.board .place{fill:none}
.board .filled,.board .shape,.board .anchor{fill:var(--p0)}
.board .anchor{stroke:var(--ink);stroke-width:3}
.board .o0{fill:var(--p0);stroke:var(--ink)}.board .o1{fill:var(--p1);stroke:var(--ink)}
.board text.o0,.board text.o1{fill:var(--ink);stroke:none}
.board .value,.board .name,.board .element{fill:#1a1a1a}
.board .direction{opacity:.25}.board .tower{fill:none;stroke-width:3}
.board .won{fill:none;stroke:var(--mark);stroke-width:4}
.board .mark{fill:none;stroke:var(--mark);stroke-width:5}
""" + "".join(
    f".board .heat{level}{{fill:var(--mark);fill-opacity:{level / HEAT_LEVELS:.2f}}}"
    for level in range(1, HEAT_LEVELS + 1)
)
"""Colours for all boards of a page, by day and by night."""


def draw_board(
    shapes: Sequence[Shape],
    title: str,
    marked: Collection[int] = (),
    is_alone: bool = True,
    width: int = 320,
) -> str:
    """Return shapes as SVG; those at the indices `marked` stand out.

    One that is alone, a file or a notebook's output, has its style in it; in a page
    STYLE is written once.
    """
    left, top, right, bottom = _bounds(shapes)
    box = " ".join(map(_units, (left, top, right - left, bottom - top)))
    head = f'viewBox="{box}" class="board"'
    if is_alone:
        head += f' xmlns="http://www.w3.org/2000/svg" width="{width}"'
    name = escape(title)
    parts = [f'<svg {head} role="img" aria-label="{name}"><title>{name}</title>']
    parts += [f"<style>{STYLE}</style>"] if is_alone else []
    for (kind, look), group in groupby(shapes, _kind_and_look):
        parts.append(_draw(kind, look, list(group)))
    for index in sorted(marked):
        parts.append(_draw(shapes[index].kind, "mark", [shapes[index]]))
    return "".join([*parts, "</svg>"])


def new_shapes(before: Sequence[Shape], after: Sequence[Shape]) -> list[int]:
    """Return the indices of shapes in `after` that a move has put there.

    A shape is another if it has another place, form or role; texts do not count, nor do
    rings around what has won.
    """
    known = {_thing(shape) for shape in before}
    return [
        index
        for index, shape in enumerate(after)
        if not (shape.kind == "text" or shape.role == "won" or _thing(shape) in known)
    ]


def _thing(shape: Shape) -> tuple[object, ...]:
    return shape.kind, shape.points, shape.role, shape.size


def _kind_and_look(shape: Shape) -> tuple[str, str]:
    owner = f" o{shape.owner}" if shape.owner >= 0 else ""
    return shape.kind, f"{escape(shape.role)}{owner}"


def _draw(kind: str, look: str, shapes: Sequence[Shape]) -> str:
    """Draw shapes that look alike; polygons take the least room as one path."""
    if kind == "polygon":
        outline = "".join(f"M{_corners(shape)}z" for shape in shapes)
        return f'<path class="{look}" d="{outline}"/>'
    return "".join(_at_point(kind, look, shape) for shape in shapes)


def _at_point(kind: str, look: str, shape: Shape) -> str:
    [(x, y)] = shape.points
    size = _units(shape.size)
    if kind == "disc":
        place = f'cx="{_units(x)}" cy="{_units(y)}" r="{size}"'
        return f'<circle class="{look}" {place}/>'
    place = f'x="{_units(x)}" y="{_units(y)}" font-size="{size}"'
    return f'<text class="{look}" {place}>{escape(shape.label)}</text>'


def _corners(shape: Shape) -> str:
    return " ".join(f"{_units(x)},{_units(y)}" for x, y in shape.points)


def _units(cells: float) -> str:
    return f"{UNIT * cells:.4g}"


def _bounds(shapes: Sequence[Shape]) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of all shapes with a margin."""
    reach = [
        (x, y, 0.0 if shape.kind == "polygon" else shape.size)
        for shape in shapes
        for x, y in shape.points
    ] or [(0.5, 0.5, 0.5)]
    return (
        min(x - r for x, _, r in reach) - MARGIN,
        min(y - r for _, y, r in reach) - MARGIN,
        max(x + r for x, _, r in reach) + MARGIN,
        max(y + r for _, y, r in reach) + MARGIN,
    )
