"""A training ends in the same bytes wherever it runs."""

import pytest

from faults import surroundings


def test_surroundings_change_no_byte() -> None:
    assert surroundings.run(1, seed=1).failures == []


def test_other_bytes_are_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = iter(range(9))

    def train(*_: object) -> dict[str, list[tuple[int, int]]]:
        return {"games": [(next(numbers), 1)]}

    monkeypatch.setattr(surroundings, "train", train)
    [failure] = surroundings.run(1, seed=1).failures
    assert failure.endswith("games differ")
