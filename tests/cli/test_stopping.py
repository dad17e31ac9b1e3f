"""Ctrl-C and SIGTERM, from the first line of a command to its last."""

import os
import signal
import subprocess
import sys

import pytest

BOTH = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
AT_IMPORT = """
import os, sys
moment, number = sys.argv.pop(1), int(sys.argv.pop(1))
class Alarm:
    def find_spec(self, name, path=None, target=None):
        if name == moment:
            os.kill(os.getpid(), number)
sys.meta_path.insert(0, Alarm())
from ludens.__main__ import main
main()
"""
"""Runs a command, and sends a signal when it loads a module."""

SCRIPT = """
import os, signal, sys, time
from ludens.cli import stopping
stopping.PATIENCE_S = 0.2
with stopping.Stopping(lambda: "the last words") as hearing, hearing.patience():
    os.kill(os.getpid(), int(sys.argv[1]))
    print(hearing.should_stop(), flush=True)
    time.sleep(600)
"""

SOLVING = """
import os, signal, sys, threading, time
import numpy as np
from ludens import load_game
from ludens.solver.exact import Solver
solver = Solver(load_game("connect_four"), memory_mb=1)
table = solver._stack.table.view("u1")
def interrupt():
    while np.count_nonzero(table) < 10_000:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)
for _ in range(2):
    solver.forget()
    try:
        threading.Thread(target=interrupt, daemon=True).start()
        getattr(solver, sys.argv[1])(solver.game.new())
    except KeyboardInterrupt:
        print("heard")
"""
"""Asks for what takes hours, and interrupts it when the kernel is at work."""


def run_script(script: str, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run Python code in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", script, *words],
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize(("number", "code"), BOTH)
def test_patience_has_an_end(number: int, code: int) -> None:
    done = run_script(SCRIPT, str(int(number)))
    assert (done.returncode, done.stderr) == (code, "")
    assert done.stdout == "True\nthe last words\n"


@pytest.mark.parametrize(("number", "code"), BOTH)
@pytest.mark.parametrize(
    ("moment", "command"),
    [
        ("typer", "games"),
        ("numpy._core.multiarray", "games"),
        ("numba.core.typing", "play tic_tac_toe --vs random"),
        ("openvino._pyopenvino", "analyse tic_tac_toe --agent net"),
    ],
)
def test_a_signal_while_libraries_load_ends_the_command_without_a_word(
    moment: str, command: str, number: int, code: int
) -> None:
    words = [AT_IMPORT, moment, str(int(number)), *command.split()]
    done = run_script(*words)
    said = done.stderr.replace("Compiling tic_tac_toe (once) ...\n", "")  # a cold cache
    assert (done.returncode, done.stdout, said) == (code, "", "")


@pytest.mark.parametrize(("number", "code"), BOTH)
def test_a_signal_while_rules_compile_ends_the_command(tmp_path, number, code):
    with subprocess.Popen(
        [sys.executable, "-m", "ludens", "solve", "connect_four"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"LUDENS_CACHE": str(tmp_path / "cache")},
    ) as solving:
        assert solving.stderr is not None
        assert solving.stderr.readline().startswith("Compiling connect_four")
        solving.send_signal(number)
        out, err = solving.communicate(timeout=300)
    assert (solving.returncode, out, err) == (code, "", "")


@pytest.mark.parametrize("ask", ["solve", "value", "values"])
def test_exact_play_is_interrupted_and_can_be_asked_again(ask: str) -> None:
    done = run_script(SOLVING, ask)
    assert (done.returncode, done.stdout, done.stderr) == (0, "heard\nheard\n", "")


@pytest.mark.parametrize(("number", "code"), BOTH)
def test_a_signal_in_a_destructor_is_not_swallowed(number: int, code: int) -> None:
    script = (
        "import os, sys\nfrom ludens import signals\nsignals.hear()\n"
        "class Dying:\n"
        "    def __del__(self): os.kill(os.getpid(), int(sys.argv[1]))\n"
        "Dying()\nprint('it goes on')\n"
    )
    done = run_script(script, str(int(number)))
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")


def test_a_signal_that_is_ignored_stays_so() -> None:
    script = (
        "import os, signal\nfrom ludens import signals\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\nsignals.hear()\n"
        "os.kill(os.getpid(), signal.SIGINT)\nprint('it goes on')\n"
    )
    assert run_script(script).stdout == "it goes on\n"
