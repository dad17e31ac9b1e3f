"""Training runs as they go on."""

import subprocess
import sys
from pathlib import Path

import pytest
from pages import PATIENCE_MS, Server

from faults.sessions import arguments_for


def train(folder: Path, *more: str) -> "subprocess.Popen[bytes]":
    command = str(Path(sys.executable).with_name("ludens"))
    return subprocess.Popen(
        [command, *arguments_for(folder, *more), "--quiet"], stdout=subprocess.DEVNULL
    )


@pytest.mark.slow  # what the server tells of it is tested with tests/web
def test_a_run_is_watched_while_it_trains(open_page, server) -> None:
    training = train(server.runs / "small", "--iterations", "40")
    try:
        page = open_page("?game=tic_tac_toe&vs=human")
        while not (server.runs / "small" / "games.sqlite").exists():
            page.wait_for_timeout(200)
            assert training.poll() in (None, 0)
        page.click("#nav-runs")
        page.click("#runs a:text('small')")
        page.wait_for_selector("#runs .plot", timeout=PATIENCE_MS)
        page.wait_for_selector("#runs .mini svg", timeout=PATIENCE_MS)
        seen = int(page.inner_text("#runs .facts div:nth-child(3) dd"))
        page.wait_for_function(
            """seen => parseInt(document.querySelector(
                '#runs .facts div:nth-child(3) dd')?.textContent) > seen""",
            arg=seen,
            timeout=PATIENCE_MS,
        )
        titles = page.locator("#runs figcaption").all_text_contents()
        assert any(title.startswith("Loss") for title in titles)
        assert any(title.startswith("Games") for title in titles)
        page.set_viewport_size({"width": 320, "height": 568})
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        page.click("text=Analyse with its newest net")
        page.wait_for_selector("#panel-analysis tbody tr", timeout=PATIENCE_MS)
        assert "small" in page.inner_text("#panel-analysis")
    finally:
        training.terminate()
        training.wait(60)


def test_without_runs_the_page_says_how_to_begin_one(open_page, tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        page = open_page("#runs", base=server.address)
        page.wait_for_selector("#runs >> text=ludens train", timeout=PATIENCE_MS)
        page.close()
