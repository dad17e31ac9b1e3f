"""The colours of triangles follow from the history, whatever way a game arrives."""

import json
from collections.abc import Mapping
from typing import Any

from served import Page, sent

Reply = Mapping[str, Any]


def tones(position: Reply) -> dict[str, int]:
    """Return the colour of each filled cell, 0 for the plain one."""
    filled = [shape for shape in position["scene"] if shape["role"] == "filled"]
    return {shape["choice"]: shape.get("tone", 0) for shape in filled}


def slot_tone(position: Reply, slot: str) -> int:
    """Return the colour of the shape in a slot."""
    return next(
        shape["tone"]
        for shape in position["scene"]
        if shape.get("choice") == slot and "tone" in shape
    )


def begun(page: Page) -> tuple[Reply, Reply, Reply]:
    """Return the positions before, between and after two moves of other shapes."""
    start = page.position("triangle", seed=4)
    first = page.ask("play", game=sent(start), step="1g4")["position"]
    second = page.ask("play", game=sent(first), step="2g7")["position"]
    return start, first, second


def test_cells_have_the_colour_of_the_shape_that_filled_them(page: Page) -> None:
    start, first, second = begun(page)
    [tone] = set(tones(first).values())
    assert tone == slot_tone(start, "slot1")
    other = slot_tone(first, "slot2")
    assert other != tone
    fresh = tones(second).keys() - tones(first).keys()
    assert tones(second) == tones(first) | dict.fromkeys(fresh, other)


def test_colours_come_with_a_history_and_with_a_record(page: Page) -> None:
    _, _, second = begun(page)
    replayed = page.ask("position", game=sent(second))["position"]
    assert replayed == second
    record = page.ask("record", game=sent(second))["record"]
    read = page.ask("read", text=json.dumps(record))["position"]
    assert read["scene"] == second["scene"]


def test_colours_survive_an_edit_and_what_is_filled_by_hand_is_plain(
    page: Page,
) -> None:
    _, first, _ = begun(page)
    edited = page.ask("edit", game=sent(first), text="toggle d1")["position"]
    assert tones(edited) == tones(first) | {"d1": 0}
    later = page.ask("play", game=sent(edited), step="2g7")["position"]
    assert tones(later).items() >= tones(edited).items()


def test_a_cell_emptied_and_filled_again_has_the_later_colour(page: Page) -> None:
    _, first, _ = begun(page)
    cell = next(iter(tones(first)))
    game = sent(first)
    for _ in range(2):
        game = sent(page.ask("edit", game=game, text=f"toggle {cell}")["position"])
    again = page.ask("position", game=game)["position"]
    assert tones(again) == tones(first) | {cell: 0}


def test_what_a_move_would_fill_has_its_colour(page: Page) -> None:
    start, first, _ = begun(page)
    step = first["history"][-1]
    [frame] = page.ask("line", game=sent(start), steps=[step])["frames"]
    added = {"scene": frame["added"]}
    assert tones(added) == tones(first)
