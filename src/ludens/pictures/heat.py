"""What an agent thinks of a position, as a picture: where it would move, and why.

For each thing to move with there is a board whose cells are the warmer, the likelier a
move there is. Beside them stands what a network expects, as a distribution.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ludens.agents.analysis import Analysis
from ludens.formats.words import points
from ludens.game import Shape
from ludens.pictures.board import HEAT_LEVELS, draw_board
from ludens.state import State

COLUMNS = 2
GAP = 0.8
TITLE = 0.6
"""Height of a line of text."""
TOLD = 0.05
"""Shares from here on are written on their cells."""
MAX_BARS = 40
MEANT = 0.001
"""What a distribution has outside of its bars, on each side."""
WIDTH = 900

Scene = list[Shape]
Heat = Mapping[str, Mapping[str, float]]
"""The share of each cell, by what is moved there ("" if there is no choice)."""


@dataclass(frozen=True)
class Outlook:
    """What a network expects: values [n] in ascending order and their shares [n]."""

    values: Sequence[float]
    shares: Sequence[float]

    @property
    def mean(self) -> float:
        """The value that it is expected to be."""
        return sum(v * s for v, s in zip(self.values, self.shares, strict=True))


def draw_thoughts(state: State, analysis: Analysis, outlook: Outlook | None) -> str:
    """Return the picture as SVG."""
    heat = heat_of(state, analysis)
    warmest = max(max(cells.values()) for cells in heat.values())
    scene = state.scene()
    panels = [_board(scene, thing, heat[thing], warmest) for thing in sorted(heat)]
    if outlook is not None:
        tell = points if state.game.num_players == 1 else _value
        panels.append(_chart(outlook, tell, _size(panels[0])))
    title = f"{state.game.spec} after {len(state.history)} steps, as {analysis.agent}"
    return draw_board(list(_arrange(panels)), f"{title} sees it", width=WIDTH)


def heat_of(state: State, analysis: Analysis) -> Heat:
    """Return how likely moves are: visits where there was a search, else priors."""
    heat: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    named = {state.action_name(action): action for action in state.legal_actions()}
    has_searched = analysis.agent != "policy" and analysis.visits > 0
    for move in analysis.moves:
        share = move.visits / analysis.visits if has_searched else move.prior
        choices = state.choices(named[move.move])
        thing, cell = choices[:2] if len(choices) > 1 else ("", choices[0])
        heat[thing][cell] += share
    return heat


def _board(
    scene: Scene, thing: str, cells: Mapping[str, float], warmest: float
) -> Scene:
    """Return the board with what is moved marked and its cells warmed."""
    shapes = list(scene)
    marked = (s for s in scene if s.choice == thing != "" and s.kind != "text")
    shapes += [replace(shape, role="mark") for shape in marked]
    for cell, share in cells.items():
        level = round(HEAT_LEVELS * share / warmest)
        for shape in _things_at(scene, cell) if level else ():
            shapes.append(replace(shape, role=f"heat{level}", owner=-1))
            if share >= TOLD:
                shapes.append(_text(*_centre(shape), f"{100 * share:.0f}", 0.3))
    left, top, _, _ = _box(shapes)
    total = f"{100 * sum(cells.values()):.0f} %"
    title = f"{thing}: {total}" if thing else "all moves, in %"
    return [*shapes, _text(left + 2.2, top - TITLE, title, TITLE)]


def _things_at(scene: Scene, cell: str) -> Iterator[Shape]:
    """Yield the shapes that stand for a choice."""
    return (s for s in scene if s.choice == cell and s.kind != "text")


def _chart(
    outlook: Outlook, tell: Callable[[float], str], size: tuple[float, float]
) -> Scene:
    """Return a distribution as bars with a few words."""
    width, height = size[0], size[1] - 2 * TITLE
    bars = list(_bars(outlook))
    tallest = max(share for _, _, share in bars)
    step = width / len(bars)
    shapes = [
        _rectangle(i * step, height, step * 0.9, -height * share / tallest)
        for i, (_, _, share) in enumerate(bars)
    ]
    ends = (1.2, bars[0][0]), (width - 1.2, bars[-1][1])
    for x, value in ends:
        shapes.append(_text(x, height + TITLE, tell(value), TITLE))
    title = f"expected: {tell(outlook.mean)}"
    return [*shapes, _text(width / 2, -TITLE, title, TITLE)]


def _bars(outlook: Outlook) -> Iterator[tuple[float, float, float]]:
    """Yield the first and last value and the share of a few neighbours together."""
    low, high = 0, len(outlook.shares)
    left = right = 0.0
    while low < high - 1 and left + outlook.shares[low] < MEANT:
        left += outlook.shares[low]
        low += 1
    while high > low + 1 and right + outlook.shares[high - 1] < MEANT:
        high -= 1
        right += outlook.shares[high]
    size = -(-(high - low) // MAX_BARS)
    for first in range(low, high, size):
        end = min(first + size, high)
        share = sum(outlook.shares[first:end])
        yield outlook.values[first], outlook.values[end - 1], share


def _arrange(panels: Sequence[Scene]) -> Iterator[Shape]:
    """Yield the shapes of all panels, side by side and row by row."""
    sizes = [_size(panel) for panel in panels]
    width = max(size[0] for size in sizes) + GAP
    height = max(size[1] for size in sizes) + GAP
    for i, panel in enumerate(panels):
        left, top, _, _ = _box(panel)
        x, y = width * (i % COLUMNS) - left, height * (i // COLUMNS) - top
        for shape in panel:
            yield replace(
                shape, points=tuple((px + x, py + y) for px, py in shape.points)
            )


def _box(shapes: Sequence[Shape]) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom."""
    xs, ys = zip(*(point for shape in shapes for point in shape.points), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _size(shapes: Sequence[Shape]) -> tuple[float, float]:
    left, top, right, bottom = _box(shapes)
    return right - left, bottom - top


def _centre(shape: Shape) -> tuple[float, float]:
    count = len(shape.points)
    return sum(x for x, _ in shape.points) / count, sum(
        y for _, y in shape.points
    ) / count


def _value(value: float) -> str:
    return f"{value:+.2f}"


def _text(x: float, y: float, words: str, size: float) -> Shape:
    return Shape("text", ((x, y),), "text", words, size=size)


def _rectangle(x: float, y: float, width: float, height: float) -> Shape:
    corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
    return Shape("polygon", corners, "filled")
