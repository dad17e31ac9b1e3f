"""Messages and floods that no page sends: each gets a line, and others go on."""

import json
import logging
import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from ludens.web import limits
from ludens.web.connection import FAILED

from .hostile_nets import strange_values
from .outcome import Outcome
from .serving import connected, serving

NUMBER = 10_000
PATIENCE_S = 60.0
EACH_SOCKET = 100
"""Messages before another socket is opened: a page may send only so many at once."""
FLOOD = 5_000
NONSENSE = [
    "",
    "null",
    "[]",
    "{}",
    "7",
    "{",
    '"text"',
    '{"id": 1}',
    '{"id": "x", "do": "games"}',
    '{"id": -1, "do": "games"}',
    '{"id": 1e400, "do": "games"}',
    '{"id": 1, "do": "eval"}',
    '{"id": 1, "do": "games", "more": 1}',
    '{"id": 1, "do": "position"}',
    '{"id": 1, "do": "position", "game": {"spec": 5}}',
    '{"id": 1, "do": "position", "game": {"spec": "pyrga", "history": {}}}',
    '{"id": 1, "do": "position", "game": {"spec": "pyrga", "history": [1.5]}}',
    '{"id": 1, "do": "position", "game": {"spec": "pyrga", "history": [true]}}',
    '{"id": 1, "do": "position", "game": {"spec": "pyrga", "seed": -1}}',
    '{"id": 1, "do": "position", "game": {"spec": "pyrga", "seed": 1e99}}',
    "[" * 20_000,
    '{"a":' * 5_000,
    "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16") * 9,
    "\x00\x01",
]
GAME = {"spec": "tic_tac_toe", "history": [4, 0], "seed": 1}
HONEST: tuple[dict[str, Any], ...] = (
    {"do": "games"},
    {"do": "describe", "game": GAME},
    {"do": "position", "game": GAME},
    {"do": "play", "game": GAME, "step": 8},
    {"do": "line", "game": GAME, "steps": [8]},
    {"do": "why", "game": GAME, "choices": ["b2"]},
    {"do": "move", "game": GAME, "agent": "random"},
    {"do": "analyse", "game": GAME, "agent": "mcts", "sims": 10},
    {"do": "review", "game": GAME, "agent": "mcts", "sims": 10},
    {"do": "solve", "game": GAME, "seconds": 1.0},
    {"do": "tree", "game": GAME, "agent": "mcts", "sims": 10},
    {"do": "edit", "game": GAME, "text": "set a1 empty"},
    {"do": "record", "game": GAME, "players": []},
    {"do": "read", "text": "b2 a1", "spec": "tic_tac_toe"},
    {"do": "runs"},
    {"do": "stop", "of": 1},
)
"""A message of each kind."""


def run(n: int, seed: int) -> Outcome:
    """Send made-up messages to a server; say which it did not bear."""
    with serving() as address, logged() as log:
        failures = [*_failures(address, n, seed)]
    return Outcome("hostile_messages", n, failures + log)


def _failures(address: str, n: int, seed: int) -> Iterator[str]:
    for first in range(0, n, EACH_SOCKET):
        with connected(address) as line:
            for number in range(first, min(n, first + EACH_SOCKET)):
                text = message(random.Random(f"{seed} {number}"))
                if why := why_not_borne(line, text):
                    yield f"{number}: {text[:200]!r}: {why}"
        if why := _why_flooded(address):
            yield f"a flood after {first}: {why}"


def message(rng: random.Random) -> str:
    """Return a message that is nonsense, or an honest one with something strange."""
    if rng.random() < 0.1:
        return rng.choice(NONSENSE)
    sent: dict[str, Any] = json.loads(json.dumps({"id": 7, **rng.choice(HONEST)}))
    place = rng.choice([sent, sent.get("game", sent)])
    key = rng.choice([*sorted(place), "more"])
    steps = [[9], [-1], ["x"] * 9, [4, 4], [10**30], [0] * (limits.MAX_STEPS + 1)]
    values = [value for value in strange_values() if len(str(value)) < 10**5]
    place[key] = rng.choice([*values, *steps, 7, "y" * 400])
    return json.dumps(sent)


def why_not_borne(line: ClientConnection, text: str) -> str:
    """Send a message; say what is wrong with the answer, "" if nothing is."""
    try:
        line.send(text)
        answer = _answer(line)
        line.send('{"id": 8, "do": "games"}')
        _answer(line)
    except (ConnectionClosed, TimeoutError) as error:
        return f"no answer ({type(error).__name__})"
    said = str(answer.get("error", ""))
    if said == FAILED or "\n" in said or len(said) > 1000:
        return f"it says {said[:200]!r}"
    return ""


def _answer(line: ClientConnection) -> dict[str, Any]:
    """Return the next answer; events are passed over."""
    while True:
        answer: dict[str, Any] = json.loads(line.recv(timeout=PATIENCE_S))
        if "event" not in answer:
            return answer


def _why_flooded(address: str) -> str:
    """Flood the server by one socket; say why another one is not served, if so."""
    with connected(address) as rude, connected(address) as polite:
        with suppress(ConnectionClosed):
            for _ in range(FLOOD):
                rude.send('{"id": 1, "do": "games"}')
        return why_not_borne(polite, '{"id": 1, "do": "games"}')


@contextmanager
def logged() -> Iterator[list[str]]:
    """Give the lines of errors that the server logs."""
    lines: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.exc_info:
                lines.append(f"a traceback in the log: {record.exc_info[1]!r:.200}")

    keep, log = Keep(), logging.getLogger("ludens.web")
    log.addHandler(keep)
    try:
        yield lines
    finally:
        log.removeHandler(keep)
