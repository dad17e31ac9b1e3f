"""Running the server, and doing on its page what people do."""

import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

PATIENCE_MS = 300_000
"""For a game to be compiled on a busy machine."""
CLICK_MS = 60_000
PIECES = "#board-host .shapes :is(.stone, .disc, .cross, .ring)"
PHONE = {"viewport": {"width": 320, "height": 568}, "has_touch": True}


WAY_TO = """(wanted) => {
    const middle = (hit) => {
        const box = hit.querySelector('.area, .petal').getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    };
    const here = document.activeElement;
    if (here.dataset?.choice === wanted) return 'Enter';
    const target = document.querySelector(`[data-choice="${wanted}"]`);
    const [x, y] = middle(target).map((at, i) => at - middle(here)[i]);
    if (Math.abs(x) > Math.abs(y)) return x > 0 ? 'ArrowRight' : 'ArrowLeft';
    return y > 0 ? 'ArrowDown' : 'ArrowUp';
}"""
"""The key that leads from the focus towards a place."""


WITHOUT_HURRY = """
from ludens.agents import compiling
compiling.prepare = lambda game, tasks: None
from ludens.__main__ import main
main()
"""


class Server:
    """`ludens web` in a process of its own.

    It compiles no agent before somebody asks it: few of these tests do.
    """

    def __init__(
        self, runs: Path, *files: Path, port: int = 0, is_watching: bool = False
    ) -> None:
        ludens = [sys.executable, "-c", WITHOUT_HURRY]
        more = ["--no-open", "--port", str(port), *["--watch"] * is_watching]
        self._process = subprocess.Popen(
            [*ludens, "web", *map(str, files), *more],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "LUDENS_RUNS": str(runs)},
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, line
        self.address = found[0]
        self.port = int(self.address.rstrip("/").rpartition(":")[2])
        self.runs = runs

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        self._process.terminate()
        self._process.wait(60)
        assert self._process.stdout is not None
        self._process.stdout.close()


def status(page: "Page") -> str:
    """Return what the page says about the game."""
    return page.inner_text("#status")


def history(page: "Page") -> list[str]:
    """Return the steps of the game, from the address."""
    found = re.search(r"history=([^&]*)", page.url)
    return found[1].split(".") if found else []


def options(page: "Page") -> list[str]:
    """Return what can be chosen now and has a place on the screen."""
    return page.evaluate(
        """() => [...document.querySelectorAll('#board-host .hit.can')]
            .filter((hit) => hit.childElementCount)
            .map((hit) => hit.dataset.choice)"""
    )


def place(page: "Page", choice: str) -> str:
    """Return the selector of what is clicked for a choice."""
    return f'#board-host .hit[data-choice="{choice}"] :is(.area, .petal) >> nth=0'


def box_of(found: "Locator") -> dict[str, float]:
    """Return where an element is; one that is just drawn anew is waited for."""
    return found.evaluate("(found) => found.getBoundingClientRect().toJSON()")


def centre_of(page: "Page", choice: str) -> tuple[float, float]:
    """Return the middle of a place, on the screen."""
    box = box_of(page.locator(place(page, choice)))
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


class Finger:
    """A finger on the screen of a page."""

    def __init__(self, page: "Page") -> None:
        self._screen = page.context.new_cdp_session(page)

    def _touch(self, kind: str, *at: float) -> None:
        points = [{"x": at[0], "y": at[1]}] if at else []
        touch = {"type": kind, "touchPoints": points}
        self._screen.send("Input.dispatchTouchEvent", touch)

    def drag(self, x: float, y: float, to_x: float, to_y: float) -> None:
        """Go from one point to another, and stay there."""
        self._touch("touchStart", x, y)
        for step in range(1, 9):
            part = step / 8
            self._touch("touchMove", x + (to_x - x) * part, y + (to_y - y) * part)

    def lift(self) -> None:
        """Leave the screen."""
        self._touch("touchEnd")


def choose(page: "Page", *choices: str) -> None:
    """Click choices one after the other."""
    for choice in choices:
        page.click(place(page, choice))


def wait_for_step(page: "Page", before: list[str]) -> None:
    """Wait until the game has gone on."""
    page.wait_for_function(
        "length => (/history=([^&]*)/.exec(location.hash)?.[1] ?? '').split('.')"
        ".filter(Boolean).length > length",
        arg=len(before),
    )


def is_over(page: "Page") -> bool:
    """Tell whether the page says that the game is over."""
    return page.locator("#status.over").count() > 0


def play_on(page: "Page", seed: int, press: str = "mouse") -> int:
    """Choose at random until the game is over; return how many moves it took."""
    rng, moves = random.Random(seed), 0
    while not is_over(page):
        before = history(page)
        while history(page) == before:
            page.wait_for_selector("#board-host .hit.can, #status.over")
            if is_over(page):
                return moves
            choice = rng.choice(options(page))
            if press == "mouse":
                page.click(place(page, choice))
            elif press == "touch":
                page.tap(place(page, choice))
            else:
                press_to(page, choice)
            page.wait_for_selector("#board-host[aria-busy=false]")
        moves += 1
    return moves


def press_to(page: "Page", choice: str) -> None:
    """Go to a place with the arrow keys, as far as they lead, and choose it."""
    for _ in range(60):
        way = page.evaluate(WAY_TO, choice)
        page.keyboard.press(way)
        if way == "Enter":
            return
