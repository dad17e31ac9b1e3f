"""A net as an ONNX file gives the same answers elsewhere."""

import json

import numpy as np
import onnx
import onnxruntime
import pytest

from ludens.infer.openvino import OpenvinoEvaluator
from ludens.infer.torch import TorchEvaluator
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
        (["x.safetensors"], "say in which format: --onnx"),
        (["x.safetensors", "--onnx"], "there is no net x.safetensors"),
        (["conect_four", "--onnx"], "there is no game 'conect_four'; did you mean"),
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
