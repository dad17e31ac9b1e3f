"""Everybody can use the page: no violations of the rules that axe checks."""

import gzip
import json
import re
from pathlib import Path

import axe_playwright_python
import pytest
from pages import choose, wait_for_step

import ludens.web
from marked import quick

STATIC = Path(ludens.web.__file__).parent / "static"
MAX_WEIGHT = 105_000
"""Of all files that a browser fetches, compressed as the server sends them."""
NAMED = re.compile(r'^import [^;]*?"\./(.*?)";|(?:href|src)="([\w.]+)"', re.MULTILINE)


def violations(page) -> list[str]:
    script = Path(axe_playwright_python.__file__).parent / "axe.min.js"
    page.evaluate(script.read_text(encoding="utf-8"))
    found = json.loads(page.evaluate("async () => JSON.stringify(await axe.run())"))
    return [
        f"{one['id']}: {one['help']}: {node['html'][:200]} {node['failureSummary']}"
        for one in found["violations"]
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("mode", quick(["light", "dark"], "dark"))
@pytest.mark.parametrize(
    "game",
    quick(["connect_four", "triple_triad", "triangle", "gomoku"], "triple_triad"),
)
def test_boards_are_open_to_all(open_page, game: str, mode: str) -> None:
    page = open_page(f"?game={game}&vs=human&seed=3", color_scheme=mode)
    assert violations(page) == []


@pytest.mark.parametrize("mode", quick(["light", "dark"], "light"))
def test_panels_and_dialogs_are_open_to_all(open_page, mode: str) -> None:
    page = open_page("?game=tic_tac_toe&vs=human", color_scheme=mode)
    choose(page, "b2")
    wait_for_step(page, [])
    page.click("#tab-analysis")
    page.click("#analyse")
    page.wait_for_selector("#panel-analysis tbody tr")
    page.click("[data-kind=visits]")
    assert violations(page) == []
    page.click("#tab-tree")
    page.click("text=Grow the tree")
    page.wait_for_selector("[role=treeitem]")
    assert violations(page) == []
    for tab in ("edit", "share", "game"):
        page.click(f"#tab-{tab}")
        assert violations(page) == []
    for button in ("new-game", "themes", "help"):
        page.click(f"#{button}")
        assert violations(page) == []
        page.keyboard.press("Escape")


def test_the_page_is_light() -> None:
    files = fetched("index.html")
    assert len(files) > 40
    assert {file.name for file in STATIC.iterdir()} - files == {"types.js"}
    weight = sum(len(gzip.compress((STATIC / file).read_bytes())) for file in files)
    assert weight < MAX_WEIGHT


def fetched(*names: str) -> set[str]:
    """Return the files that a browser fetches, by what they name."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        found.add(name := waiting.pop())
        text = (STATIC / name).read_text(encoding="utf-8")
        pairs = NAMED.findall(text)
        waiting += [name for pair in pairs for name in pair if name not in found | {""}]
    return found


def test_the_page_has_neither_script_nor_style_within() -> None:
    text = (STATIC / "index.html").read_text(encoding="utf-8")
    assert "style=" not in text
    assert "<style" not in text
    assert "onclick" not in text
    assert 'src="main.js"' in text
    for file in STATIC.glob("*.js"):
        assert "innerHTML" not in file.read_text(encoding="utf-8"), file.name
