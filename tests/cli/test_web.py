"""`ludens web` and `ludens play --web`, as commands."""

import gc
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from contextlib import contextmanager

import pytest
from uvicorn import Server
from websockets.sync.client import connect

COMMAND = [sys.executable, "-m", "ludens"]


@contextmanager
def running(*arguments):
    """Start a command; give its process and the address it prints."""
    process = subprocess.Popen(
        [*COMMAND, *arguments, "--no-open", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"LUDENS_COMPILE": "0"},
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + process.communicate()[1]
        yield process, found[0]
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
def test_the_page_is_served_until_a_signal(number, code):
    with running("web") as (process, address):
        with urllib.request.urlopen(address) as answer:
            assert b"<html" in answer.read().lower()
        host = address.removeprefix("http://").rstrip("/")
        with connect(f"ws://{host}/ws", origin=f"http://{host}", proxy=None) as line:
            line.send('{"id": 1, "do": "position", "game": {"spec": "pyrga"}}')
            assert json.loads(line.recv())["position"]["spec"] == "pyrga"
        process.send_signal(number)
        _, err = process.communicate(timeout=300)
        assert (process.returncode, err) == (code, "")


def test_play_on_the_web_asks_for_the_game(tmp_path):
    with running("play", "gomoku:size=9", "--web", "--vs", "random", "--seed", "3") as (
        _,
        address,
    ):
        query = address.partition("?")[2]
        assert query == "game=gomoku%3Asize%3D9&vs=random&side=first&seed=3"


def test_another_address_prints_its_token():
    with running("web", "--host", "0.0.0.0") as (_, address):
        assert re.search(r"/\?token=[\w-]{32}$", address)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("web", "nothing.py"), "there is no file nothing.py"),
        (("web", "nothing.png"), "is neither rules (.py) nor a saved game (.json"),
        (("web", "--host", "300.1.1.1"), "cannot listen at 300.1.1.1"),
        (("play", "chess", "--web"), "there is no game 'chess'"),
    ],
)
def test_a_mistake_is_one_line(ludens, arguments, words):
    ran = ludens(*arguments, "--no-open")
    assert ran.code == 2
    assert words in ran.err
    assert len(ran.err.splitlines()) == 1


def test_garbage_of_visits_is_sought_apart_from_all_that_was_loaded(
    ludens, monkeypatch
):
    frozen = []
    monkeypatch.setattr(
        Server, "run", lambda _, sockets: frozen.append(gc.get_freeze_count())
    )
    try:
        assert ludens("web", "--no-open", "--port", "0", "--threads", "1").code == 0
    finally:
        gc.unfreeze()
    assert frozen[0] > 1000
