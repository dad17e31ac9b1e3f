"""Positions changed by hand, then played from."""

from pages import choose, history, place, play_on, wait_for_step


def test_triangles_are_toggled_and_played_around(open_page) -> None:
    page = open_page("?game=triangle&seed=4")
    page.click("#tab-edit")
    page.click("text=Edit on the board")
    for cell in ("d1", "e1"):
        before = history(page)
        choose(page, cell)
        wait_for_step(page, before)
    assert page.locator("#board-host .shapes .filled").count() == 2
    page.click("text=Stop editing, play from here")
    before = history(page)
    choose(page, page.locator(".hit.can").first.get_attribute("data-choice"))
    page.click(place(page, page.locator(".hit.can").last.get_attribute("data-choice")))
    wait_for_step(page, before)


def test_a_slot_is_set(open_page) -> None:
    page = open_page("?game=triangle&seed=4")
    page.click("#tab-edit")
    page.fill("#edit-words", "slot 2 14")
    page.click("#panel-edit form button")
    page.wait_for_function(
        """() => document.querySelector('[data-choice="slot2"]')
            .getAttribute('aria-label').includes('shape 14')"""
    )


def test_stones_are_set_and_the_rules_refuse_nonsense(open_page) -> None:
    page = open_page("?game=gomoku&vs=human")
    page.click("#tab-edit")
    page.click("#panel-edit .tool button >> nth=0")
    before = history(page)
    choose(page, "h8")
    wait_for_step(page, before)
    page.select_option("#panel-edit .tool select >> nth=0", "second")
    choose(page, "h9")
    wait_for_step(page, history(page)[:1])
    stones = page.locator("#board-host .shapes .stone")
    assert stones.count() == 2
    page.fill("#edit-words", "set z99 first")
    page.click("#panel-edit form button")
    page.wait_for_selector(".notice")
    assert stones.count() == 2
    page.click("#undo")
    page.wait_for_function(
        "() => document.querySelectorAll('#board-host .shapes .stone').length == 1"
    )


def test_an_edited_game_is_played_to_its_end(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human")
    page.click("#tab-edit")
    for words in ("set a1 first", "set b2 second"):
        before = history(page)
        page.fill("#edit-words", words)
        page.click("#panel-edit form button")
        wait_for_step(page, before)
    play_on(page, seed=3)
    assert page.locator("#board-host .shapes .stone").count() >= 5
