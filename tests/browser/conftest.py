"""A real server, a real browser, and pages that must stay without faults."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pages import CLICK_MS, PATIENCE_MS, Server
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    sync_playwright,
)

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-background-networking"
    " --disable-component-update --disable-sync --no-first-run"
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
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


class Visitor:
    """Somebody with a screen of his own, and what his pages complain of."""

    def __init__(self, browser: Browser, looks: dict[str, object]) -> None:
        size = {"width": 1280, "height": 860}
        settings = {"viewport": size, "reduced_motion": "reduce", **looks}
        self.context: BrowserContext = browser.new_context(**settings)  # type: ignore[arg-type]
        self.faults: list[str] = []
        self.home = ""
        self.page = self.new_page()

    def new_page(self) -> Page:
        """Open a page beside those that are open."""
        page = self.context.new_page()
        page.set_default_timeout(CLICK_MS)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("console", self._hear)
        page.on("request", lambda asked: self._check_host(asked.url))
        return page

    def come(self, page: Page, home: str, query: str) -> Page:
        """Let a page go to the server, and wait for its board."""
        self.home = home
        page.goto(home + query)
        if not query.startswith("#run"):
            page.wait_for_selector("#board-host .hit", timeout=PATIENCE_MS)
        return page

    def forget(self, home: str) -> None:
        """Be as one who has never been here."""
        for page in self.context.pages[1:]:
            page.close()
        self.home = home
        self.page.goto(home + "icon.svg")
        self.page.evaluate("localStorage.clear(); sessionStorage.clear()")

    def _hear(self, said: ConsoleMessage) -> None:
        is_of_icon = said.location["url"].endswith("/favicon.ico")  # by `forget` alone
        if said.type == "error" and not is_of_icon:
            self.faults.append(said.text)

    def _check_host(self, url: str) -> None:
        mine = (self.home, self.home.replace("http", "ws"), "data:", "blob:")
        if not url.startswith(mine):
            self.faults.append(f"a request to {url}")


@pytest.fixture(scope="session")
def regulars() -> dict[str, Visitor]:
    """Visitors by their looks, for all tests: a new one costs three times as much."""
    return {}


@pytest.fixture
def open_page(
    browser: Browser, server: Server, regulars: dict[str, Visitor]
) -> Iterator[Callable[..., Page]]:
    """Open pages that may neither complain nor talk to anybody else."""
    here: dict[BrowserContext, Visitor] = {}
    others: list[Visitor] = []

    def open_one(
        query: str = "",
        context: BrowserContext | None = None,
        base: str = "",
        **looks: object,
    ) -> Page:
        home = base or server.address
        if context is not None:
            return here[context].come(here[context].new_page(), home, query)
        visitor = regulars.get(repr(looks))
        if base or visitor in here.values():
            visitor = Visitor(browser, looks)
            others.append(visitor)
        elif visitor is None:
            visitor = regulars[repr(looks)] = Visitor(browser, looks)
        else:
            visitor.forget(home)
        here[visitor.context] = visitor
        return visitor.come(visitor.page, home, query)

    yield open_one
    for visitor in others:
        visitor.context.close()
    faults = [fault for visitor in here.values() for fault in visitor.faults]
    for visitor in here.values():
        visitor.faults.clear()
    assert faults == []


@pytest.fixture
def downloads(tmp_path: Path) -> Path:
    """A folder for what pages save."""
    return tmp_path
