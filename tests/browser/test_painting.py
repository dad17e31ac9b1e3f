"""The measure from a click to the painted piece, as `benchmarks/web.py` takes it."""

import pytest
from pages import Server
from playwright.sync_api import Browser

from browser import painted_ms
from marked import quick
from web import show_painting


@pytest.mark.parametrize("game", quick(["tic_tac_toe", "pyrga"], "pyrga"))
def test_each_move_has_its_time(browser: Browser, server: Server, game: str) -> None:
    waits = painted_ms(browser, server.address.rstrip("/"), game, 11)
    assert len(waits) == 11
    assert all(wait > 0 for wait in waits)


def test_without_a_browser_a_line_says_so(monkeypatch, capsys) -> None:
    monkeypatch.setenv("PATH", "")
    show_painting("127.0.0.1:1", 1)
    assert capsys.readouterr().out == (
        "click to own piece: left out, there is no chromium\n"
    )
