"""One page: its socket, its requests, and what thinks for it."""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from ludens.errors import Refusal, UserError
from ludens.formats.strict import to_json
from ludens.loading.announce import telling
from ludens.web import limits, messages
from ludens.web.desk import Desk, Grown, Thinking
from ludens.web.leaving import working_for
from ludens.web.runs import Watched
from ludens.web.thinking import Job, Reply

LOG = logging.getLogger("ludens.web")
POLICY_VIOLATION, TOO_BIG = 1008, 1009
MAX_UNSENT = 64
"""Messages that wait for a slow reader before the next request is heard."""
FAILED = "the server failed at this; its log says why"


class Flood(Exception):
    """More messages than a socket may send."""


class Bucket:
    """Count messages: a burst empties it, time fills it."""

    def __init__(self) -> None:
        self._left = limits.BURST
        self._then_s = time.monotonic()

    def take(self) -> None:
        """Count one message; raise Flood if there are too many."""
        now_s = time.monotonic()
        gained = (now_s - self._then_s) * limits.MESSAGES_PER_S
        self._left = min(limits.BURST, self._left + gained) - 1
        self._then_s = now_s
        if self._left < 0:
            raise Flood


@dataclass(eq=False)
class Running:
    """A request that goes on, and how to stop it."""

    request: messages.AnyRequest
    stop: Callable[[], object] = lambda: None


class Connection:
    """The socket of a page that was let in."""

    def __init__(self, socket: WebSocket, desk: Desk, who: str) -> None:
        self._socket = socket
        self._desk = desk
        self._who = who
        self._loop = asyncio.get_running_loop()
        self._unsent: asyncio.Queue[Reply] = asyncio.Queue()
        self._asked: asyncio.Queue[messages.AnyRequest] = asyncio.Queue()
        self._running: dict[int, Running] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._grown: Grown = {}
        self._is_gone = False

    async def converse(self) -> None:
        """Answer until the page goes away."""
        self._start(self._send_all())
        self._start(self._answer_all())
        try:
            await self._hear_all()
        except WebSocketDisconnect as end:
            if end.code == TOO_BIG:
                LOG.warning("%s: closed, a message was too long", self._who)
        except Flood:
            LOG.warning("%s: closed, a flood of messages", self._who)
            with suppress(RuntimeError, WebSocketDisconnect):
                await self._socket.close(POLICY_VIOLATION, "too many messages")
        finally:
            self._is_gone = True
            for running in self._running.values():
                running.stop()
            self._running.clear()
            for task in self._tasks:
                task.cancel()

    async def _hear_all(self) -> None:
        bucket = Bucket()
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                raise WebSocketDisconnect(message.get("code") or 1000)
            bucket.take()
            self._hear(message.get("text") or "")
            while self._unsent.qsize() > MAX_UNSENT:
                await asyncio.sleep(limits.SLICE_S)

    def _hear(self, text: str) -> None:
        """Begin what a message asks for."""
        try:
            request = messages.read_request(text)
            self._take_up(request)
        except UserError as error:
            self._send(messages.id_of(text), {"error": self._explain(error)})

    def _take_up(self, request: messages.AnyRequest) -> None:
        if isinstance(request, messages.Stop):
            self._stop(request.of)
            self._send(request.id, {"ok": True})
        elif request.id in self._running:
            raise Refusal(f"the id {request.id} is in use")
        elif self._desk.answers.knows(request):
            self._asked.put_nowait(request)
        else:
            self._begin(request)

    def _begin(self, request: messages.AnyRequest) -> None:
        """Begin what goes on for a while; one analysis ends another."""
        if isinstance(request, messages.Analyse):
            for running in list(self._running.values()):
                if isinstance(running.request, messages.Analyse):
                    self._stop(running.request.id)
        if len(self._running) >= limits.MAX_JOBS:
            raise Refusal("too much goes on already; stop something first")
        running = self._running[request.id] = Running(request)
        if isinstance(request, messages.Run):
            running.stop = self._start(self._watch(running, request)).cancel
        elif isinstance(request, messages.Changes):
            running.stop = self._start(self._follow_rules(running)).cancel
        else:
            assert isinstance(request, Thinking)
            self._start(self._think(running, request))

    def _stop(self, number: int) -> None:
        running = self._running.pop(number, None)
        if running is not None:
            running.stop()
            self._send(number, {"ok": True, "stopped": True})

    async def _answer_all(self) -> None:
        """Answer what needs no thinking, one after the other."""
        while True:
            request = await self._asked.get()
            try:
                reply = await self._work_for(
                    request, self._desk.answers.answer, request
                )
                self._send(request.id, {"ok": True} | reply)
            except Exception as error:
                self._send(request.id, {"error": self._explain(error)})

    async def _think(self, running: Running, request: Thinking) -> None:
        """Prepare some thinking, and hand it to the threads that think."""
        try:
            begin = await self._work_for(
                request, self._desk.prepare, request, self._grown
            )
        except Exception as error:
            self._finish(running, error)
            return
        if self._running.get(request.id) is not running:
            return  # stopped
        job = Job(
            self,
            begin,
            lambda event: self._from_thread(self._tell, running, event),
            lambda end: self._from_thread(self._finish, running, end),
        )
        running.stop = job.stop
        self._desk.crew.submit(job)

    async def _watch(self, running: Running, request: messages.Run) -> None:
        """Tell what is new in a run, until somebody stops it."""
        try:
            watched = await self._by_clerk(
                Watched, self._desk.library, request.name, request.num_games
            )
            while True:
                event = await self._by_clerk(watched.look)
                if event is not None:
                    self._tell(running, event)
                await asyncio.sleep(limits.WATCH_S)
        except Exception as error:
            self._finish(running, error)

    async def _follow_rules(self, running: Running) -> None:
        """Tell which rules were read again, until somebody stops it."""
        rereading = self._desk.rereading
        if rereading is None:
            self._finish(running, UserError("this server watches no rules"))
            return
        seen = dict(rereading.versions)
        while True:
            await asyncio.sleep(limits.WATCH_S)
            now = dict(rereading.versions)
            new = [name for name, version in now.items() if version != seen[name]]
            seen = now
            if new:
                known = rereading.troubles
                troubles = {name: known[name] for name in new if name in known}
                games = [name for name in new if name not in troubles]
                event = {"event": "changes", "games": games, "troubles": troubles}
                self._tell(running, event)

    def _tell(self, running: Running, event: Reply) -> None:
        """Send an event; an analysis waits for no slow reader."""
        if self._running.get(running.request.id) is not running:
            return
        is_passing = event["event"] == "analysis" and not event["is_done"]
        if not (is_passing and self._unsent.qsize() > MAX_UNSENT // 8):
            self._send(running.request.id, event)

    def _finish(self, running: Running, end: Reply | Exception) -> None:
        """Send the answer of what has come to its end."""
        if self._running.get(running.request.id) is not running:
            return
        del self._running[running.request.id]
        if isinstance(end, Exception):
            self._send(running.request.id, {"error": self._explain(end)})
        else:
            self._send(running.request.id, {"ok": True} | end)

    def _explain(self, error: Exception) -> str:
        """Return an error in one line; what is our mistake goes to the log, whole."""
        if isinstance(error, Refusal):
            LOG.warning("%s: refused, %s", self._who, messages.printable(str(error)))
        if isinstance(error, UserError):
            return messages.printable(str(error))
        LOG.error("%s: %s", self._who, FAILED, exc_info=error)
        return FAILED

    def _send(self, number: int | None, reply: Reply) -> None:
        self._unsent.put_nowait({"id": number} | reply)

    async def _send_all(self) -> None:
        with suppress(RuntimeError, WebSocketDisconnect):  # the page has gone
            while True:
                reply = await self._unsent.get()
                await self._socket.send_text(to_json(reply, compact=True))

    def _from_thread(self, call: Callable[..., None], *arguments: Any) -> None:
        with suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(call, *arguments)

    async def _work_for(
        self, request: messages.AnyRequest, call: Callable[..., Any], *arguments: Any
    ) -> Any:
        """Let a clerk answer; a page that has to wait for a compiler is told so."""
        last: Reply = {}

        def tell(what: str, progress: str) -> None:
            nonlocal last
            event = {"event": "preparing", "what": what, "progress": progress}
            if event != last:
                last = event
                self._from_thread(self._send, request.id, event)

        def work() -> Any:
            with telling(tell), working_for(lambda: self._is_gone):
                return call(*arguments)

        return await self._by_clerk(work)

    async def _by_clerk(self, call: Callable[..., Any], *arguments: Any) -> Any:
        return await self._loop.run_in_executor(self._desk.clerks, call, *arguments)

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
