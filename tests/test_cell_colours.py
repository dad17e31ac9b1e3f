"""The colours of filled cells are no part of a state; its history tells them."""

from ludens import load_game
from ludens.pictures.tones import cell_colours


def test_filled_cells_have_the_numbers_of_their_shapes() -> None:
    state = load_game("triangle", compiled=False).new(4)
    first, second = (slot["shape"] for slot in state.look()["slots"][:2])
    state.apply("1g4")
    assert set(cell_colours(state).values()) == {first}
    state.apply("2g7")
    assert set(cell_colours(state).values()) == {first, second}
    assert len(cell_colours(state)) == state.look()["filled"].sum()
    assert "g4" in cell_colours(state)
