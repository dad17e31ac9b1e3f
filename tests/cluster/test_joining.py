"""Who may join: the token, the address, the version and the rules; one line each."""

import os
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from played_shares import GAME, tiny_net

from ludens.cli import run as ludens
from ludens.cluster import nodes
from ludens.cluster.address import (
    check_address,
    environment,
    temporary_folder,
    why_failed,
)
from ludens.cluster.token import check_token, make_token
from ludens.cluster.wire import pack, unpack
from ludens.cluster.worker import Worker, why_refused
from ludens.errors import UserError

WISH = {"version": "1.0", "behaviour": "abc", "game": "gomoku"}


@pytest.fixture
def token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where a token of our own is."""
    monkeypatch.setenv("LUDENS_TOKEN", str(tmp_path / "deep" / "token"))
    return make_token()


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("open_umask")
def test_a_token_is_for_its_owner_alone_and_made_once(token: Path) -> None:
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    text = token.read_text()
    assert len(text) == 64
    assert make_token().read_text() == text


@pytest.mark.usefixtures("token")
def test_a_port_that_ray_keeps_for_itself_is_refused(
    tmp_path: Path, monkeypatch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("ray")
    monkeypatch.setattr(nodes, "node_folder", lambda: tmp_path)
    assert ludens(["cluster", "start", "--port", "16380"]) == 2
    said = "ludens: cannot take port 16380: Ray uses 10001 to 19999 itself\n"
    assert capsys.readouterr().err == said


def test_a_token_that_others_may_read_is_refused(token: Path) -> None:
    token.chmod(0o644)
    with pytest.raises(UserError, match="others may read the token: chmod 600"):
        check_token()


@pytest.mark.parametrize("text", ["", "short", "x" * 40 + "!", "y" * 2000])
def test_what_is_no_token_is_refused(token: Path, text: str) -> None:
    token.write_text(text)
    with pytest.raises(UserError, match="token"):
        check_token()


def test_ray_always_wants_a_token(token: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "of somebody else")
    found = environment()
    assert found["RAY_AUTH_MODE"] == "token"
    assert found["RAY_AUTH_TOKEN_PATH"] == str(token)
    assert "RAY_AUTH_TOKEN" not in found
    assert found["RAY_USAGE_STATS_ENABLED"] == "0"


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("nowhere", "cannot be at 'nowhere'; write auto or HOST:PORT"),
        (":6380", "cannot be at"),
        ("ray://host:10001", "cannot be at"),
        ("host:0", "cannot be at"),
        ("host:99999", "cannot be at"),
        ("host:" + "9" * 5000, "cannot be at"),
        ("127.0.0.1:1", "there is no cluster at 127.0.0.1:1: Connection refused"),
    ],
)
@pytest.mark.usefixtures("token")
def test_an_address_without_a_cluster_is_one_line(
    address: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("ray")
    run = tmp_path / "run"
    assert (
        ludens(["train", "tic_tac_toe", "--run", str(run), "--cluster", address]) == 2
    )
    error = capsys.readouterr().err
    assert why in error
    assert error.count("\n") == 1
    assert not run.exists()


def test_without_a_token_no_cluster_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray")
    monkeypatch.setenv("LUDENS_TOKEN", str(tmp_path / "none"))
    with pytest.raises(UserError, match="there is no token"):
        check_address("127.0.0.1:1")


@pytest.mark.parametrize(
    "words", ["train tic_tac_toe --run RUN", "match greedy random --game tic_tac_toe"]
)
def test_a_ray_that_cannot_be_imported_is_one_line(
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("ray")
    (tmp_path / "ray.py").write_text("raise ImportError('grpc is too old')")
    paths = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    run = tmp_path / "run"
    called = words.replace("RUN", str(run)).split()
    assert ludens([*called, "--cluster", "auto"]) == 2
    said = "cannot use the cluster auto: Ray cannot be imported: grpc is too old"
    assert capsys.readouterr().err.splitlines()[-1] == f"ludens: {said}"
    assert not run.exists()


def test_another_token_is_one_line() -> None:
    facts = {"kind": "ConnectionError", "why": "ran out of tries"}
    assert "is our token that of its head?" in why_failed("host:6380", facts)


@pytest.mark.usefixtures("token")  # which is not that of the head
def test_another_token_is_refused_before_anything_is_compiled(
    head: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    assert ludens(["train", "tic_tac_toe", "--run", str(run), "--cluster", head]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "is our token that of its head?" in error
    assert not run.exists()


@pytest.mark.parametrize(
    ("greeting", "why"),
    [
        ({"version": "1.0", "behaviour": "abc"}, ""),
        ({"version": "0.9", "behaviour": "abc"}, "it has ludens 0.9, not 1.0"),
        ({"version": "1.0", "behaviour": "x"}, "it has other rules of gomoku"),
        ({"error": "there is no game"}, "there is no game"),
        ({}, "it has ludens None, not 1.0"),
    ],
)
def test_another_version_or_other_rules_are_refused(
    greeting: dict[str, Any], why: str
) -> None:
    assert why_refused(greeting, WISH) == why


def test_a_worker_says_who_it_is_and_what_the_net_answers() -> None:
    wish = {"game": "tic_tac_toe", "behaviour": GAME.behaviour}
    net, question = tiny_net().to_bytes(), pack(wish)
    one, other = (
        unpack(Worker("cpu", "f32", 1).greet(question, net))[0] for _ in range(2)
    )
    assert one == other
    assert one["behaviour"] == GAME.behaviour
    assert (one["device"], one["precision"]) == ("cpu", "f32")
    assert len(one["answers"]) == 64


def test_a_worker_with_other_rules_is_refused_for_them_and_not_for_the_net() -> None:
    wish = {**WISH, "game": "tic_tac_toe", "version": version("ludens")}
    net = replace(tiny_net(), card=replace(tiny_net().card, behaviour="of others"))
    answer = Worker("cpu", "f32", 1).greet(pack(wish), net.to_bytes())
    assert why_refused(unpack(answer)[0], wish) == "it has other rules of tic_tac_toe"


def test_a_worker_without_the_game_says_so_in_one_line() -> None:
    answer = Worker("cpu", "f32", 1).greet(pack({"game": "no_such_game"}), b"")
    assert "no_such_game" in unpack(answer)[0]["error"]


def test_the_workers_of_a_cluster_are_listed(
    cluster: Any, head: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ludens(["cluster", "status", head]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["node", "address", "cores", "free"]
    assert lines[2].split()[:2] == ["worker", "ludens"]
    assert len(lines) == 5


def test_a_second_node_here_is_refused(
    head: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ludens(["cluster", "join", head]) == 2
    assert "runs here already" in capsys.readouterr().err


def test_nobody_else_looks_into_the_folder_of_a_node(head: str) -> None:
    folder = nodes.node_folder()
    assert list(folder.rglob("plasma_store*"))  # Ray lets everybody at its sockets
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.usefixtures("token")
def test_a_folder_that_somebody_else_has_made_is_refused(
    tmp_path: Path, monkeypatch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("ray")
    monkeypatch.setattr(nodes, "node_folder", lambda: tmp_path)
    monkeypatch.setattr(os, "getuid", lambda: tmp_path.stat().st_uid + 1)
    assert ludens(["cluster", "start", "--host", "127.0.0.1", "--port", "6399"]) == 2
    assert "belongs to somebody else" in capsys.readouterr().err


def test_sockets_have_short_names_where_the_usual_folder_has_a_long_one(
    monkeypatch: Any,
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/var/folders/zz/" + 30 * "x")
    assert temporary_folder() == "/tmp"


def test_without_a_node_there_is_nothing_to_stop(
    tmp_path: Path, monkeypatch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ludens.cluster.nodes.node_folder", lambda: tmp_path)
    assert ludens(["cluster", "stop"]) == 2
    assert "no node of a cluster was started here" in capsys.readouterr().err
