"""Memory that grows and files that stay open are told from noise."""

import itertools
import os
import time

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
    assert soak.judge(samples(files_an_hour=9)).startswith("open files grow from ")
    assert soak.judge(samples()[:5]) == "5 samples are too few"


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
