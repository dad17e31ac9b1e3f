"""The page: its weight, how soon it answers, what streaming an analysis costs."""

import gzip
import json
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer
from websockets.sync.client import ClientConnection

import browser
from faults.serving import connected, serving
from ludens.agents import make_agent
from ludens.loading.game import load_game
from ludens.web.analyses import actions_of, analysis_event
from ludens.web.files import STATIC
from ludens.web.limits import SLICE_S, UPDATE_S
from ludens.web.work import NUM_LINES
from script import run

GAMES = (
    "tic_tac_toe",
    "connect_four",
    "gomoku",
    "pyrga",
    "triple_triad",
    "triangle",
)
ANALYSES = (
    ("connect_four", "net:sims=20000"),
    ("connect_four", "mcts:sims=100000"),
    ("gomoku", "mcts:sims=20000"),
    ("triangle", "mcts:sims=20000"),
)
"""Enough simulations for long main lines."""
LONG = (15, 20)
"""Boards of gomoku, three quarters full."""


def main(
    clicks: Annotated[int, typer.Option(help="Moves of each game.", min=1)] = 50,
    seconds: Annotated[
        float, typer.Option(help="Time of the analysis.", min=0.5)
    ] = 5.0,
) -> None:
    """Measure the page: its weight, clicks in a browser, what streaming costs."""
    print(f"page weight: {weight_bytes() / 1000:.1f} kB gzipped")
    with serving() as address:
        with connected(address) as line:
            for game in GAMES:
                waits_ms = [1000 * wait for wait in click_times(line, game, clicks)]
                print(f"answer to a move, {game}: {_summary(waits_ms)}")
            updates = count_updates(line, seconds)
        show_painting(address, clicks)
        print(f"updates of an analysis: {updates / seconds:.1f} a second")
    for game, agent in ANALYSES:
        share = 100 * lost(game, agent)
        print(f"simulations lost to streaming, {game}, {agent}: {share:.1f} %")


def _summary(waits_ms: list[float]) -> str:
    waits_ms = sorted(waits_ms)
    p95 = waits_ms[int(0.95 * (len(waits_ms) - 1))]
    median = statistics.median(waits_ms)
    return f"median {median:.1f} ms, p95 {p95:.1f} ms ({len(waits_ms)} times)"


def show_painting(address: str, clicks: int) -> None:
    """Print how long a browser needs from a click, or a step, to the screen."""
    if why := browser.missing():
        print(f"click to own piece: left out, {why}")
        return
    with browser.browsing() as opened:
        for game in GAMES:
            waits_ms = browser.painted_ms(opened, f"http://{address}", game, clicks)
            print(f"click to own piece, painted, {game}: {_summary(waits_ms)}")
        for size in LONG:
            waits_ms = browser.stepped_ms(opened, f"http://{address}", size, clicks)
            print(f"step through a long game, {size}x{size}: {_summary(waits_ms)}")


def weight_bytes() -> int:
    """Return the size of what a browser fetches, each file compressed as it is sent.

    Browsers never ask for types.js: it is only for the type checker.
    """
    files = (path for path in STATIC.rglob("*") if path.is_file())
    files = (path for path in files if path.name != "types.js")
    return sum(len(gzip.compress(path.read_bytes(), 9)) for path in files)


def ask(line: ClientConnection, do: str, **rest: Any) -> dict[str, Any]:
    """Return the answer to a request; events are passed over."""
    line.send(json.dumps({"id": 1, "do": do, **rest}))
    while True:
        answer: dict[str, Any] = json.loads(line.recv())
        if "event" not in answer:
            return answer


def click_times(line: ClientConnection, game: str, clicks: int) -> Iterator[float]:
    """Play moves by the page's messages; give the seconds until each is on the board.

    A pause after each keeps within what a page may send.
    """
    position: dict[str, Any] = {"is_over": True}
    for seed in range(clicks):
        if position["is_over"]:
            start = {"spec": game, "seed": seed}
            position = ask(line, "position", game=start)["position"]
        sent = {key: position[key] for key in ("spec", "seed", "history")}
        step = position["legal"][len(position["legal"]) // 2]["action"]
        began_s = time.perf_counter()
        position = ask(line, "play", game=sent, step=step)["position"]
        yield time.perf_counter() - began_s
        time.sleep(0.05)


def count_updates(line: ClientConnection, seconds: float) -> int:
    """Count the events of an analysis that takes so long."""
    game = {"spec": "connect_four", "history": [3]}
    ask(line, "analyse", game=game, agent="net:sims=1")  # loads and compiles
    analysis = {"do": "analyse", "game": game, "agent": "net", "seconds": seconds}
    line.send(json.dumps({"id": 2, **analysis}))
    count = 0
    while "event" in json.loads(line.recv()):
        count += 1
    return count


def lost(name: str, text: str) -> float:
    """Return the share of a thread's time that goes to events and slices.

    Each is measured by the time that the processor gave to this thread, so that other
    work on the machine does not count.
    """
    game = load_game(name)
    state = game.new(seed=1)
    agent = make_agent(text, game, 1)
    *_, thought = agent.think(state, slice_s=SLICE_S)
    search = agent.search
    assert search is not None
    sims = int(search.read_roots().sims[0])

    about = (actions_of(state), game.num_players)

    def tell() -> None:
        assert thought is not None
        assert thought.analyse is not None
        json.dumps(analysis_event(thought.analyse(NUM_LINES), *about, 1.0))

    event_s = _thread_s(tell)
    slice_s = _thread_s(lambda: search.run(sims, SLICE_S))
    return event_s / UPDATE_S + slice_s / SLICE_S


def _thread_s(call: Callable[[], object], times: int = 50) -> float:
    """Return the median time that the processor needs for a call."""
    spent = []
    for _ in range(times):
        began_s = time.thread_time()
        call()
        spent.append(time.thread_time() - began_s)
    return statistics.median(spent)


if __name__ == "__main__":
    run(main)
