"""A process that does not hear a wish to stop is ended after a while."""

import subprocess
import sys

import pytest

SCRIPT = """
import os, signal, sys, time
from ludens.cli import stopping
stopping.PATIENCE_S = 0.2
with stopping.Stopping(lambda: "the last words") as hearing, hearing.patience():
    os.kill(os.getpid(), int(sys.argv[1]))
    print(hearing.should_stop(), flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize(("number", "code"), [(2, 130), (15, 143)])
def test_patience_has_an_end(number: int, code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(number)],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert (done.returncode, done.stderr) == (code, "")
    assert done.stdout == "True\nthe last words\n"
