"""A real server, a real browser, and pages that must stay without faults."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pages import CLICK_MS, PATIENCE_MS, Server
from playwright.sync_api import Browser, Page, sync_playwright

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-background-networking"
    " --disable-component-update --disable-sync --no-first-run"
)


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """A browser for all tests; without one they are skipped."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("there is no chromium: apt-get install chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS.split())
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests, with runs of its own."""
    with Server(tmp_path_factory.mktemp("runs")) as server:
        yield server


@pytest.fixture
def open_page(browser: "Browser", server: Server) -> "Iterator[Callable[..., Page]]":
    """Open pages that may neither complain nor talk to anybody else."""
    faults: list[str] = []
    contexts = []

    def open_one(
        query: str = "", context: object = None, base: str = "", **looks: object
    ) -> "Page":
        if context is None:
            size = {"width": 1280, "height": 860}
            settings = {"viewport": size, "reduced_motion": "reduce", **looks}
            context = browser.new_context(**settings)
            contexts.append(context)
        page = context.new_page()  # type: ignore[attr-defined]
        page.set_default_timeout(CLICK_MS)
        home = base or server.address
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        page.on(
            "console",
            lambda said: faults.append(said.text) if said.type == "error" else None,
        )
        page.on("request", lambda asked: _check_host(asked.url, home, faults))
        page.goto(home + query)
        if not query.startswith("#run"):
            page.wait_for_selector("#board-host .hit", timeout=PATIENCE_MS)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert faults == []


def _check_host(url: str, home: str, faults: list[str]) -> None:
    if not url.startswith((home, home.replace("http", "ws"), "data:", "blob:")):
        faults.append(f"a request to {url}")


@pytest.fixture
def downloads(tmp_path: Path) -> Path:
    """A folder for what pages save."""
    return tmp_path
