"""Moves of several parts, ghosts, dragging, taking back."""

import re

import pytest
from pages import (
    PHONE,
    PIECES,
    Finger,
    centre_of,
    choose,
    history,
    options,
    place,
    wait_for_step,
)

from marked import quick

GHOST = "#board-host .ghosts .ghost"


BEGUN = {
    "tic_tac_toe": (["b2"], [], "a1", "b2"),
    "gomoku": (["h8"], [], "h9", "h8"),
    "pyrga": (["arrow", "b2", "left"], ["circle"], "a2", "d4"),
    "triple_triad": (["card1", "b2"], ["card1"], "b1", "b2"),
    "triangle": (["slot1", "g4"], ["slot2"], "g7", "g4"),
}
"""The first move, what is in hand then, where it may go and where it may not."""


def ghost_paint(page, look: str) -> tuple[list[int], float]:
    """Return the red, green and blue of a ghost, and how opaque it is."""
    found = page.wait_for_function(
        """where => {
            const body = document.querySelector(where);
            return body && [getComputedStyle(body).fill,
                getComputedStyle(body.closest('.ghost')).opacity];
        }""",
        arg=f"{GHOST}.{look} .body",
    )
    paint, opacity = found.json_value()
    return [int(n) for n in re.findall(r"\d+", paint)], float(opacity)


@pytest.mark.parametrize("game", quick(BEGUN, "tic_tac_toe", "triangle"))
def test_a_ghost_is_solid_green_where_legal_and_faded_red_where_not(
    open_page, game: str
) -> None:
    first, held, legal, illegal = BEGUN[game]
    page = open_page(f"?game={game}&vs=human&seed=3")
    before = history(page)
    choose(page, *first)
    wait_for_step(page, before)
    choose(page, *held)
    page.hover(place(page, legal))
    (red, green, blue), opacity = ghost_paint(page, "legal")
    assert green > 2 * max(red, blue) - 10
    assert opacity > 0.9
    assert page.locator(f"{GHOST}.illegal").count() == 0
    page.hover(place(page, illegal))
    (red, green, blue), opacity = ghost_paint(page, "illegal")
    assert red > 2 * max(green, blue)
    assert opacity < 0.7
    assert page.locator(f"{GHOST}.legal").count() == 0


def test_a_ghost_shows_which_cards_turn_and_what_is_on_them(open_page) -> None:
    page = open_page("?game=triple_triad&vs=human&seed=6")
    before = history(page)
    choose(page, "card1", "b2")
    wait_for_step(page, before)
    choose(page, "card1")
    page.hover(place(page, "c2"))
    page.wait_for_selector(f"{GHOST}.coming.card.o0")
    assert page.locator(f"{GHOST}.coming.value").count() == 4


def test_a_ghost_in_connect_four_is_where_the_disc_lands(open_page) -> None:
    page = open_page("?game=connect_four&vs=human")
    page.hover(place(page, "4"))
    page.wait_for_selector(f"{GHOST}.legal")
    (_, green, blue), _ = ghost_paint(page, "legal")
    assert green > blue
    disc = page.locator(f"{GHOST}.legal circle.body")
    assert float(disc.get_attribute("cy")) == 5.5


def test_choices_narrow_and_escape_steps_back(open_page) -> None:
    page = open_page("?game=pyrga&vs=human")
    assert set(options(page)) == {"square", "circle", "arrow"}
    choose(page, "arrow")
    cells = options(page)
    assert len(cells) == 16
    choose(page, "b2")
    assert set(options(page)) == {"up", "right", "down", "left"}
    page.keyboard.press("Escape")
    assert set(options(page)) == set(cells)
    page.keyboard.press("Escape")
    assert set(options(page)) == {"square", "circle", "arrow"}
    assert history(page) == []


def test_another_card_can_be_taken_instead(open_page) -> None:
    page = open_page("?game=triple_triad&vs=human&seed=3")
    choose(page, "card1", "card3", "b2")
    wait_for_step(page, history(page)[:11])
    assert page.inner_text("#panel-game .moves .here") == "3b2"


def test_a_shape_is_dragged_to_its_place_by_any_of_its_triangles(open_page) -> None:
    page = open_page("?game=triangle&seed=3")
    before = history(page)
    page.mouse.move(*centre_of(page, "slot1"))
    page.mouse.down()
    x, y = centre_of(page, "g4")
    page.mouse.move(x, y, steps=6)
    page.wait_for_selector(f"{GHOST}.legal")
    page.mouse.up()
    wait_for_step(page, before)
    assert page.locator("#board-host .filled").count() > 0


def test_a_shape_dragged_off_the_board_shows_red_or_nothing(open_page) -> None:
    page = open_page("?game=triangle&seed=3")
    before = history(page)
    choose(page, "slot1", "g4")
    wait_for_step(page, before)
    taken = page.locator("#board-host .hit").evaluate_all(
        "hits => hits.filter((h) => !h.classList.contains('can')).length"
    )
    assert taken > 0
    slot = next(choice for choice in options(page) if choice.startswith("slot"))
    choose(page, slot)
    page.hover(place(page, "g4"))
    page.wait_for_selector(GHOST)
    assert page.locator(f"{GHOST}.illegal").count() > 0


def test_a_card_is_dragged_to_a_cell(open_page) -> None:
    page = open_page("?game=triple_triad&vs=human&seed=3")
    before = history(page)
    page.mouse.move(*centre_of(page, "card2"))
    page.mouse.down()
    page.mouse.move(*centre_of(page, "c3"), steps=5)
    page.mouse.up()
    wait_for_step(page, before)
    assert page.inner_text("#panel-game .moves .here") == "2c3"


def test_a_shape_is_dragged_with_a_finger(open_page) -> None:
    page = open_page("?game=triangle&seed=3", **PHONE)
    before = history(page)
    (x, y), (to_x, to_y) = centre_of(page, "slot1"), centre_of(page, "g4")
    finger = Finger(page)
    finger.drag(x, y, to_x, to_y)
    page.wait_for_selector(f"{GHOST}.legal")
    finger.lift()
    wait_for_step(page, before)
    assert page.evaluate("scrollY") == 0


def test_who_moves_for_a_waiting_agent_takes_its_side(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human")
    page.click("#new-game")
    page.select_option("#side-0", "random")
    page.select_option("#side-1", "greedy")
    page.click("#start-game")
    page.click("#pause")
    page.wait_for_selector("#board-host[aria-busy=false] .hit.can")
    before = history(page)
    choose(page, options(page)[0])
    wait_for_step(page, before)
    page.wait_for_selector("#board-host[aria-busy=false] .hit.can, #status.over")
    assert "You" in page.locator(".player .name").all_inner_texts()


def test_undo_redo_and_restart(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human")
    for choice in ("a1", "b2", "c3"):
        before = history(page)
        choose(page, choice)
        wait_for_step(page, before)
    page.click("#undo")
    page.wait_for_function(
        "() => document.querySelector('.moves .here')?.textContent == 'b2'"
    )
    assert page.locator(PIECES).count() == 2
    page.click("#redo")
    page.wait_for_function(
        "() => document.querySelector('.moves .here')?.textContent == 'c3'"
    )
    page.click("#restart")
    page.wait_for_function("() => !document.querySelector('.moves .here')")
    assert page.locator(PIECES).count() == 0


def test_undo_against_an_agent_goes_back_to_ones_own_turn(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=random&seed=1")
    choose(page, "b2")
    wait_for_step(page, [""])
    page.click("#undo")
    page.wait_for_function("() => !document.querySelector('.moves .here')")
    assert len(options(page)) == 9


def test_another_move_after_undo_is_a_variation(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human")
    choose(page, "a1")
    wait_for_step(page, [])
    page.click("#undo")
    choose(page, "c3")
    page.wait_for_function(
        "() => document.querySelector('.moves .here')?.textContent == 'c3'"
    )
    assert page.locator(".moves .variation").count() == 1
    page.click("text=Make main line")
    assert page.inner_text(".moves .variation button") == "a1"


def test_a_move_can_be_typed_and_a_wrong_one_is_explained(open_page) -> None:
    page = open_page("?game=connect_four&vs=human")
    page.fill("#notation", "4")
    page.keyboard.press("Enter")
    wait_for_step(page, [])
    assert history(page) == ["3"]
    page.fill("#notation", "nonsense")
    page.keyboard.press("Enter")
    page.wait_for_selector(".notice")
    assert "is not a move" in page.inner_text(".notice")
    assert history(page) == ["3"]


def test_the_keys_are_listed_under_a_question_mark(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human")
    page.keyboard.press("?")
    assert page.locator("dialog[open] kbd").count() > 10
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0


def test_moves_are_told_to_those_who_listen(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human")
    choose(page, "b2")
    wait_for_step(page, [])
    live = page.locator("#status[aria-live=polite]")
    assert "b2" in live.inner_text()
    label = page.get_attribute('.hit[data-choice="b2"]', "aria-label")
    assert label == "b2, X"
