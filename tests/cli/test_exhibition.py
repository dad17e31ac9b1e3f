"""`ludens play --watch`: an agent plays, somebody looks on."""

import os
import pty
import signal
import subprocess
import sys
from select import select
from time import monotonic

import pytest

COMMAND = [sys.executable, "-m", "ludens"]


def test_every_position_is_printed_into_a_pipe(ludens):
    ran = ludens("play", "tic_tac_toe", "--watch", "--vs", "greedy", "--seed", 4)
    assert (ran.code, ran.err) == (0, "")
    assert "\x1b" not in ran.out
    captions = [line for line in ran.out.splitlines() if line.startswith("Move ")]
    assert captions[0].startswith("Move 1, player 0: ")
    assert captions[1].startswith("Move 2, player 1: ")
    assert ran.out.count("  a b c\n") == len(captions) + 1
    assert ran.out.endswith(f" after {len(captions)} moves.\n")


def test_a_puzzle_shows_its_score(ludens):
    ran = ludens("play", "triangle", "--watch", "--vs", "random", "--seed", 4)
    lines = ran.out.splitlines()
    assert lines[0] == "The start.  Score 0."
    moves = [line for line in lines if line.startswith("Move ")]
    score = moves[-1].rpartition("Score ")[2].rstrip(".")
    end = f"Game over: score {score} after {len(moves)} moves (no shape fits)."
    assert lines[-1] == end
    again = ludens("play", "triangle", "--watch", "--vs", "random", "--seed", 4)
    assert again == ran


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("--watch --vs human", "--watch shows an agent; name one by --vs"),
        ("--watch --vs rndom", "there is no agent 'rndom'; did you mean 'random'?"),
        ("--watch --pace -1", "Invalid value for '--pace'"),
        ("--vs random", "triangle is for one player: leave --vs out, or add --watch"),
    ],
)
def test_a_mistake_is_one_line(ludens, arguments, complaint):
    ran = ludens("play", "triangle", *arguments.split())
    assert (ran.code, ran.out) == (2, "")
    assert complaint in ran.err
    assert ran.err.count("\n") == 1


def test_a_terminal_is_redrawn_and_left_by_ctrl_c():
    screen, keyboard = pty.openpty()
    plain = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    command = "play triangle --watch --vs random --seed 4 --pace 0.05"
    game = subprocess.Popen(
        [*COMMAND, *command.split()],
        stdin=keyboard,
        stdout=keyboard,
        stderr=keyboard,
        env={**plain, "TERM": "xterm", "LUDENS_COMPILE": "0"},
    )
    os.close(keyboard)
    seen = read_until(screen, "Move 2")
    game.send_signal(signal.SIGINT)
    seen += read_until(screen, "never shown")
    os.close(screen)
    assert game.wait(timeout=120) == 130
    assert seen.count("\x1b[H") >= 3
    assert "triangle, played by random. Ctrl-C leaves." in seen
    assert "Traceback" not in seen
    assert " into the game." in seen.splitlines()[-1]


def read_until(screen: int, text: str) -> str:
    """Read what a terminal shows until a text appears, or nobody writes any more."""
    seen = b""
    end = monotonic() + 120
    while text.encode() not in seen and monotonic() < end:
        if select([screen], [], [], 1)[0]:
            try:
                seen += os.read(screen, 4096)
            except OSError:  # how Linux says that the other end is closed
                break
    return seen.decode()
