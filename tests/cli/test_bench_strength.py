"""`ludens bench strength`: a net is measured by a command."""

import json
import sys
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


TOY = Path(__file__).parents[1] / "agents" / "toy_brain.py"


def test_a_net_meets_another_program(ludens, tmp_path: Path):
    path, game = tmp_path / "net.safetensors", "gomoku:size=5"
    save_net(new_net(load_game(game), TINY, 0), path)
    who = f"engine:cmd={sys.executable} -S {TOY} none"
    few = ("--agent", "net:sims=2", "--games", 2, "--external", who, "--json")
    ran = ludens("bench", "strength", game, "--net", path, *few)
    (found,) = json.loads(ran.out)
    assert [f["player"] for f in found["figures"]] == ["net alone", "2 sims"]
    assert {f["what"] for f in found["figures"]} == {f"points against {who}"}
    assert {f["num"] for f in found["figures"]} == {2}


@pytest.mark.parametrize(
    ("game", "who", "line"),
    [
        ((), "random", "name the game to meet another agent in"),
        (("pyrga",), "randm", "there is no agent 'randm'; did you mean 'random'?"),
        (("triangle",), "random", "triangle is for one player"),
        (("pyrga",), "engine:cmd=true", "engine plays gomoku"),
    ],
)
def test_an_opponent_that_cannot_be_met_is_one_line(ludens, game, who, line):
    ran = ludens("bench", "strength", *game, "--external", who)
    assert (ran.code, ran.out) == (2, "")
    assert line in ran.err
    assert len(ran.err.splitlines()) == 1
