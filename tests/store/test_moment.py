"""Figures from within an iteration: told every few seconds, and read with care."""

import json
import os
import time
from pathlib import Path

import pytest

from ludens.store.moment import FILE, Moment, Pulse, forget_now, read_now, write_now

MOMENT = Moment(3, "play", 5000, {"games": 20.0, "evals_per_s": 12_345.6})


def test_what_is_written_is_read_until_it_is_forgotten(tmp_path: Path) -> None:
    write_now(tmp_path, MOMENT)
    write_now(tmp_path, Moment(3, "learn", 7, {"loss": 2.0}))
    found = read_now(tmp_path)
    assert found == Moment(3, "learn", 7, {"loss": 2.0})
    assert found.words() == "iteration 3, learning, loss 2.000"
    assert MOMENT.words() == "iteration 3, playing, 12,346 evaluations/s"
    forget_now(tmp_path)
    assert read_now(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[" * 3000,
        '{"iteration": 1}',
        '{"iteration": 1, "phase": "sleep", "step": 1, "figures": {}}',
        '{"iteration": "1", "phase": "play", "step": 1, "figures": {}}',
        '{"iteration": 1, "phase": [], "step": 1, "figures": {}}',
        '{"iteration": 1, "phase": "play", "step": 1, "figures": {"loss": "x"}}',
        '{"iteration": 1, "phase": "play", "step": 1, "figures": {"loss": NaN}}',
        '{"iteration": 1, "phase": "play", "step": 1, "figures": [1]}',
        json.dumps(["x" * 5000]),
    ],
)
def test_nonsense_is_no_moment(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    assert read_now(tmp_path) is None


def test_what_a_killed_process_left_is_no_moment(tmp_path: Path) -> None:
    write_now(tmp_path, MOMENT)
    long_ago = time.time() - 3600
    os.utime(tmp_path / FILE, (long_ago, long_ago))
    assert read_now(tmp_path) is None


def test_a_link_is_neither_followed_nor_written(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("mine")
    (tmp_path / FILE).symlink_to(other)
    write_now(tmp_path, MOMENT)
    assert other.read_text() == "mine"
    assert read_now(tmp_path) is None


def test_figures_are_asked_for_only_when_it_is_time() -> None:
    told: list[Moment] = []
    pulse = Pulse(told.append, every_s=3600)
    pulse.beat(1, "play", 10, lambda: {"games": 1.0})
    pulse.beat(1, "play", 20, lambda: pytest.fail("it was told a moment ago"))
    assert [moment.step for moment in told] == [10]
