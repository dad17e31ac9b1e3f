"""The number of cores this process may use."""

import math
import os
from contextlib import suppress
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
_OWN_GROUP = Path("/proc/self/cgroup")


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
