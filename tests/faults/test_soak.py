"""Memory that grows and files that stay open are told from noise."""

import itertools
import os
import random
import time
from dataclasses import replace

import pytest

from faults import serving, soak
from faults.soak import Sample


def samples(mb_an_hour: float = 0.0, files_an_hour: float = 0.0) -> list[Sample]:
    """Return an hour in which memory goes up and down, and grows."""
    hours = [number / 120 for number in range(120)]
    noise = itertools.cycle((0.0, 3.0, -2.0, 1.0, -3.0))
    return [
        Sample(h, 200 + h * mb_an_hour + next(noise), 30 + int(h * files_an_hour))
        for h in hours
    ]


def test_noise_is_not_growth() -> None:
    assert soak.judge(samples()) == ""


def test_what_grows_is_a_failure() -> None:
    assert soak.judge(samples(mb_an_hour=8)).startswith("memory grows by ")
    assert soak.judge(samples(mb_an_hour=1.1)).startswith("memory grows by 1.1 ")
    assert soak.judge(samples(files_an_hour=9)).startswith("open files grow from ")
    assert soak.judge(samples()[:5]) == "5 samples are too few"


def test_what_is_too_noisy_to_tell_is_a_failure() -> None:
    rng = random.Random(1)
    noisy = [replace(s, megabytes=rng.gauss(200, 9)) for s in samples()]
    assert soak.judge(noisy).startswith("memory grows by ")


def test_a_leak_is_seen_from_outside() -> None:
    before = soak.sample(os.getpid(), time.monotonic())
    kept = [bytearray(os.urandom(4_000_000)), os.open(os.devnull, os.O_RDONLY)]
    after = soak.sample(os.getpid(), time.monotonic())
    os.close(kept[1])
    assert after.files == before.files + 1
    assert after.megabytes > before.megabytes + 2


def test_a_visit_asks_for_everything_and_may_be_left() -> None:
    with serving.serving() as address:
        for leaves in (True, False):
            soak.look_around(address, leaves)


def test_memory_for_analyses_that_are_left_is_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(soak.ANALYSIS, "game", {"spec": "tic_tac_toe"})
    with serving.serving() as address:
        assert soak.leave(os.getpid(), address, 2) == ""
        monkeypatch.setattr(soak, "MOST_LEFT_MB", -1)
        assert soak.leave(os.getpid(), address, 1).startswith("memory grew by ")
