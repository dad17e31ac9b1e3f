"""A real server for tests, and pages that talk to it."""

import json
import logging
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from ludens.web.app import make_server
from ludens.web.desk import Desk
from ludens.web.guard import Policy
from ludens.web.library import Library

Reply = dict[str, Any]
PATIENCE_S = 120
"""For an answer, on a busy machine with a cold cache."""


class Page:
    """One socket, as a page has it; each request has an id of its own."""

    def __init__(self, line: ClientConnection) -> None:
        self.line = line
        self.prepared: list[Reply] = []
        """What the server said of compiling: a cold cache must not disturb."""
        self._last = 0

    def send(self, do: str, **rest: Any) -> int:
        """Send a request; return its id."""
        self._last += 1
        self.line.send(json.dumps({"id": self._last, "do": do, **rest}))
        return self._last

    def hear(self) -> Reply:
        """Return the next message of the server."""
        while True:
            message: Reply = json.loads(self.line.recv(timeout=PATIENCE_S))
            if message.get("event") != "preparing":
                return message
            self.prepared.append(message)

    def follow(self, number: int) -> Iterator[Reply]:
        """Give the events of a request, its answer last."""
        while True:
            message = self.hear()
            if message["id"] == number:
                yield message
                if "event" not in message:
                    return

    def ask(self, do: str, **rest: Any) -> Reply:
        """Return the answer to a request."""
        [*_, answer] = self.follow(self.send(do, **rest))
        return answer

    def position(self, spec: str, *steps: int | str, seed: int = 1) -> Reply:
        """Return the position after some steps in words."""
        at = self.ask("position", game={"spec": spec, "seed": seed})["position"]
        for step in steps:
            at = self.ask("play", game=sent(at), step=step)["position"]
        return at


def sent(position: Reply) -> Reply:
    """Return a position as a client sends it again."""
    return {key: position[key] for key in ("spec", "seed", "history")}


@dataclass
class Served:
    """A server that listens, and what it has logged."""

    port: int
    policy: Policy
    desk: Desk
    log: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Where it is, without a scheme."""
        return f"127.0.0.1:{self.port}"

    @contextmanager
    def page(self, **headers: Any) -> Iterator[Page]:
        """Open a page, as a browser does."""
        with self.connect(**headers) as line:
            yield Page(line)

    def connect(self, origin: str | None = "", **rest: Any) -> ClientConnection:
        """Open a socket; origin: that of the server's own page."""
        mine = f"http://{self.address}" if origin == "" else origin
        return connect(
            f"ws://{self.address}/ws", origin=mine, max_size=None, proxy=None, **rest
        )

    def logged(self, words: str) -> bool:
        """Tell whether some words are in the log, now or soon."""
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:
            if self.logged_now(words):
                return True
            time.sleep(0.02)
        return False

    def logged_now(self, words: str) -> bool:
        """Tell whether some words are in the log."""
        return any(words in line for line in self.log)


class _Keep(logging.Handler):
    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(record.getMessage())
        if record.exc_info:
            self._lines.append("TRACEBACK")


@contextmanager
def serve(
    library: Library | None = None, policy: Policy | None = None
) -> Iterator[Served]:
    """Serve from a thread, at a free port of this machine, until the end.

    Agents are compiled when they are asked: of most games nobody plays here.
    """
    policy = policy or Policy.of("127.0.0.1")
    listening = socket.create_server(("127.0.0.1", 0))
    with listening, pytest.MonkeyPatch.context() as patch:
        patch.setattr("ludens.web.library.prepare_agents", lambda game, agents: None)
        desk = Desk(library or Library(), num_threads=2)
        served = Served(listening.getsockname()[1], policy, desk)
        server = make_server(desk, policy, served.port)
        keep = _Keep(served.log)
        logging.getLogger("ludens.web").addHandler(keep)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield served
        finally:
            server.should_exit = True
            thread.join()
            logging.getLogger("ludens.web").removeHandler(keep)


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """One server for all tests of a file."""
    with serve() as running:
        yield running
        assert "TRACEBACK" not in running.log


@pytest.fixture
def page(served: Served) -> Iterator[Page]:
    """A page for each test."""
    with served.page() as opened:
        yield opened
