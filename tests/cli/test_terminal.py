"""The real command on a real terminal, and in a pipe."""

import os
import pty
import subprocess
import sys
from contextlib import suppress
from select import select
from time import monotonic

COMMAND = [sys.executable, "-m", "ludens"]
PLAY = [*COMMAND, "play", "tic_tac_toe", "--vs", "human"]
PAINTED_X = "\x1b[36mX\x1b[0m"


def read_until(screen: int, text: str, again: str = "") -> str:
    """Read what a terminal shows until a text appears (or nobody writes any more).

    `again` is typed once more after a silence, as people do: a Ctrl-C in the instant
    after the prompt can get lost in Python's readline.
    """
    seen = b""
    end = monotonic() + 120
    with suppress(OSError):  # how Linux says that the other end is closed
        while text.encode() not in seen and monotonic() < end:
            if select([screen], [], [], 1)[0]:
                seen += os.read(screen, 4096)
            else:
                os.write(screen, again.encode())
    return seen.decode()


def play_on_terminal(typed: list[str], **environment: str) -> tuple[str, int]:
    """Type one text at each prompt; return what was seen and the exit code."""
    screen, keyboard = pty.openpty()
    plain = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    game = subprocess.Popen(
        PLAY,
        stdin=keyboard,
        stdout=keyboard,
        stderr=keyboard,
        env={**plain, "TERM": "xterm", "LUDENS_COMPILE": "0", **environment},
        start_new_session=True,
        preexec_fn=_own_terminal,
    )
    os.close(keyboard)
    seen = ""
    for text in typed:
        seen += read_until(screen, "> ")
        os.write(screen, text.encode())
    seen += read_until(screen, "never shown", again=typed[-1])
    os.close(screen)
    return seen, game.wait(timeout=120)


def _own_terminal() -> None:
    """Make the terminal the one whose Ctrl-C reaches this process."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_a_terminal_gets_colours():
    seen, code = play_on_terminal(["b2\n", "quit\n"])
    assert PAINTED_X in seen
    assert code == 0


def test_no_color_is_respected():
    seen, code = play_on_terminal(["b2\n", "quit\n"], NO_COLOR="1")
    assert "2 . X .\r\n" in seen
    assert PAINTED_X not in seen
    assert code == 0


def test_control_c_and_control_d_leave_politely():
    for key, expected in (("\x03", 130), ("\x04", 0)):
        seen, code = play_on_terminal(["b2\n", key])
        assert "Left 1 move into the game." in seen
        assert "Traceback" not in seen
        assert code == expected


def test_a_pipe_gets_no_colours():
    ran = subprocess.run(
        PLAY, input=b"b2\n\xff\x00\nquit\n", capture_output=True, timeout=60, check=True
    )
    assert b"2 . X .\n" in ran.stdout
    assert b"\x1b" not in ran.stdout
    assert b"Traceback" not in ran.stderr
