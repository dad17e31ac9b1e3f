"""A game of a user's own has all of the page without a line of JavaScript."""

import re
from pathlib import Path

import pytest
from pages import (
    PATIENCE_MS,
    Server,
    choose,
    history,
    is_over,
    play_on,
    wait_for_step,
)

README = Path(__file__).parents[2] / "README.md"


def own_rules(folder: Path) -> Path:
    [rules, *_] = re.findall(
        r"^```python\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE
    )
    file = folder / "noughts.py"
    file.write_text(rules.replace("Tic-tac-toe:", "<b>Noughts</b>:", 1))
    return file


def test_a_file_of_rules_is_played_and_analysed(open_page, tmp_path: Path) -> None:
    with Server(tmp_path, own_rules(tmp_path)) as server:
        page = open_page("?game=noughts.py&vs=human", base=server.address)
        assert page.inner_text("h1") == "<b>Noughts</b>"
        page.click("#tab-analysis")
        page.click("#analyse")
        page.wait_for_selector("#panel-analysis tbody tr", timeout=PATIENCE_MS)
        play_on(page, seed=1)
        assert is_over(page)
        page.click("#new-game")
        assert page.locator('[id="game-noughts.py"][aria-pressed=true]').count() == 1
        page.close()


def test_a_game_goes_on_when_its_rules_are_edited(
    open_page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDENS_COMPILE", "0")
    file = own_rules(tmp_path)
    rules = file.read_text("utf-8")
    with Server(tmp_path, file, is_watching=True) as server:
        page = open_page("?game=noughts.py&vs=human", base=server.address)
        choose(page, "b2")
        wait_for_step(page, [])
        file.write_text(rules.replace("<b>Noughts</b>", "Crosses", 1), "utf-8")
        page.wait_for_selector(".notice >> text=the game goes on")
        assert page.inner_text("h1") == "Crosses"
        assert history(page) == ["4"]
        file.write_text("def (", "utf-8")
        page.wait_for_selector(".notice >> text=does not load")
        assert history(page) == ["4"]
        old, new = (
            "if state.board[cell] == 0:",
            "if state.board[cell] == 0 and cell != 4:",
        )
        file.write_text(rules.replace(old, new, 1), "utf-8")
        page.wait_for_selector(".notice >> text=does not play any more")
        assert history(page) == []
        page.close()
