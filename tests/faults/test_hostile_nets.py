"""Made-up nets are refused by what their header says, before they are read."""

import tracemalloc
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from faults import hostile_nets
from faults.refusals import why_not_refused
from ludens.errors import UserError
from ludens.nets.weights import load_net, save_net


def test_made_up_nets_are_refused_in_a_line() -> None:
    assert hostile_nets.run(15, seed=2).failures == []


def test_a_net_that_is_let_in_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def unchecked(kinds: Mapping[str, Any], texts: Mapping[str, str]) -> None:
        return None

    monkeypatch.setattr("ludens.nets.weights._checker", lambda source: unchecked)
    assert hostile_nets.run(10, seed=2).failures


def test_a_traceback_and_a_steered_terminal_are_failures() -> None:
    def stumble() -> None:
        raise RecursionError

    assert why_not_refused(stumble, 0).startswith("RecursionError")
    assert why_not_refused(lambda: None, 0) == "it was not refused"


def test_a_large_net_is_refused_before_it_is_read(tmp_path: Path) -> None:
    header, content = hostile_nets.honest_parts()
    size = 300_000_000
    spans = [span for name, span in header.items() if name != "__metadata__"]
    last = max(spans, key=lambda span: span["data_offsets"])
    last["data_offsets"][1] += size
    last["shape"] = [(last["data_offsets"][1] - last["data_offsets"][0]) // 4]
    path = tmp_path / "net.safetensors"
    path.write_bytes(hostile_nets.file_of(header, content))
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size + size)
    tracemalloc.start()
    try:
        with pytest.raises(UserError, match="its tensors do not fit its card"):
            load_net(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10_000_000


def test_what_is_read_can_be_written_to(tmp_path: Path) -> None:
    save_net(hostile_nets.honest_net(), tmp_path / "net.safetensors")
    for tensor in load_net(tmp_path / "net.safetensors").tensors.values():
        tensor += np.float32(1)
