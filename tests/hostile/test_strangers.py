"""Who is let in: Host, Origin, token, methods, headers, paths."""

import http.client
from collections.abc import Iterator
from dataclasses import replace

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from ludens.web.guard import Policy
from served import Page, Served, serve

STRANGE_ORIGINS = [
    None,
    "null",
    "http://evil.example",
    "http://127.0.0.1",
    "http://127.0.0.1:1",
    "https://localhost.evil.example",
    "file://",
]


def get(served: Served, path: str, method: str = "GET", **headers: str):
    """Return status, headers and body of a plain request."""
    line = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)
    try:
        line.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            line.putheader(name, value)
        line.endheaders()
        answer = line.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        line.close()


@pytest.mark.parametrize("origin", STRANGE_ORIGINS)
def test_a_socket_of_another_page_is_refused_and_logged(served: Served, origin):
    with pytest.raises(InvalidStatus) as refused:
        served.connect(origin=origin)
    assert refused.value.response.status_code == 403
    assert served.logged("refused, a page from")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "[::"])
def test_another_host_is_refused_and_logged(served: Served, host):
    status, _, body = get(served, "/", Host=host)
    assert status in (400, 403)
    assert b"Traceback" not in body
    if status == 403:
        assert served.logged(f"refused, the host {host!r}")


def test_a_page_of_the_server_is_let_in_by_each_of_its_names(served: Served):
    for host in (served.address, f"localhost:{served.port}", f"[::1]:{served.port}"):
        assert get(served, "/", Host=host)[0] == 200
    with served.page() as page:
        assert page.ask("games")["ok"]


def test_every_answer_has_the_headers_that_keep_others_out(served: Served):
    for path in ("/", "/main.js", "/nothing", "/ws"):
        _, headers, _ = get(served, path)
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert "server" not in headers


@pytest.mark.parametrize(
    "path",
    [
        "/../app.py",
        "/..%2fapp.py",
        "/%2e%2e/app.py",
        "/static/../../app.py",
        "/....//app.py",
        "//etc/passwd",
        "/%00",
        "/..\\app.py",
    ],
)
def test_no_path_leads_out_of_the_page(served: Served, path):
    status, _, body = get(served, path)
    assert status in (400, 403, 404)
    assert b"import" not in body
    assert b"root:" not in body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(served: Served, method):
    assert get(served, "/", method)[0] == 403


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Served]:
    """A server as if it listened at another address, which needs a token."""
    policy = Policy.of("0.0.0.0")
    assert len(policy.token) >= 32
    with serve(policy=policy) as running:
        yield running


def test_another_address_needs_the_token(elsewhere: Served):
    assert get(elsewhere, "/")[0] == 403
    assert get(elsewhere, "/?token=wrong")[0] == 403
    assert get(elsewhere, "/?token=")[0] == 403
    assert get(elsewhere, "/main.js")[0] == 403
    with pytest.raises(InvalidStatus):
        elsewhere.connect()
    with pytest.raises(InvalidStatus):
        elsewhere.connect(additional_headers={"Cookie": "ludens=x; =;;"})
    assert elsewhere.logged("refused, the token is missing or wrong")
    assert not elsewhere.logged_now(elsewhere.policy.token)


def test_the_token_goes_from_the_address_into_a_cookie(elsewhere: Served):
    token = elsewhere.policy.token
    status, headers, _ = get(elsewhere, f"/?token={token}&game=pyrga")
    assert status == 303
    assert headers["location"] == "/?game=pyrga"
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    name = cookie.partition(";")[0]
    assert get(elsewhere, "/", Cookie=name)[0] == 200
    with elsewhere.page(additional_headers={"Cookie": name}) as page:
        assert page.ask("games")["ok"]
    with pytest.raises(InvalidStatus):  # a cookie does not make a strange page ours
        elsewhere.connect("http://evil.example", additional_headers={"Cookie": name})


def test_a_server_everywhere_has_addresses_but_no_strange_names():
    policy = Policy.of("0.0.0.0")
    assert policy.allows_host("192.168.1.7:8642")
    assert policy.allows_host("[fe80::1]:8642")
    assert not policy.allows_host("evil.example:8642")
    at_one = Policy.of("192.168.1.7")
    assert at_one.allows_host("192.168.1.7:1")
    assert not at_one.allows_host("192.168.1.8")
    assert Policy.of("127.0.0.1").token == ""
    assert Policy.of("192.168.1.7").token != replace(at_one).token


def test_too_many_pages_are_refused_and_the_others_go_on(served: Served, monkeypatch):
    monkeypatch.setattr("ludens.web.limits.MAX_SOCKETS", 2)
    with served.page() as one, served.page():
        assert one.ask("games")["ok"]
        with pytest.raises(InvalidStatus):
            served.connect()
        assert served.logged("refused, 2 pages are open")
        assert one.ask("games")["ok"]
    with served.page() as page:
        assert page.ask("games")["ok"]


def test_another_route_is_no_socket(served: Served):
    for path in ("/", "/wss", "/ws/../x"):
        with pytest.raises(InvalidStatus):
            connect(
                f"ws://{served.address}{path}",
                origin=f"http://{served.address}",
                proxy=None,
            )
    with served.page() as page:
        assert isinstance(page, Page)
