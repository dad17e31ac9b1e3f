"""Positions changed by hand, then played from."""

from pages import PIECES, choose, history, place, play_on, wait_for_step


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


def test_a_piece_is_put_and_named_as_the_last_move(open_page) -> None:
    page = open_page("?game=pyrga&vs=human")
    page.click("#tab-edit")
    tools = page.locator("#panel-edit .tool")
    tools.nth(0).locator("select").nth(0).select_option("second")
    tools.nth(0).locator("select").nth(1).select_option("left")
    before = history(page)
    choose(page, "c2")
    wait_for_step(page, before)
    assert page.locator("#board-host .shapes .arrow.o1").count() == 2
    tools.nth(3).locator("select").select_option("left")
    before = history(page)
    choose(page, "c2")
    wait_for_step(page, before)
    page.click("text=Stop editing, play from here")
    page.click("#tab-game")
    done = page.locator(".moves button").all_text_contents()
    assert done == ["✎ put c2 second left", "✎ last c2 left"]


def test_hands_cells_and_sides_of_cards_are_set(open_page) -> None:
    page = open_page("?game=triple_triad&vs=human&seed=6")
    page.click("#tab-edit")
    tools = page.locator("#panel-edit .tool")
    tools.nth(3).locator("select").nth(0).select_option("second")  # who moves
    tools.nth(3).locator("input").fill("Ifrit")
    tools.nth(3).locator("button").click()
    page.wait_for_function(
        """() => document.querySelector('[data-choice="card1"]')
            .getAttribute('aria-label').includes('Ifrit')"""
    )
    tools.nth(0).locator("input").fill("Bahamut")
    before = history(page)
    choose(page, "b2")
    wait_for_step(page, before)
    card = "#board-host .shapes .card"
    assert page.locator(f"{card}.o0").count() == 6
    tools.nth(2).locator("button").click()
    choose(page, "b2")
    page.wait_for_function(
        "() => document.querySelectorAll('#board-host .shapes .card.o1').length == 6"
    )


def test_discs_are_dropped_and_taken_and_the_turn_is_given(open_page) -> None:
    page = open_page("?game=connect_four&vs=human")
    page.click("#tab-edit")
    tools = page.locator("#panel-edit .tool")
    for tool, discs in ((0, 1), (0, 2), (1, 1)):
        tools.nth(tool).locator("button").click()
        before = history(page)
        choose(page, "4")
        wait_for_step(page, before)
        assert page.locator("#board-host .shapes .disc").count() == discs
    tools.nth(2).locator("select").select_option("second")
    tools.nth(2).locator("button").click()
    page.wait_for_selector("#player-top.turn")


def test_a_new_game_is_played_not_edited(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human")
    page.click("#tab-edit")
    page.click("text=Edit on the board")
    page.wait_for_selector("#board-host.editing")
    page.click("#new-game")
    page.click("#start-game")
    page.wait_for_selector("#board-host:not(.editing)")
    choose(page, "b2")
    wait_for_step(page, [])
    page.click("#tab-game")
    assert page.locator(".moves button").all_text_contents() == ["b2"]


def test_an_edited_game_is_played_to_its_end(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human")
    page.click("#tab-edit")
    for words in ("set a1 first", "set b2 second"):
        before = history(page)
        page.fill("#edit-words", words)
        page.click("#panel-edit form button")
        wait_for_step(page, before)
    play_on(page, seed=3)
    assert page.locator(PIECES).count() >= 5
