"""The pipe to the bridge, the only process that knows Ray."""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from ludens.cluster.address import AUTO, RAYS, environment, temporary_folder
from ludens.cluster.token import new_token
from ludens.cluster.wire import Facts, pack, receive, send, unpack

BRIDGE = (sys.executable, "-P", "-m", "ludens.cluster.bridge")
CLOSING_S = 6.0
"""How long a bridge may take to end what it has started."""


class Link:
    """A bridge that was started; what it tells goes to `hear`, its end to `end`."""

    def __init__(
        self,
        wish: Facts,
        net: bytes,
        hear: Callable[[Facts, Sequence[bytes]], None],
        end: Callable[[], None],
        bridge: Sequence[str] = BRIDGE,
    ) -> None:
        self._hear, self._end = hear, end
        is_ours = wish["address"] == AUTO
        self._folder = ""
        if is_ours:
            where = temporary_folder()
            self._folder = tempfile.mkdtemp(prefix="ludens-ray-", dir=where)
        self._process = subprocess.Popen(
            bridge,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(new_token() if is_ours else ""),
            start_new_session=True,  # Ctrl-C is for us; this ends with its pipe
        )
        self._sending = threading.Lock()
        self.send({**wish, "folder": os.path.join(self._folder, RAYS)}, [net])
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def send(self, facts: Facts, contents: Sequence[bytes] = ()) -> None:
        """Send a message; that nobody reads it any more is heard of by `end`."""
        assert self._process.stdin is not None
        with self._sending, suppress(OSError, ValueError):
            send(self._process.stdin, pack(facts, contents))

    def close(self) -> None:
        """End the bridge, and with it what it has started."""
        self._hang_up()
        try:
            self._process.wait(CLOSING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._thread.join()

    def _hang_up(self) -> None:
        assert self._process.stdin is not None
        with self._sending, suppress(OSError):
            self._process.stdin.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as pipe:
            while (message := receive(pipe)) is not None:
                self._hear(*unpack(message))
        self._hang_up()
        self._process.wait()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._end()
