"""A training ends in the same bytes wherever it runs."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from faults import surroundings
from faults.sessions import Process, contents


def test_surroundings_change_no_byte(tmp_path: Path) -> None:
    """One is trained in a process that was forked, the other in a fresh one."""
    folder = tmp_path / "run"
    words = surroundings.arguments(folder, surroundings.Surroundings())
    with Process(words, tmp_path / "out") as process:
        assert process.end() == 0, process.out
    other = surroundings.make_surroundings(random.Random(1))
    found = surroundings.train(tmp_path / "other", replace(other, threads=1))
    assert found == contents(folder)


def test_other_bytes_are_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = iter(range(9))

    def train(*_: object) -> dict[str, list[tuple[int, int]]]:
        return {"games": [(next(numbers), 1)]}

    monkeypatch.setattr(surroundings, "train", train)
    [failure] = surroundings.run(1, seed=1).failures
    assert failure.endswith("games differ")
