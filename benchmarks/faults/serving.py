"""The page's server in a thread of this process, and sockets as pages have them."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from ludens.web.app import make_server
from ludens.web.desk import Desk
from ludens.web.guard import Policy
from ludens.web.library import Library


@contextmanager
def serving() -> Iterator[str]:
    """Serve from a thread, and give the address."""
    policy = Policy.of("127.0.0.1")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        server = make_server(Desk(Library()), policy, port)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield f"127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join()


def connected(address: str) -> ClientConnection:
    """Return a socket as a page has it."""
    origin = Origin(f"http://{address}")
    return connect(f"ws://{address}/ws", origin=origin, max_size=None)
