"""Who is let in: Host, Origin and token are checked before anything is read."""

import hmac
import ipaddress
import logging
import secrets
import socket
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ludens.web.messages import printable

LOG = logging.getLogger("ludens.web")
LOOPBACK = ("127.0.0.1", "::1", "localhost")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
        " img-src 'self' data: blob:; manifest-src 'self'; base-uri 'none';"
        " form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True)
class Policy:
    """What a request must have to be answered."""

    host: str
    """The address that the server listens at."""
    token: str = ""
    """What a page must know; empty: nothing, because nobody else can reach us."""
    names: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def of(cls, host: str) -> "Policy":
        """Return the policy of an address: others than loopback need a token."""
        if host in LOOPBACK:
            return cls(host, "", frozenset(LOOPBACK))
        names = {*LOOPBACK, host.lower(), socket.gethostname().lower()}
        return cls(host, secrets.token_urlsafe(24), frozenset(names))

    def allows_host(self, host: str) -> bool:
        """Tell whether a Host header names this server.

        A server that listens everywhere has many addresses, but no strange names:
        those are how a page of somebody else would reach it.
        """
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name in self.names:
            return True
        return self.host in ("0.0.0.0", "::") and _is_address(name)


class Guard:
    """Refuse what the policy does not allow; add the headers of all answers."""

    def __init__(self, app: ASGIApp, policy: Policy) -> None:
        self._app = app
        self._policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        why = self._refusal(scope)
        if why:
            LOG.warning("%s: refused, %s", who(scope), printable(why))
            await _refuse(scope, receive, send, why)
        elif scope["type"] == "http" and self._given_token(scope):
            await self._welcome(scope, receive, send)
        else:
            await self._app(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> str:
        """Return why a request is refused, nothing if it is not."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._policy.allows_host(hosts[0]):
            return f"the host {', '.join(hosts)!r} is not this server"
        origins = headers.getlist("origin")
        own = [f"http://{hosts[0]}", f"https://{hosts[0]}"]
        is_socket = scope["type"] == "websocket"
        if (is_socket or origins) and not (len(origins) == 1 and origins[0] in own):
            return f"a page from {', '.join(origins) or 'nowhere'!r} asks"
        if scope["type"] == "http" and scope["method"] not in ("GET", "HEAD"):
            return f"the method {scope['method']!r} is not used here"
        if self._policy.token and not self._knows_token(scope, headers):
            return "the token is missing or wrong; open the address with the token"
        return ""

    def _knows_token(self, scope: Scope, headers: Headers) -> bool:
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(_cookie_name(scope))
        except CookieError:
            cookie = None
        given = self._given_token(scope) if scope["type"] == "http" else ""
        return self._is_token(given or (cookie.value if cookie else ""))

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._policy.token.encode())

    def _given_token(self, scope: Scope) -> str:
        """Return the token that an address has in it."""
        return dict(_query(scope)).get("token", "") if self._policy.token else ""

    async def _welcome(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Move the token from the address, which people share, into a cookie."""
        rest = urlencode([pair for pair in _query(scope) if pair[0] != "token"])
        answer = RedirectResponse(f"/?{rest}" if rest else "/", 303)
        name, token = _cookie_name(scope), self._policy.token
        answer.set_cookie(name, token, httponly=True, samesite="strict")
        await answer(scope, receive, _with_headers(send))


def who(scope: Scope) -> str:
    """Name a client by its address."""
    client = scope.get("client")
    return f"{client[0]}:{client[1]}" if client else "somebody"


async def _refuse(scope: Scope, receive: Receive, send: Send, why: str) -> None:
    if scope["type"] == "websocket":
        await receive()  # the wish to connect
        await send({"type": "websocket.close", "code": 1008})
        return
    answer = PlainTextResponse(f"Refused: {printable(why)}.\n", 403)
    await answer(scope, receive, _with_headers(send))


def _with_headers(send: Send) -> Send:
    async def send_more(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            headers.setdefault("Cache-Control", "no-cache")
        await send(message)

    return send_more


def _query(scope: Scope) -> list[tuple[str, str]]:
    text = scope.get("query_string", b"").decode("latin-1")
    try:
        return parse_qsl(text, max_num_fields=20)
    except ValueError:
        return []


def _cookie_name(scope: Scope) -> str:
    """Name the cookie by the port: servers of one machine share their cookies."""
    server = scope.get("server")
    return f"ludens-{server[1] if server else 0}"


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
