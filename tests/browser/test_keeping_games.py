"""Nothing is lost: links, reloads, tabs, a server that goes away, records."""

import json
from pathlib import Path

from pages import (
    PATIENCE_MS,
    PIECES,
    Server,
    choose,
    history,
    options,
    status,
    wait_for_step,
)

SLOW = """() => {
    const waits = { describe: 300, position: 600 };
    const { send } = WebSocket.prototype;
    WebSocket.prototype.send = function (text) {
        setTimeout(() => send.call(this, text), waits[JSON.parse(text).do] ?? 0);
    };
}"""
"""Keep the page waiting for what a game has, and longer for positions."""


def move(page, *choices: str) -> None:
    before = history(page)
    choose(page, *choices)
    wait_for_step(page, before)


def play(page, *choices: str) -> None:
    for choice in choices:
        move(page, choice)


def stones(page) -> int:
    return page.locator(PIECES).count()


def test_a_link_is_the_whole_game(open_page) -> None:
    page = open_page("?game=connect_four&vs=human&seed=5")
    play(page, "4", "4", "3")
    link = page.url.partition("#")[2]
    other = open_page(f"#{link}")
    assert stones(other) == 3
    assert other.locator(".moves button").all_text_contents() == ["4", "4", "3"]
    assert other.url.partition("#")[2] == link


def test_a_link_is_a_position_within_its_game(open_page) -> None:
    page = open_page("?game=connect_four&vs=human&seed=5")
    play(page, "4", "4", "3")
    page.keyboard.press(",")
    page.wait_for_function("() => location.hash.includes('at=2')")
    other = open_page("#" + page.url.partition("#")[2])
    assert stones(other) == 2
    other.keyboard.press("End")
    other.wait_for_function("() => !location.hash.includes('at=')")
    assert stones(other) == 3


def test_a_step_while_the_page_still_loads_is_kept(browser, open_page) -> None:
    link = "#game=connect_four&seed=5&history=3.3.2"
    page = browser.new_page(reduced_motion="reduce")
    page.add_init_script(f"({SLOW})()")
    page.goto(open_page().url.partition("#")[0] + link)
    page.wait_for_selector("#board-host .hit", timeout=PATIENCE_MS)
    page.keyboard.press(",")
    page.wait_for_function("() => location.hash.includes('at=2')")
    assert stones(page) == 2
    page.close()


def colours(page) -> list[str]:
    return page.locator("#board-host .shapes .filled").evaluate_all(
        "cells => cells.map((cell) => cell.getAttribute('class'))"
    )


def test_colours_of_triangles_come_with_a_link_a_reload_and_undo(open_page) -> None:
    page = open_page("?game=triangle&seed=3")
    move(page, "slot1", "g4")
    first = colours(page)
    move(page, "slot2", "g7")
    both = colours(page)
    assert len(set(both)) == 2
    assert all("tone" in look for look in both)
    link = page.url.partition("#")[2]
    page.click("#undo")
    page.wait_for_function("() => location.hash.includes('at=')")
    assert colours(page) == first
    page.reload()
    page.wait_for_selector("#board-host .filled")
    assert colours(page) == first
    other = open_page(f"#{link}")
    assert colours(other) == both
    other.keyboard.press(",")
    other.wait_for_function("() => location.hash.includes('at=')")
    assert colours(other) == first


def test_a_reload_keeps_the_game_and_its_variations(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human")
    play(page, "a1", "b2")
    page.click("#undo")
    page.wait_for_function("() => location.hash.includes('at=1')")
    choose(page, "c3")
    page.wait_for_selector(".moves .variation")
    page.reload()
    page.wait_for_selector(".moves .variation")
    assert page.inner_text(".moves .here") == "c3"
    assert stones(page) == 2


def test_chance_goes_on_as_before_after_a_reload(open_page) -> None:
    page = open_page("?game=triangle&seed=9")
    before = page.inner_html("#board-host .shapes")
    page.reload()
    page.wait_for_selector("#board-host .hit")
    assert page.inner_html("#board-host .shapes") == before


def test_two_tabs_have_games_of_their_own(open_page) -> None:
    one = open_page("?game=tic_tac_toe&vs=human")
    two = open_page("?game=connect_four&vs=human", context=one.context)
    play(one, "a1")
    play(two, "4", "5")
    one.reload()
    one.wait_for_selector("#board-host .hit")
    two.reload()
    two.wait_for_selector("#board-host .hit")
    assert (stones(one), stones(two)) == (1, 2)


def test_a_lost_connection_mends_itself(browser, tmp_path: Path) -> None:
    first = Server(tmp_path)
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{first.address}?game=tic_tac_toe&vs=human")
    page.wait_for_selector("#board-host .hit", timeout=300_000)
    play(page, "a1")
    first.stop()
    page.wait_for_selector("#connection:not([hidden])")
    choose(page, "b2")
    with Server(tmp_path, port=first.port):
        page.wait_for_selector("#connection", state="hidden", timeout=60_000)
        wait_for_step(page, ["0"])
        assert stones(page) == 2
        assert len(options(page)) == 7
    context.close()


def test_a_record_is_saved_and_read_again(open_page, tmp_path: Path) -> None:
    page = open_page("?game=connect_four&vs=human")
    play(page, "4", "3")
    page.click("#tab-share")
    with page.expect_download() as saving:
        page.click("text=Save record")
    file = tmp_path / "game.json"
    saving.value.save_as(file)
    record = json.loads(file.read_text())
    assert record["format"] == "ludens-record-1"
    assert record["history"] == [3, 2]
    other = open_page("?game=tic_tac_toe&vs=human")
    other.click("#tab-share")
    other.set_input_files("#record-file", file)
    other.wait_for_function("() => location.hash.includes('connect_four')")
    assert history(other) == ["3", "2"]


def test_a_link_that_cannot_be_opened_says_so_and_begins_that_game(open_page) -> None:
    page = open_page("#game=tic_tac_toe&seed=1&history=0.0")
    page.wait_for_selector(".notice")
    assert "tic_tac_toe" in page.url
    assert history(page) == []


def test_a_link_that_cannot_be_opened_costs_no_game(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human&seed=1")
    play(page, "b2", "a1")
    good = page.url.partition("#")[2]
    page.evaluate("location.hash = '#game=tic_tac_toe&seed=1&history=0.0'")
    page.wait_for_selector(".notice")
    page.wait_for_function("good => location.hash === `#${good}`", arg=good)
    page.reload()
    page.wait_for_selector("#board-host .hit")
    assert history(page) == ["4", "0"]


def test_the_same_record_is_opened_twice(open_page, tmp_path: Path) -> None:
    page = open_page("?game=connect_four&vs=human")
    page.click("#tab-share")
    file = tmp_path / "moves.txt"
    file.write_text("44")
    for _ in range(2):
        page.set_input_files("#record-file", file)
        page.wait_for_function("() => location.hash.endsWith('history=3.3')")
        page.click("#undo")
        page.wait_for_function("() => location.hash.includes('&at=')")
    assert stones(page) == 1


def test_moves_and_a_game_of_many_are_pasted_and_nonsense_is_refused(open_page) -> None:
    page = open_page("?game=connect_four&vs=human")
    page.click("#tab-share")
    page.fill("#paste", "4444")
    page.click("#panel-share >> text=Open")
    page.wait_for_function("() => location.hash.includes('history=3.3.3.3')")
    page.fill("#paste", '{"format": "nonsense"}')
    page.click("#panel-share >> text=Open")
    page.wait_for_selector(".notice")
    assert history(page) == ["3", "3", "3", "3"]
    page.fill("#paste", "# connect_four\n1\n2\n35\n")
    page.click("#panel-share >> text=Open")
    page.get_by_label("Game of 3").fill("3")
    page.keyboard.press("Enter")
    page.wait_for_function("() => location.hash.includes('history=2.4')")


def test_the_board_is_saved_as_pictures(open_page, tmp_path: Path) -> None:
    page = open_page("?game=gomoku&vs=human")
    play(page, "h8")
    page.click("#tab-share")
    for kind, start in (("svg", b"<svg"), ("png", b"\x89PNG")):
        with page.expect_download() as saving:
            page.click(f"text=Save {kind.upper()}")
        file = tmp_path / f"board.{kind}"
        saving.value.save_as(file)
        assert file.read_bytes().startswith(start)
    picture = (tmp_path / "board.svg").read_text()
    assert "class=" not in picture
    assert "data-choice" not in picture  # what only answers to clicks stays behind


def test_arrows_home_and_end_step_through_the_game(open_page) -> None:
    page = open_page("?game=connect_four&vs=human")
    play(page, "1", "2", "3")
    page.click("h1")
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("Home")
    page.wait_for_function("() => location.hash.includes('at=0')")
    assert stones(page) == 0
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => location.hash.includes('at=1')")
    assert stones(page) == 1
    page.keyboard.press("End")
    page.wait_for_function("() => !location.hash.includes('at=')")
    assert "to move" in status(page)
