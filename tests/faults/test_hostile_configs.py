"""Made-up settings are refused in a line, soon."""

import errno
import tomllib

import pytest

from faults import hostile_configs
from ludens.cli.blame import one_line


def test_made_up_settings_are_refused_in_a_line() -> None:
    assert hostile_configs.run(60, seed=3).failures == []


def test_settings_that_are_let_in_are_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hostile_configs, "read_settings", lambda path: None)
    assert hostile_configs.run(20, seed=3).failures


def test_a_reader_that_stumbles_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        hostile_configs, "read_settings", lambda path: tomllib.loads(path.read_text())
    )
    assert any(
        "DecodeError" in line for line in hostile_configs.run(20, seed=3).failures
    )


@pytest.mark.parametrize(
    "error", [MemoryError("1 TiB"), OSError(errno.ENOMEM, "Cannot allocate memory")]
)
def test_too_little_memory_is_a_line(error: Exception) -> None:
    assert str(one_line(error)).startswith("the memory is not enough: ")
