"""The rules in words beside the board, and the looks of boards and stones."""

from pages import place
from test_access import violations


def test_cards_are_found_in_the_rules(open_page) -> None:
    page = open_page("?game=triple_triad&vs=human&seed=3")
    page.click("#tab-rules")
    rows = page.locator("#panel-rules tbody tr:not([hidden])")
    page.wait_for_selector("#panel-rules .example .card")
    assert rows.count() == 110
    page.fill("#panel-rules input", "level=8 FIRE")
    assert [row.split()[1] for row in rows.all_inner_texts()] == ["Ifrit"]
    assert violations(page) == []


def test_rules_follow_the_game_and_its_options(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human")
    page.keyboard.press("6")
    page.wait_for_selector("#panel-rules .example .cross")
    assert page.locator("#panel-rules h2").first.inner_text() == "Aim"


def test_stones_wear_what_was_chosen_and_keep_it(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human")
    page.click(place(page, "b2"))
    colours = {page.evaluate(COLOUR)}
    page.click("#themes")
    for stones in ("glass", "jade", "flat"):
        page.select_option("#look-stones", stones)
        colours.add(page.evaluate(COLOUR))
    assert len(colours) == 4
    page.reload()
    page.wait_for_selector("#board-host .shapes .cross")
    assert page.evaluate("document.documentElement.dataset.stones") == "flat"


COLOUR = """() => {
    const style = getComputedStyle(document.documentElement);
    return style.getPropertyValue('--p0-a') + style.getPropertyValue('--p0-b');
}"""


def test_dead_cells_are_grey_and_the_pointer_shows_what_is_edited(open_page) -> None:
    page = open_page("?game=triangle&seed=4")
    assert page.locator("#board-host .shapes .death").count() == 24
    page.click("#tab-edit")
    page.click("text=Edit on the board")
    area = page.locator('[data-choice="h4"] .area')
    before = area.evaluate(FILL)
    area.hover()
    assert area.evaluate(FILL) != before


FILL = "(element) => getComputedStyle(element).fill"
