import json

import pytest

from faults.made_runs import make_run
from ludens import load_game
from ludens.nets import shipped
from ludens.nets.config import NetConfig
from ludens.nets.weights import new_net, save_net

GAME = load_game("gomoku:size=7", compiled=False)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with runs, and with the one net that ships."""
    monkeypatch.setattr(shipped, "PRETRAINED", tmp_path)
    monkeypatch.setenv("LUDENS_RUNS", str(tmp_path))
    config = NetConfig(blocks=1, channels=4, hidden=8)
    net = new_net(GAME, config, 1, iteration=12, run="first", notes="by hand")
    save_net(net, tmp_path / "gomoku-size-7.safetensors")
    return tmp_path


def test_nets_that_ship_are_listed(ludens, folder):
    ran = ludens("nets")
    assert ran.code == 0
    header, row = ran.out.splitlines()
    assert header.split()[:3] == ["game", "method", "iteration"]
    assert header.split()[3:] == ["parameters", "multiply-adds", "KB"]
    assert row.split()[:3] == ["gomoku:size=7", "alphazero", "12"]
    (found,) = json.loads(ludens("nets", "--json").out)
    assert found["options"]["size"] == 7


def test_without_any_it_says_how_to_make_one(ludens, tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "PRETRAINED", tmp_path)
    assert "`ludens train GAME` makes one" in ludens("nets").out


@pytest.mark.parametrize("how", ["gomoku:size=7", "file"])
def test_a_net_shows_its_card(ludens, folder, how):
    file = folder / "gomoku-size-7.safetensors"
    ran = ludens("nets", file if how == "file" else how)
    lines = {line.split()[0]: line for line in ran.out.splitlines()}
    assert lines["file"].endswith("bytes, checksum ok")
    assert "gomoku:size=7" in lines["game"]
    assert lines["iteration"].endswith(" 12")
    assert lines["run"].endswith(" first")
    assert lines["notes"].endswith(" by hand")
    facts = json.loads(ludens("nets", file, "--json").out)
    assert (facts["checksum"], facts["iteration"]) == ("ok", 12)
    assert f"{facts['parameters']:,}" in lines["parameters"]
    assert f"{facts['multiply_adds']:,}" in lines["multiply-adds"]


def test_a_learned_model_shows_what_a_step_costs(ludens, folder):
    file = folder / "gomoku-size-7.safetensors"
    assert "step" not in ludens("nets", file).out
    config = NetConfig(blocks=1, channels=4, hidden=8, model="learned")
    save_net(new_net(GAME, config, 1), file)
    facts = json.loads(ludens("nets", file, "--json").out)
    assert facts["config"]["turns"] == "alternating"
    cost = f"{facts['step_multiply_adds']:,} for a step of the model"
    assert cost in ludens("nets", file).out


def test_a_run_shows_its_net(ludens, folder):
    make_run(folder / "mine", 3).close()
    assert json.loads(ludens("nets", "mine", "--json").out)["iteration"] == 3
    assert json.loads(ludens("nets", "mine@2", "--json").out)["iteration"] == 2


def test_a_damaged_net_is_one_line(ludens, folder):
    (folder / "x.safetensors").write_bytes(b"no net")
    for arguments in (("nets",), ("nets", folder / "x.safetensors")):
        ran = ludens(*arguments)
        assert ran.code == 2
        assert ran.err == f"ludens: {folder / 'x.safetensors'} is not a net: " + (
            "it is no .safetensors file\n"
        )


def test_nets_play_and_are_asked(ludens, folder):
    ran = ludens("play", "gomoku:size=7", "--side", "second", "--seed", 1)
    assert "You are player 1, against net." in ran.out
    assert "net plays " in ran.out
    ran = ludens("play", "gomoku:size=8", "--seed", 1)
    assert "You are player 0, against mcts." in ran.out
    sims = ("--agent", "net:sims=16", "--json")
    found = json.loads(ludens("analyse", "gomoku:size=7", *sims).out)
    assert (found["agent"], found["rootInfo"]["visits"]) == ("net", 16)
    out = folder / "tree.svg"
    tree = ("tree", "gomoku:size=7", "--agent", "net:sims=16", "--out", out)
    assert "17 visits" in ludens(*tree).out
    args = ("--game", "gomoku:size=7", "--games", 2, "--json", "--openings", 44)
    match = ludens("match", "net:sims=4", "policy", *args)
    assert json.loads(match.out)["games"] == 2
    rated = ludens("rate", "net:sims=4", "policy", "random", *args)
    assert len(json.loads(rated.out)["ratings"]) == 3


def test_agents_are_listed_with_their_settings(ludens):
    lines = ludens("agents").out.splitlines()
    assert any(line.startswith("net ") for line in lines)
    assert any(line.startswith("policy ") for line in lines)
    weights = next(line for line in lines if line.startswith("  weights "))
    section = [line for line in lines[: lines.index(weights)] if "settings of" in line]
    assert section[-1] == "settings of net, policy"
    sims = next(line for line in lines if line.startswith("  sims "))
    assert sims.split()[1] == "1000/200"
