"""Colours that cells keep from the shapes that filled them: states do not know them."""

from collections.abc import Sequence
from dataclasses import replace

from ludens.formats.words import Turn, turns
from ludens.game import Shape
from ludens.state import State, Step

FILLED = "filled"
"""The role of a cell that wears the tone of what was put there."""


def coloured(
    shapes: Sequence[Shape], start: State, told: Sequence[Turn]
) -> list[Shape]:
    """Return the scene that a game has come to in the colours of its moves."""
    waiting, tones = _filled(shapes), dict[str, int]()
    befores = (start, *(turn.state for turn in told))
    for before, turn in zip(reversed(befores[:-1]), reversed(told), strict=True):
        if not waiting:
            break
        if turn.player is not None and turn.player < 0:
            continue  # chance fills no cells
        scene = before.scene()
        there = _filled(scene)
        tone = tone_of(before, scene, turn.state.history[-1])
        tones |= dict.fromkeys(waiting - there, tone)
        waiting &= there
    return [paint(shape, tones.get(shape.choice, 0)) for shape in shapes]


def cell_colours(state: State) -> dict[str, int]:
    """Return the colour of each filled cell by its name: the number of its shape.

    It is found by playing the history again. 0 is a cell that was filled by hand.
    """
    painted = coloured(
        state.scene(), State(state.game), [*turns(state.game, state.history)]
    )
    return {shape.choice: shape.tone for shape in painted if shape.role == FILLED}


def tone_of(before: State, scene: Sequence[Shape], step: Step) -> int:
    """Return the tone of what a step picks up first, 0 if it has none."""
    if isinstance(step, str):
        return 0
    choice = before.choices(step)[0]
    return next((s.tone for s in scene if s.choice == choice and s.tone), 0)


def paint(shape: Shape, tone: int) -> Shape:
    """Return a shape, in a tone if it is a filled cell without one."""
    is_plain = shape.role == FILLED and not shape.tone
    return replace(shape, tone=tone) if is_plain else shape


def _filled(shapes: Sequence[Shape]) -> set[str]:
    return {shape.choice for shape in shapes if shape.role == FILLED}
