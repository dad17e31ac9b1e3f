"""A fault at any call that touches files: one line, nothing torn, and it goes on."""

import errno
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from faults import calls
from faults.acts import ACTS, OnRun
from faults.kept import Unhurt
from ludens.cli.blame import one_line
from ludens.errors import UserError

OWN = ("fsync", "lstat", "mkdir", "open", "replace", "stat", "truncate", "unlink")
"""The calls that Python makes for the store; those of SQLite are made in C."""
STRIDE = 4
"""One of so many calls fails."""
needs_strace = pytest.mark.skipif(
    not shutil.which("strace"), reason="strace, which makes calls fail, is not there"
)


class Failing:
    """The calls of Python, one of which fails."""

    def __init__(self, when: int, number: int) -> None:
        self.left = when
        self._number = number

    def wrap(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def failing(*given: Any, **named: Any) -> Any:
            self.left -= 1
            if self.left == 0:
                raise OSError(self._number, os.strerror(self._number))
            return call(*given, **named)

        return failing

    def patch(self, patch: pytest.MonkeyPatch) -> None:
        for name in OWN:
            patch.setattr(os, name, self.wrap(getattr(os, name)))


@pytest.mark.parametrize("name", ["create", "commit games", "commit net", "resume"])
def test_a_fault_at_our_own_calls_is_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    act, unhurt = ACTS[name], Unhurt(tmp_path / "unhurt")
    when, is_reached = 1, True
    while is_reached:
        folder = tmp_path / str(when)
        folder.mkdir()
        act.prepare(folder)
        fault = calls.FAULTS[when // STRIDE % len(calls.FAULTS)]
        failing = Failing(when, getattr(errno, fault))
        why = ""
        with monkeypatch.context() as patch:
            failing.patch(patch)
            try:
                act.do(folder)
            except (UserError, OSError) as error:
                why = one_line(error) or "a traceback"
        assert why != "a traceback"
        act.check(folder, unhurt, is_done=not why)
        act.do(folder)
        act.check(folder, unhurt, is_done=True)
        is_reached, when = failing.left <= 0, when + STRIDE
    assert when > 3 * STRIDE


@needs_strace
def test_a_fault_at_any_system_call_is_one_line() -> None:
    some = {name: ACTS[name] for name in ("create", "commit net")}
    assert calls.run(4, seed=1, acts=some).failures == []


def fall(folder: Path) -> None:
    """Write a file without heed of what may go wrong."""
    (folder / "report.html").write_text("</html>")


def forget(folder: Path) -> None:
    """Take no notice of what went wrong."""
    try:
        (folder / "report.html").write_text("half <html> and half </html>")
    except OSError:
        (folder / "config.toml").unlink()


@needs_strace
@pytest.mark.parametrize("work", [fall, forget])
def test_a_traceback_and_a_torn_run_are_failures(work: Callable[[Path], None]) -> None:
    planted = {"planted": replace(ACTS["report"], work=work)}
    assert isinstance(planted["planted"], OnRun)
    assert calls.run(20, seed=1, acts=planted).failures


def test_without_strace_the_part_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    [line] = calls.run(1, seed=1).failures
    assert line == "strace is not installed: nothing was tried"
