"""The server: static files, and a socket for each page."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket
from uvicorn import Config, Server

from ludens.web import limits
from ludens.web.connection import Connection
from ludens.web.desk import Desk
from ludens.web.files import STATIC, KeptFiles, front_page
from ludens.web.guard import Guard, Policy, who

LOG = logging.getLogger("ludens.web")
TRY_LATER = 1013


def make_app(desk: Desk, policy: Policy) -> Starlette:
    """Return the application; it ends the desk's threads with itself."""
    sockets: set[WebSocket] = set()

    async def talk(socket: WebSocket) -> None:
        name = who(socket.scope)
        if len(sockets) >= limits.MAX_SOCKETS:
            LOG.warning("%s: refused, %d pages are open", name, len(sockets))
            await socket.close(TRY_LATER)
            return
        sockets.add(socket)
        try:
            await socket.accept()
            await Connection(socket, desk, name).converse()
        finally:
            sockets.discard(socket)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        desk.close()

    return Starlette(
        routes=[
            WebSocketRoute("/ws", talk),
            Route("/", front_page),
            Mount("/v/{version}", KeptFiles(directory=STATIC)),
            Mount("/", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(Guard, policy=policy), Middleware(GZipMiddleware)],
        lifespan=lifespan,
    )


def make_server(desk: Desk, policy: Policy, port: int) -> Server:
    """Return a server that is ready to run."""
    return Server(
        Config(
            make_app(desk, policy),
            host=policy.host,
            port=port,
            ws="websockets-sansio",
            ws_max_size=limits.MAX_MESSAGE_BYTES,
            ws_per_message_deflate=False,
            limit_concurrency=limits.MAX_CONNECTIONS,
            timeout_graceful_shutdown=1,
            log_config=None,
            log_level=logging.WARNING,
            access_log=False,
            server_header=False,
            date_header=False,
        )
    )
