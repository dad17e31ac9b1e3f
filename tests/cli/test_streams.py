"""Output that is closed, full or left by its reader: one line or silence."""

import errno
import os
import sys
from io import StringIO
from pathlib import Path

import pytest

from ludens.cli import run

FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
@pytest.mark.parametrize("arguments", [["games"], ["--help"], ["agents"]])
@pytest.mark.parametrize("buffering", [1, -1])
def test_a_full_output_is_one_line(
    arguments: list[str],
    buffering: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with FULL.open("w", buffering) as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert run(arguments) == 2
    assert capsys.readouterr().err == (
        "ludens: cannot write to standard output: No space left on device\n"
    )


def test_an_output_whose_reader_has_gone_is_left_in_silence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as output:
        monkeypatch.setattr(sys, "stdout", output)
        assert run(["games"]) == 1
    assert capsys.readouterr().err == ""


def test_a_closed_output_swallows_everything(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert run(["games"]) == 0
    sys.stdout.close()
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
def test_a_mistake_has_its_exit_code_even_if_nobody_can_be_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with FULL.open("w") as full:
        monkeypatch.setattr(sys, "stderr", full)
        assert run(["games", "nothing"]) == 2


def test_an_output_that_cannot_tell_where_it_is_is_written_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Lost(StringIO):
        def reconfigure(self, **_: object) -> None:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(sys, "stdout", output := Lost())
    assert run(["games"]) == 0
    assert "tic_tac_toe" in output.getvalue()
