"""Threads follow the cores that a process may use, not those of the machine."""

import os
import platform
import subprocess
import sys

import pytest

from ludens import cores

THREADS = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
import torch
from ludens.learn.learner import set_threads
from ludens.loading.game import load_game
from ludens.search.config import SearchConfig
from ludens.search.search import Search
from ludens.web.desk import Desk
from ludens.web.library import Library
set_threads(0)
search = Search(load_game("tic_tac_toe", compiled=False), SearchConfig(), 8, threads=0)
desk = Desk(Library())
print(torch.get_num_threads(), len(search._groups), desk.crew.num_threads)
desk.close()
"""
HEAPS = """
import ctypes, threading
from ludens.cores import keep_one_heap
keep_one_heap()
thread = threading.Thread(target=lambda: bytes(100_000))
thread.start()
thread.join()
ctypes.CDLL(None).malloc_stats()
"""
SMALL = """
import ctypes
import numpy as np
from ludens.cores import fill_small_blocks
class Memory(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "abcdefghij"]
ask = ctypes.CDLL(None).mallinfo2
ask.restype = Memory
fill_small_blocks()
before = ask().h
for size in range(1, 128):
    [np.zeros(size) for _ in range(7)]
print(ask().h - before)
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs Linux")
def test_a_process_on_one_core_has_one_thread_for_each_task():
    done = subprocess.run(
        [sys.executable, "-c", THREADS], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["1", "1", "1"]


@pytest.mark.parametrize(
    ("limits", "most"),
    [
        ({"": "max 100000"}, 64),
        ({"": "150000 100000"}, 2),
        ({"pod/box": "max 100000", "pod": "300000 100000", "": "max 100000"}, 3),
        ({"pod/box": "20000 100000"}, 1),
        ({"pod/box": "nonsense"}, 64),
        ({}, 64),
    ],
)
def test_a_container_has_the_cores_that_its_time_amounts_to(
    tmp_path, monkeypatch, limits, most
):
    own = tmp_path / "cgroup"
    own.write_text("1:cpu:/old\n0::/pod/box\n" if "pod/box" in limits else "0::/\n")
    for group, limit in limits.items():
        (tmp_path / group).mkdir(parents=True, exist_ok=True)
        (tmp_path / group / "cpu.max").write_text(f"{limit}\n")
    monkeypatch.setattr(cores, "CGROUPS", tmp_path)
    monkeypatch.setattr(cores, "_OWN_GROUP", own)
    monkeypatch.setattr(os, "process_cpu_count", lambda: 64, raising=False)
    assert cores.num_cores() == most


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc")
def test_threads_have_their_memory_from_one_heap_where_that_is_wanted():
    words = [sys.executable, "-c", HEAPS]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stderr.count("Arena ") == 1


@pytest.mark.skipif(platform.libc_ver() < ("glibc", "2.33"), reason="needs mallinfo2")
def test_small_arrays_of_new_sizes_take_no_more_memory_where_that_is_wanted():
    words = [sys.executable, "-c", SMALL]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 10_000  # NumPy would keep half a megabyte
