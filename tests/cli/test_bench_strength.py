"""`ludens bench strength`: a net is measured by a command."""

import json
from pathlib import Path

import pytest

from ludens.loading.game import load_game
from ludens.nets.config import NetConfig
from ludens.nets.weights import new_net, save_net

TINY = NetConfig(trunk="mlp", blocks=1, channels=8, hidden=8)


def test_a_file_is_measured(ludens, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LUDENS_COMPILE", "1")
    path = tmp_path / "net.safetensors"
    save_net(new_net(load_game("connect_four"), TINY, 0), path)
    few = ("--agent", "net:sims=8", "--positions", 4)
    ran = ludens("bench", "strength", "connect_four", "--net", path, *few, "--json")
    (found,) = json.loads(ran.out)
    assert found["net"] == "iteration 0"
    assert [f["player"] for f in found["figures"]] == 6 * ["net alone", "8 sims"]
    assert {f["num"] for f in found["figures"]} == {4}
    assert found["figures"][1]["goal"] == "AlphaZero.jl: 0.7 %"


def test_a_net_without_its_game_is_refused(ludens, tmp_path: Path):
    ran = ludens("bench", "strength", "--net", tmp_path / "net.safetensors")
    assert ran.code == 2
    assert "name that game" in ran.err
