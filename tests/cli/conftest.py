"""Run the command in this process: what it prints and its exit code."""

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from ludens.cli import main


@dataclass(frozen=True)
class Run:
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def _grade_no_net(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare trainings the longest part: to grade the net in all positions."""
    monkeypatch.setattr("ludens.cli.outcome.MOST_POSITIONS", 0)


@pytest.fixture
def ludens(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Run]:
    """Return a function that runs `ludens` with lines as its input."""
    monkeypatch.setenv("LUDENS_COMPILE", "0")  # compiled rules have tests of their own

    def run(*arguments: object, lines: str = "") -> Run:
        typed = "".join(f"{line}\n" for line in lines.split("|") if line)
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Run(int(left.value.code or 0), printed.out, printed.err)

    return run
