"""Other people's programs: apart from ours, watched by a clock, ended for certain."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from ludens.errors import Forfeit, UserError

MAX_LINE = 4096
MAX_LINES = 1000
"""That wait to be heard; of a program that says more, the newest."""
MAX_SHOWN = 100
"""Characters of what a program has said, in a line about it."""
END_S = 1.0
"""For a program that has closed its output, until it is killed."""
SLICE_S = 0.05


class Program:
    """A program that speaks in lines, in a process group and a folder of its own.

    It is killed with its children by `close`, or when nobody has it any more.
    """

    def __init__(self, words: list[str]) -> None:
        folder = TemporaryDirectory(prefix="ludens-engine-", ignore_cleanup_errors=True)
        self.folder = Path(folder.name)
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                words,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                cwd=self.folder,
                start_new_session=True,
            )
        except OSError as error:
            folder.cleanup()
            raise Forfeit(f"it does not start: {error.strerror}") from None
        self._said: deque[str | None] = deque(maxlen=MAX_LINES)
        self._is_said = threading.Condition()
        self._errors: deque[str] = deque(maxlen=1)
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        hearing = (self._process.stdout, self._said, self._is_said)
        draining = (self._process.stderr, self._errors)
        self._threads = [
            threading.Thread(target=_hear, args=hearing, daemon=True),
            threading.Thread(target=_drain, args=draining, daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        self.close = weakref.finalize(self, _end, self._process, folder, self._threads)

    def say(self, *lines: str) -> None:
        """Send lines; whether they are read shows when an answer is due."""
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):
            self._process.stdin.write("".join(f"{line}\r\n" for line in lines).encode())
            self._process.stdin.flush()

    def hear(self, until_s: float) -> str | None:
        """Return the next line, None if there is none within a slice of time.

        Raise Forfeit if the program has ended, or the time of `time.perf_counter`
        is up.
        """
        with self._is_said:
            left_s = until_s - time.perf_counter()
            if not self._said and left_s > 0:
                self._is_said.wait(min(left_s, SLICE_S))
            if self._said:
                line = self._said.popleft()
            elif time.perf_counter() < until_s:
                return None
            else:
                raise Forfeit("it has not answered in time")
        if line is None:
            raise Forfeit(f"it has ended{self._last_words()}")
        return line

    def _last_words(self) -> str:
        """Return the exit code and the last line of the errors of a program."""
        with suppress(subprocess.TimeoutExpired):
            code = self._process.wait(END_S)
            self._threads[1].join(END_S)
            last = f": {self._errors[0]}" if self._errors else ""
            return f" with exit code {code}{last}"
        return ""


def read_command(text: str) -> list[str]:
    """Return the words of a command; files that it names are found from anywhere."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UserError(f"cannot read the command {text!r}: {error}") from None
    if not words:
        raise UserError("engine needs a command, such as engine:cmd=./pbrain-foo")
    found = shutil.which(words[0])
    if found is None:
        raise UserError(f"there is no program {words[0]!r} that can be run")
    rest = [str(Path(w).absolute()) if Path(w).is_file() else w for w in words[1:]]
    return [str(Path(found).absolute()), *rest]


def shown(text: str) -> str:
    """Return what a program has said, short and on one line."""
    plain = "".join(sign if sign.isprintable() else "?" for sign in text.strip())
    return plain if len(plain) <= MAX_SHOWN else f"{plain[:MAX_SHOWN]}..."


def _hear(
    stream: BinaryIO, said: deque[str | None], is_said: threading.Condition
) -> None:
    """Take in lines until the stream ends, which is a None."""
    line = b"?"
    while line:
        try:
            line = stream.readline(MAX_LINE)
        except (OSError, ValueError):
            line = b""
        with is_said:
            said.append(line.decode("utf-8", "replace") if line else None)
            is_said.notify_all()


def _drain(stream: BinaryIO, errors: deque[str]) -> None:
    """Keep the last line of a stream."""
    with suppress(OSError, ValueError):
        while line := stream.readline(MAX_LINE):
            if line.strip():
                errors.append(shown(line.decode("utf-8", "replace")))


def _end(
    process: "subprocess.Popen[bytes]",
    folder: "TemporaryDirectory[str]",
    threads: list[threading.Thread],
) -> None:
    """Kill a program with its children, and remove its folder."""
    with suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for thread in threads:  # they end with the pipes, whose last writers are dead
        thread.join(END_S)
    for pipe in (process.stdin, process.stdout, process.stderr):
        with suppress(OSError):
            assert pipe is not None
            pipe.close()
    folder.cleanup()
