"""While a game is compiled, the page says what one waits for."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pages import PATIENCE_MS, Server


@pytest.fixture
def cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server that has compiled nothing yet."""
    monkeypatch.setenv("LUDENS_CACHE", str(tmp_path / "cache"))
    with Server(tmp_path) as server:
        yield server


def wait_for_words(page, place: str, words: str) -> None:
    page.wait_for_function(
        "([at, words]) => document.querySelector(at)?.textContent.startsWith(words)",
        arg=[place, words],
        timeout=PATIENCE_MS,
    )


def test_a_game_that_is_compiled_is_waited_for_in_words(cold, open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human", base=cold.address)
    page.evaluate("() => { location.hash = '#game=connect_four' }")
    wait_for_words(page, "#status", "Preparing the rules of connect_four")
    wait_for_words(page, "#status", "The first player to move.")
    page.click("#new-game")
    page.click("#game-gomoku")
    wait_for_words(page, "dialog [role=status]", "Preparing the rules of gomoku")
    page.wait_for_function(
        """() => !document.querySelector('dialog [role=status]')?.textContent
            .startsWith('Preparing')""",
        timeout=PATIENCE_MS,
    )
    page.click("#start-game")
    wait_for_words(page, "#game-title", "Gomoku")
