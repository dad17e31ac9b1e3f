"""Messages that no page sends: refused in a line, logged, others unaffected."""

import json
import os
import socket
import time
from contextlib import suppress

import pytest
from websockets.exceptions import ConnectionClosed

from faults.hostile_messages import NONSENSE
from faults.made_runs import make_run
from ludens.web import limits
from ludens.web.library import Library
from served import Page, Served, sent, serve


@pytest.mark.parametrize("text", NONSENSE)
def test_nonsense_gets_a_line_and_the_page_lives_on(served: Served, page: Page, text):
    page.line.send(text)
    answer = page.hear()
    assert answer["error"].startswith("cannot read the message: ")
    assert "\n" not in answer["error"]
    assert len(answer["error"]) < 400
    assert page.ask("games")["ok"]
    assert served.logged("refused, cannot read the message")


def test_bytes_are_no_message(page: Page):
    page.line.send(b"\xff\xfe\x00")
    assert "error" in page.hear()
    assert page.ask("games")["ok"]


def test_a_bad_message_is_answered_with_its_id(page: Page):
    page.line.send('{"id": 77, "do": "dance"}')
    assert page.hear()["id"] == 77


def oversend(page: Page, size: int) -> None:
    """Send too much at once; the server may cut it off before all of it is sent."""
    page.line.send('"' + "x" * size + '"')
    page.hear()


@pytest.mark.parametrize("size", [limits.MAX_MESSAGE_BYTES + 1, 3_000_000])
def test_an_oversized_message_closes_that_page_only(served: Served, page: Page, size):
    with served.page() as rude, pytest.raises(ConnectionClosed):
        oversend(rude, size)
    assert page.ask("games")["ok"]
    assert served.logged("a message was too long")


def test_many_steps_and_long_words_are_refused(page: Page):
    game = {"spec": "tic_tac_toe", "history": [0] * (limits.MAX_STEPS + 1)}
    assert "cannot read" in page.ask("position", game=game)["error"]
    long = {"spec": "x" * (limits.MAX_WORDS + 1)}
    assert "cannot read" in page.ask("position", game=long)["error"]
    game = {"spec": "tic_tac_toe"}
    text = "y" * (limits.MAX_WORDS + 1)
    assert "cannot read" in page.ask("edit", game=game, text=text)["error"]


@pytest.mark.parametrize("sims", [0, -1, 10**9, 10**30, 1.5, "many", None, True])
def test_simulations_have_a_limit(page: Page, sims):
    game = {"spec": "tic_tac_toe"}
    in_message = page.ask("analyse", game=game, agent="mcts", sims=sims)
    if sims is None:  # not named
        assert in_message["ok"]
        return
    assert "error" in in_message
    assert "error" in page.ask("analyse", game=game, agent=f"mcts:sims={sims}")


@pytest.mark.parametrize("seconds", [0, -1, 1e9, "long", float("inf"), float("nan")])
def test_seconds_have_a_limit(page: Page, seconds):
    game = {"spec": "tic_tac_toe"}
    for do in ("move", "analyse"):
        assert "error" in page.ask(do, game=game, agent="mcts", seconds=seconds)
    assert "error" in page.ask("solve", game=game, seconds=seconds)
    if not isinstance(seconds, str) and seconds != 0:
        text = f"mcts:seconds={seconds}"
        assert "error" in page.ask("analyse", game=game, agent=text)


@pytest.mark.parametrize(
    "agent",
    [
        "mcts:memory_mb=100000",
        "mcts:max_nodes=1000000000",
        "mcts:rollouts=1000000",
        "mcts:rollout_plies=9",
        "net:device=cuda",
        "net:cache_size=1000000000",
        "net:leaf_batch=100000",
        "net:weights=/etc/passwd",
        "net:weights=../../../etc/passwd",
        "net:weights=x.safetensors",
        "net:weights=nothing@3",
        "net:weights=.",
        "net:weights=..",
        "lookahead:x=1",
        "human",
        "__class__",
        "",
    ],
)
def test_agents_have_only_the_settings_of_a_page(served: Served, page: Page, agent):
    game = {"spec": "connect_four"}
    answer = page.ask("move", game=game, agent=agent)
    assert "error" in answer
    assert "passwd" not in answer["error"] or "there is no run" in answer["error"]
    assert page.ask("games")["ok"]


@pytest.mark.parametrize(
    "spec",
    [
        "/etc/passwd",
        "../games/gomoku",
        "gomoku.py",
        "/tmp/evil.py",
        "os",
        "_cards",
        "gomoku:size=__import__('os')",
        "triangle:playable=" + "0-9/" * 70,
        "<script>alert(1)</script>",
        "gomoku\x00",
        "",
    ],
)
def test_only_listed_games_can_be_named(page: Page, spec, tmp_path):
    answer = page.ask("position", game={"spec": spec})
    assert "error" in answer
    assert "\n" not in answer["error"]


def test_a_rules_file_is_not_run_because_a_client_names_it(page: Page, tmp_path):
    trap = tmp_path / "trap.py"
    trap.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\n", encoding="utf-8")
    record = {"format": "ludens-record-1", "game": "trap", "history": []}
    asked = [
        ("position", {"game": {"spec": str(trap)}}),
        ("position", {"game": {"spec": os.path.relpath(trap)}}),
        ("read", {"text": json.dumps(record)}),
        ("read", {"text": json.dumps(record | {"game": str(trap)})}),
        ("read", {"name": str(trap)}),
        ("read", {"text": "a1", "spec": str(trap)}),
    ]
    for do, rest in asked:
        assert "error" in page.ask(do, **rest)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    "name", ["..", ".", "/", "/etc", "../here", "a/b", "", "nul\0"]
)
def test_only_listed_runs_can_be_named(tmp_path, monkeypatch, name):
    runs = tmp_path / "runs"
    monkeypatch.setenv("LUDENS_RUNS", str(runs))
    make_run(tmp_path / "here", 1).close()
    runs.mkdir()
    with serve() as served, served.page() as page:
        answer = page.ask("run", name=name)
        assert answer["error"].startswith("there is no run ")
        assert str(tmp_path) not in json.dumps(answer)
        assert served.logged("refused, there is no run")


def test_only_so_many_sets_of_options_are_compiled(tmp_path, monkeypatch):
    monkeypatch.setattr("ludens.web.library.MAX_OPTION_SETS", 2)
    monkeypatch.setenv("LUDENS_CACHE", str(tmp_path))
    with serve() as served, served.page() as page:
        for size in (5, 6):
            assert page.position(f"gomoku:size={size}")
        kept = set(tmp_path.iterdir())
        for size in (7, 8, 9):
            answer = page.ask("position", game={"spec": f"gomoku:size={size}"})
            assert answer["error"].startswith(f"no room for gomoku:size={size}: ")
        assert served.logged("refused, no room for gomoku:size=7")
        assert set(tmp_path.iterdir()) == kept
        assert page.position("gomoku:rule=freestyle,size=05")["spec"] == "gomoku:size=5"
        assert page.position("tic_tac_toe")


def test_a_script_in_a_name_stays_a_text(page: Page):
    at = page.position("tic_tac_toe", "b2")
    players = ["<script>alert(1)</script>", "\u202e</title>"]
    answer = page.ask("record", game=sent(at), players=players)
    assert answer["record"]["players"] == players


def test_a_line_break_cannot_forge_a_line_of_the_log(served: Served, page: Page):
    page.ask("position", game={"spec": "a\nall is well\x1b[2J"})
    page.ask("tree", game={"spec": "pyrga"}, agent="b\nall is well\x1b[2J")
    assert served.logged("there is no game 'a")
    assert served.logged("there is no agent 'b")
    assert not any("\n" in line or "\x1b" in line for line in served.log)


def flood(page: Page) -> None:
    """Send and send, then listen, until the server has enough."""
    for _ in range(5_000):
        page.send("position", game={"spec": "tic_tac_toe"})
    while True:
        page.hear()


def test_a_flood_closes_that_page_only(served: Served, page: Page):
    with served.page() as rude, pytest.raises(ConnectionClosed):
        flood(rude)
    assert served.logged("closed, a flood of messages")
    assert page.ask("games")["ok"]


def test_only_so_much_goes_on_at_once(page: Page):
    game = {"spec": "connect_four"}
    numbers = [
        page.send("move", game=game, agent="mcts", seconds=60)
        for _ in range(limits.MAX_JOBS + 1)
    ]
    [*_, answer] = page.follow(numbers[-1])
    assert answer["error"].startswith("too much goes on")
    for number in numbers:
        page.send("stop", of=number)
    assert page.ask("games")["ok"]


def test_an_id_that_is_in_use_is_refused(page: Page):
    message = {"id": 9, "do": "move", "agent": "mcts", "seconds": 60}
    message["game"] = {"spec": "connect_four"}
    page.line.send(json.dumps(message))
    page.line.send(json.dumps(message))
    assert page.hear() == {"id": 9, "error": "the id 9 is in use"}


def test_a_page_that_reads_nothing_holds_up_nobody(served: Served, page: Page):
    with served.page() as lazy:
        at = lazy.position("tic_tac_toe", "a1")
        for _ in range(100):
            lazy.send("position", game=sent(at))
        lazy.send("analyse", game=sent(at), agent="mcts", seconds=3)
        began_s = time.monotonic()
        assert page.ask("games")["ok"]
        assert time.monotonic() - began_s < 60


def test_torn_and_wrong_handshakes_leave_the_server_well(served: Served, page: Page):
    for content in (
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET /ws HTTP/1.1\r\nHost: x\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
        b"A: b\r\n" * 1000,
    ):
        with socket.create_connection(("127.0.0.1", served.port)) as line:
            line.sendall(content)
            line.shutdown(socket.SHUT_WR)
            with suppress(ConnectionError):
                assert b"Traceback" not in line.recv(4096)
    assert page.ask("games")["ok"]


def test_a_broken_game_of_a_user_hides_no_other(tmp_path):
    broken = tmp_path / "broken.py"
    broken.write_text("this is not Python", encoding="utf-8")
    with serve(Library([broken])) as served, served.page() as page:
        games = {game["name"]: game for game in page.ask("games")["games"]}
        assert "does not load" in games["broken.py"]["trouble"]
        assert games["pyrga"]["players"] == 2
        assert "error" in page.ask("position", game={"spec": "broken.py"})
