"""Whole games of every game, by mouse, by keyboard alone and on a small phone."""

import re

import pytest
from pages import (
    PHONE,
    box_of,
    choose,
    history,
    is_over,
    play_on,
    status,
    wait_for_step,
)

from marked import quick

GAMES = ("tic_tac_toe", "connect_four", "pyrga", "triple_triad", "triangle")


@pytest.mark.parametrize("game", quick(GAMES, "connect_four"))
def test_a_whole_game_by_mouse(open_page, game: str) -> None:
    page = open_page(f"?game={game}&vs=human&seed=3")
    assert play_on(page, seed=1) >= 5
    assert is_over(page)
    assert page.locator("#panel-game .moves button").count() >= 5
    assert re.search("(player won|Draw|[0-9] points) after", status(page))
    assert page.is_visible("#again")


def test_a_whole_game_of_gomoku_by_mouse(open_page) -> None:
    page = open_page("?game=gomoku&vs=human&seed=3")
    for black, white in zip("ghijk", "abcde", strict=True):
        before = history(page)
        choose(page, f"{black}8")
        wait_for_step(page, before)
        if not is_over(page):
            choose(page, f"{white}1")
            wait_for_step(page, [*before, ""])
    assert "won" in status(page)
    assert is_over(page)
    assert page.locator("#board-host .won").count() == 5


def test_a_whole_game_against_an_agent(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=greedy&seed=3")
    play_on(page, seed=2)
    assert is_over(page)
    assert "Greedy" in page.inner_text("#player-top")


def test_a_disc_has_come_to_rest_when_the_agent_answers(open_page) -> None:
    page = open_page("?game=connect_four&vs=random", reduced_motion="no-preference")
    page.evaluate(
        """() => {
            window.cutShort = [];
            const host = document.querySelector("#board-host");
            new MutationObserver((changes) => {
                const added = changes.flatMap((change) => [...change.addedNodes]);
                const isCut = ({ playState, effect }) =>
                    playState === "running" && !added.includes(effect.target);
                if (added.length) window.cutShort.push(
                    host.getAnimations({ subtree: true }).filter(isCut).length);
            }).observe(host.querySelector(".shapes"), { childList: true });
        }"""
    )
    choose(page, "4")
    wait_for_step(page, ["3"])
    assert page.evaluate("window.cutShort") == [0, 0]


@pytest.mark.slow
def test_two_agents_play_a_whole_game_while_one_looks_on(open_page) -> None:
    page = open_page("?game=connect_four&vs=human")
    page.click("#new-game")
    page.select_option("#side-0", "random")
    page.select_option("#side-1", "greedy")
    page.click("#start-game")
    page.wait_for_selector("#status.over")
    assert len(history(page)) >= 7


def test_a_whole_game_by_keyboard_alone(open_page) -> None:
    page = open_page("?game=pyrga&vs=human&seed=3")
    page.keyboard.press("b")
    play_on(page, seed=4, press="keyboard")
    assert is_over(page)


def test_a_whole_game_on_a_small_phone(open_page) -> None:
    page = open_page("?game=triple_triad&vs=human&seed=3", **PHONE)
    assert play_on(page, seed=5, press="touch") == 9
    assert is_over(page)
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 320


@pytest.mark.parametrize("game", quick([*GAMES, "gomoku"], "triangle", "gomoku"))
def test_every_game_fits_on_a_small_phone(open_page, game: str) -> None:
    page = open_page(f"?game={game}&vs=human&seed=3", **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    board = box_of(page.locator("#board-host svg"))
    assert board["width"] >= 280
