"""What this process takes of the machine: cores it may use, heaps it has."""

import ctypes
import math
import os
import sys
from contextlib import suppress
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
_OWN_GROUP = Path("/proc/self/cgroup")
_MOST_HEAPS = -8
"""M_ARENA_MAX of glibc's mallopt."""
_SMALL_BYTES, _KEPT_BLOCKS = 1024, 7
"""What NumPy keeps of freed arrays: so many of each size below this one."""


def num_cores() -> int:
    """Return how many cores this process may use (`taskset`, containers)."""
    if hasattr(os, "process_cpu_count"):  # Python 3.13
        allowed = os.process_cpu_count()
    elif hasattr(os, "sched_getaffinity"):
        allowed = len(os.sched_getaffinity(0))
    else:
        allowed = os.cpu_count()
    return max(1, math.ceil(min(allowed or 1, _quota())))


def _quota() -> float:
    """Return how many cores the process's control groups (version 2) grant it."""
    granted = [math.inf]
    with suppress(OSError, ValueError):
        path = _OWN_GROUP.read_text().rpartition("0::/")[2].strip()
        own = CGROUPS / path
        for group in (own, *own.parents)[: len(Path(path).parts) + 1]:
            with suppress(OSError):  # the topmost group has no limits
                time_us, period_us = (group / "cpu.max").read_text().split()
                if time_us != "max":
                    granted.append(int(time_us) / int(period_us))
    return min(granted)


def keep_one_heap() -> None:
    """Let all threads have their memory from one heap; call it before they begin.

    glibc makes several, and what is free in one is of no use to the others: a training
    that begins threads again and again grew by 3 kB with each iteration.
    """
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is not None:  # there are other libraries of C
            mallopt(_MOST_HEAPS, 1)


def fill_small_blocks() -> None:
    """Let NumPy have the blocks that it keeps for small arrays, side by side.

    It takes them one by one, 3.6 MB in all, when a size is freed for the first time. In
    a training that goes on for hours, lying between other things they kept 5 kB from
    being given back with each iteration.
    """
    import numpy as np

    for size in range(1, _SMALL_BYTES):
        [np.empty(size, np.uint8) for _ in range(_KEPT_BLOCKS)]
