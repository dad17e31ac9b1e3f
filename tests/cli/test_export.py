"""A net as an ONNX file gives the same answers elsewhere; so does a game as a file."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
import onnxruntime
import pytest

from ludens import games as ludens_games
from ludens.envs import muzero_general
from ludens.envs.muzero_general import trial
from ludens.infer.openvino import OpenvinoEvaluator
from ludens.infer.torch import TorchEvaluator
from ludens.loading import watched
from ludens.nets.onnx_ops import to_onnx
from ludens.nets.weights import save_net
from random_nets import ARCHITECTURES, random_model, random_net, random_planes


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_onnx_runtime_openvino_and_torch_agree(architecture):
    net, game = random_net(architecture)
    content = to_onnx(net)
    onnx.checker.check_model(onnx.load_from_string(content), full_check=True)
    session = onnxruntime.InferenceSession(content)
    for count in (1, 6):
        planes = random_planes(game, count)
        policy, value = session.run(["policy", "value"], {"planes": planes})
        assert policy.std() > 0.01
        for evaluate in (
            OpenvinoEvaluator(net, "f32", 1),
            TorchEvaluator(net, "cpu", "f32"),
        ):
            logits, values, *_ = evaluate(planes)
            np.testing.assert_allclose(policy, logits, rtol=1e-4, atol=1e-4)
            np.testing.assert_allclose(value, values, rtol=1e-4, atol=1e-4)


def test_export_writes_a_file_that_tells_what_it_is(ludens, tmp_path):
    net, _ = random_net("dense")
    path, out = tmp_path / "net.safetensors", tmp_path / "out.onnx"
    save_net(net, path)
    ran = ludens("export", path, "--onnx", "--out", out)
    assert ran.code == 0
    assert ran.out.startswith(f"Wrote {out}: a net for connect_four, ")
    assert ran.out.endswith(" multiply-adds.\n")
    model = onnx.load(out)
    card = {entry.key: entry.value for entry in model.metadata_props}["card"]
    assert json.loads(card)["game"] == "connect_four"


def test_a_learned_model_is_exported_as_two_files(ludens, tmp_path):
    path, out = tmp_path / "net.safetensors", tmp_path / "out.onnx"
    save_net(random_model("chance"), path)
    ran = ludens("export", path, "--onnx", "--out", out)
    assert ran.out.startswith(f"Wrote {out} and {tmp_path / 'out.step.onnx'}: a net ")
    assert ran.out.endswith(" M for a step.\n")
    inputs = {"out.onnx": ["planes"], "out.step.onnx": ["latent", "choices"]}
    for name, places in inputs.items():
        model = onnx.load(tmp_path / name)
        onnx.checker.check_model(model, full_check=True)
        assert [place.name for place in model.graph.input] == places


def test_export_goes_to_this_folder_by_default(ludens, tmp_path, monkeypatch):
    net, _ = random_net("mlp")
    (tmp_path / "nets").mkdir()
    save_net(net, tmp_path / "nets" / "one.safetensors")
    monkeypatch.chdir(tmp_path)
    assert ludens("export", "nets/one.safetensors", "--onnx").code == 0
    assert (tmp_path / "one.onnx").is_file()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["x.safetensors"], "say in which format: --onnx, --muzero-general"),
        (["x", "--onnx", "--npz", "x.npz"], "one format at a time"),
        (["x", "--onnx", "--games", "3"], "--games and --rules go with --npz"),
        (["no_run", "--jsonl", "x"], "there is no run 'no_run'"),
        (["x", "--onnx", "--muzero-general", "x.py"], "one format at a time"),
        (["x", "--test"], "--test and --watch go with --muzero-general FILE"),
        (["x", "--muzero-general", "x.py", "--out", "y"], "--out goes with --onnx"),
        (
            ["x", "--muzero-general", "x.txt"],
            "x.txt: a game of muzero-general is",
        ),
        (["conect_four", "--muzero-general", "x.py"], "there is no game 'conect_four'"),
        (
            ["pyrga", "--muzero-general", "no/x.py"],
            "cannot write no/x.py: No such",
        ),
        (["x.safetensors", "--onnx"], "there is no net x.safetensors"),
        (["conect_four", "--onnx"], "there is no net 'conect_four'; did you mean"),
    ],
)
def test_mistakes_are_one_line(ludens, arguments, line):
    ran = ludens("export", *arguments)
    assert ran.code == 2
    assert ran.err.startswith(f"ludens: {line}")
    assert ran.err.count("\n") == 1


def test_without_onnx_it_is_said_how_to_get_it(ludens, monkeypatch):
    monkeypatch.setattr("ludens.errors.find_spec", lambda name: None)
    ran = ludens("export", "x.safetensors", "--onnx")
    assert ran.code == 2
    assert "-m pip install 'onnx>=1.17'\n" in ran.err


@pytest.fixture
def target(tmp_path, monkeypatch):
    """Return a file to write in this folder; a test of it is short."""
    monkeypatch.setattr(trial, "GAMES", 2)
    monkeypatch.chdir(tmp_path)
    return Path("games.py")


def test_a_game_is_written_for_muzero_general_and_written_again(ludens, target):
    ran = ludens("export", "tic_tac_toe", "--muzero-general", target, "--test")
    tested, wrote = ran.out.splitlines()
    assert tested.startswith("Tested: 2 games, ")
    size = target.stat().st_size
    assert wrote == f"Wrote {target}: tic_tac_toe for muzero-general, {size:,} bytes."
    ran = ludens("export", "gomoku:size=7", "--muzero-general", target)
    assert ran.code == 0
    assert "SIZE = 7\n" in target.read_text(encoding="utf-8")
    assert [path.name for path in target.parent.iterdir()] == ["games.py"]


def test_a_file_of_others_is_not_overwritten(ludens, target):
    target.write_text("mine = 1\n", encoding="utf-8")
    ran = ludens("export", "tic_tac_toe", "--muzero-general", target)
    assert ran.code == 2
    assert (
        ran.err == f"ludens: {target} exists and was not written by `ludens export`\n"
    )
    assert target.read_text(encoding="utf-8") == "mine = 1\n"


def test_what_fails_its_test_is_not_written(ludens, target, monkeypatch):
    slip = muzero_general.GAME.replace("return self._player", "return 0")
    monkeypatch.setattr(muzero_general, "GAME", slip)
    ran = ludens("export", "tic_tac_toe", "--muzero-general", target, "--test")
    assert ran.code == 2
    assert ran.err == "ludens: game 1, move 1: the player to move: 0, not 1\n"
    assert not target.exists()


def test_watching_writes_the_file_again_when_a_source_changes(
    ludens, target, monkeypatch
):
    source = Path(ludens_games.__file__).with_name("tic_tac_toe.py")
    rules = source.read_text(encoding="utf-8")
    own = Path("mine.py")
    own.write_text(rules, encoding="utf-8")
    edits = iter([rules + "(", rules.replace('"X"', '"Y"'), None])

    def edit(_):
        text = next(edits)
        if text is None:
            raise KeyboardInterrupt
        own.write_text(text, encoding="utf-8")

    monkeypatch.setattr(watched, "time", SimpleNamespace(sleep=edit))
    ran = ludens("export", own, "--muzero-general", target, "--watch")
    assert ran.code == 130
    assert ran.out.count("Tested: 2 games, ") == ran.out.count("Wrote ") == 2
    assert ran.err.count("\n") == 1
    line = rules.count("\n") + 1
    assert f"mine.py:{line} does not load: SyntaxError" in ran.err
    assert 'paint("Y", 0)' in target.read_text(encoding="utf-8")
