"""A fault, or a kill, at each system call: one line, nothing torn, and it goes on.

`strace` makes the calls fail: those of SQLite are made in C, where Python cannot reach.
"""

import mmap
import os
import random
import re
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from ludens.errors import UserError

from .acts import ACTS, Act
from .kept import Unhurt
from .outcome import Outcome
from .processes import end, scratch, start_talking

NUMBER = 50_000
"""More than there are: all are tried."""
FAULTS = ("ENOSPC", "EIO", "EDQUOT", "EROFS", "EMFILE", "ENOLCK", "EACCES")
KILL = "SIGKILL"
WRITING = ("write", "pwrite64", "fsync", "fdatasync", "ftruncate", "rename", "mkdir")
STAYS = ("ENOSPC", "EIO", "EDQUOT", "EROFS")
"""Such a fault of a call that writes lasts; others come once."""
READING = (
    *("openat", "open", "read", "pread64", "lseek", "getdents64", "readlink"),
    *("stat", "lstat", "fstat", "newfstatat", "statx", "access", "faccessat2"),
    *("fcntl", "flock", "unlink", "unlinkat", "rmdir", "chmod", "fchmod", "fchown"),
)
CALLS = ",".join(f"?{call}" for call in (*WRITING, *READING))
"""That touch files; one that this machine does not know is left out."""
DONE, REFUSED, FELL = 0, 2, 70
LONGEST_S = 120.0
_SAID_BYTES = 4096


@dataclass(frozen=True)
class Case:
    """Something that is done, and the call of it that fails."""

    act: str
    call: str
    when: int
    """The how manieth call of its kind."""
    fault: str

    @property
    def injection(self) -> str:
        """What strace is to do."""
        lasts = "+" if self.call in WRITING and self.fault in STAYS else ""
        how = "signal" if self.fault == KILL else "error"
        return f"inject={self.call}:{how}={self.fault}:when={self.when}{lasts}"


def run(n: int, seed: int, acts: Mapping[str, Act] = ACTS) -> Outcome:
    """Let calls fail, n of all that there are."""
    if not shutil.which("strace"):
        return Outcome("calls", 0, ["strace is not installed: nothing was tried"])
    with scratch() as folder, ExitStack() as stack:
        unhurt = Unhurt(Path(folder) / "unhurt")
        doubles = {name: Double(act) for name, act in acts.items()}
        for double in doubles.values():
            stack.callback(double.close)
        cases = [c for name in acts for c in cases_of(name, doubles, Path(folder))]
        chosen = random.Random(f"calls {seed}").sample(cases, min(n, len(cases)))
        found = [*_failures(chosen, doubles, Path(folder), unhurt)]
    return Outcome("calls", len(chosen), found)


def cases_of(name: str, doubles: Mapping[str, "Double"], folder: Path) -> list[Case]:
    """Return each call of an act with each fault."""
    target, log = folder / "counted", folder / "log"
    double = doubles[name]
    double.act.prepare(target)
    code, said = traced(double, target, ["-o", str(log), "-e", f"trace={CALLS}"])
    assert code == DONE, said
    shutil.rmtree(target)
    kinds = re.findall(r"^\d+ +(\w+)\(", log.read_text(), re.MULTILINE)
    return [
        Case(name, call, when, fault)
        for call, number in Counter(kinds).items()
        for when in range(1, number + 1)
        for fault in (*FAULTS, KILL)
    ]


def _failures(
    cases: list[Case], doubles: Mapping[str, "Double"], folder: Path, unhurt: Unhurt
) -> Iterator[str]:
    for number, case in enumerate(cases):
        target = folder / str(number)
        try:
            check(case, doubles[case.act], target, unhurt)
        except (AssertionError, UserError) as error:
            yield f"{case}: {error}"
        shutil.rmtree(target)
        _said(target).unlink()


def check(case: Case, double: "Double", folder: Path, unhurt: Unhurt) -> None:
    """Do something while a call fails, then again: it is refused in a line or done."""
    act = double.act
    act.prepare(folder)
    calls = f"trace={case.call}"
    code, said = traced(double, folder, ["-e", calls, "-e", case.injection])
    is_killed = case.fault == KILL and code == -signal.SIGKILL
    assert is_killed or code in (DONE, REFUSED), said or f"exit code {code}"
    assert said.isprintable(), f"more than a line: {said!r}"
    act.check(folder, unhurt, is_done=code == DONE)
    if code != DONE:
        act.do(folder)
        act.check(folder, unhurt, is_done=True)


def traced(double: "Double", folder: Path, words: list[str]) -> tuple[int, str]:
    """Do something under strace; return the exit code and the line that it ended in."""
    folder.mkdir(exist_ok=True)
    pid = double.begin(folder)
    command = ["strace", "-f", "-p", str(pid), *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as strace:
        assert strace.stderr is not None
        for line in strace.stderr:
            if "attached" in line:
                break
        else:
            os.kill(pid, signal.SIGKILL)
            raise UserError(f"strace cannot trace here: {line}")
        os.kill(pid, signal.SIGUSR1)
        strace.communicate(timeout=LONGEST_S)
    return double.end(), _said(folder).read_bytes().rstrip(b"\0").decode()


def _said(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.said")


class Double:
    """A process that has loaded all that an act needs, and forks to do it."""

    def __init__(self, act: Act) -> None:
        self.act = act
        self._process, self._line = start_talking(_fork_when_told, act)

    def begin(self, folder: Path) -> int:
        """Fork; return the process that will do the act when a signal comes."""
        self._line.send(folder)
        return int(self._line.recv())

    def end(self) -> int:
        """Return the exit code of the process that did it, -9 if it was killed."""
        return int(self._line.recv())

    def close(self) -> None:
        """Let the process end."""
        self._line.close()
        end(self._process)


def _fork_when_told(act: Act, line: Connection) -> None:
    """Do an act elsewhere, so that all is loaded; then fork each time it is asked."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})  # of all threads
    with scratch() as other:
        act.prepare(Path(other))
        act.do(Path(other))
    with suppress(EOFError):
        while True:
            folder = line.recv()
            _said(folder).write_bytes(bytes(_SAID_BYTES))
            pid = os.fork()
            if pid == 0:
                _do_when_told(act, folder)
            line.send(pid)
            line.send(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


def _do_when_told(act: Act, folder: Path) -> None:
    """Do something when a signal comes, and end with its exit code.

    What it ends in goes through memory that is shared: calls to write may fail.
    """
    with (
        _said(folder).open("r+b") as file,
        mmap.mmap(file.fileno(), 0) as shared,
    ):
        signal.sigwait({signal.SIGUSR1})
        code = DONE
        try:
            act.do(folder)
        except BaseException as error:
            code = REFUSED if isinstance(error, UserError) else FELL
            words = str(error) if code == REFUSED else repr(error)
            text = words.encode()[:_SAID_BYTES]
            shared[: len(text)] = text
        os._exit(code)
