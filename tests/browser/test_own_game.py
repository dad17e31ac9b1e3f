"""A game of a user's own has all of the page without a line of JavaScript."""

import re
from pathlib import Path

from pages import PATIENCE_MS, Server, is_over, play_on

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
