"""Clicks in a real browser: the time until a move stands painted on the board."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE_MS = 300_000.0
"""For a game to be compiled on a busy machine."""
STOPWATCH = """() => {
    const host = document.querySelector('#board-host');
    const played = () => (location.hash.match(/history=[^&]*/) ?? [''])[0];
    let [clicked, before] = [0, played()];
    window.waits = [];
    addEventListener('pointerup', (event) => (clicked = event.timeStamp), true);
    new MutationObserver(() => {
        if (played() === before) return;
        before = played();
        requestAnimationFrame(() => {
            const painted = new MessageChannel();
            painted.port1.onmessage = () => waits.push(performance.now() - clicked);
            painted.port2.postMessage(0);
        });
    }).observe(host, { childList: true, subtree: true });
}"""
"""Counts from the last click of a move to the first frame that shows the move."""
STEPS = """async (most) => {
    const channel = () => new Promise((done) => {
        const painted = new MessageChannel();
        painted.port1.onmessage = done;
        painted.port2.postMessage(0);
    });
    const waits = [];
    for (let i = 0; i < most; i++) {
        const here = () => document.querySelector('.moves .here');
        const [before, began] = [here(), performance.now()];
        const press = { key: i % 4 < 2 ? ',' : '.', bubbles: true };
        document.body.dispatchEvent(new KeyboardEvent('keydown', press));
        while (here() === before) await channel();
        await new Promise(requestAnimationFrame);
        await channel();
        waits.push(performance.now() - began);
        await new Promise((done) => setTimeout(done, 50));
    }
    return waits;
}"""
"""Steps back and on; counts from each key to the first frame that shows the step."""
OPTIONS = "#board-host .hit.can :is(.area, .petal)"
DONE = "#board-host[aria-busy=false]"


def missing() -> str:
    """Return what is not there and has to be, "" if nothing is missing."""
    if find_spec("playwright") is None:
        return "playwright is not installed"
    return "" if _program() else "there is no chromium"


def _program() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def browsing() -> "Iterator[Browser]":
    """Give a browser without a window."""
    from playwright.sync_api import sync_playwright

    # Chromium refuses to run as root with its sandbox; it opens our own page only.
    flags = ["--no-sandbox"] if hasattr(os, "getuid") and os.getuid() == 0 else []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=_program(), args=flags)
        yield browser
        browser.close()


def painted_ms(browser: "Browser", address: str, game: str, clicks: int) -> list[float]:
    """Play moves by mouse; return the milliseconds until each was painted."""
    waits: list[float] = []
    while len(waits) < clicks:
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.set_default_timeout(PATIENCE_MS)
        page.goto(f"{address}/?game={game}&vs=human&seed={len(waits)}")
        page.wait_for_selector(OPTIONS)
        waits += _play(page, clicks - len(waits))
        page.close()
    return waits


def stepped_ms(browser: "Browser", address: str, size: int, steps: int) -> list[float]:
    """Step through the end of a long game of gomoku; return what each step took."""
    points = [(x, y) for y in range(size) for x in range(size)]
    sides = [[y * size + x for x, y in points if (x // 2 + y) % 2 == i] for i in (0, 1)]
    moves = [str(move) for pair in zip(*sides, strict=False) for move in pair]
    played = ".".join(moves[: 3 * size * size // 4])
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"{address}/#game=gomoku:size={size}&seed=1&history={played}")
    page.wait_for_selector("#board-host .last")
    waits: list[float] = page.evaluate(STEPS, steps)
    page.close()
    return waits


def _play(page: "Page", most: int) -> list[float]:
    """Play a game on, at most so many moves of it."""
    page.evaluate(STOPWATCH)
    waits: list[float] = []
    while len(waits) < most and not page.locator("#status.over").count():
        options = page.locator(OPTIONS)
        options.nth(options.count() // 2).click()
        page.wait_for_selector(DONE)
        waits = page.evaluate("() => waits")
    return waits
