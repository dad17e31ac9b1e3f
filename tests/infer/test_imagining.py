"""Learned models imagine the same on every backend, step after step."""

import threading

import numpy as np
import onnxruntime
import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from ludens.infer.evaluator import make_evaluator
from ludens.infer.imagined import legal_of, turns_of
from ludens.infer.openvino import OpenvinoEvaluator, OpenvinoModel, value_shares
from ludens.infer.torch import TorchModel
from ludens.nets.config import Sizes
from ludens.nets.onnx_ops import to_onnx, to_onnx_step
from ludens.nets.torch_ops import TorchNet
from ludens.search.capped import cap
from ludens.search.model import is_learned
from random_nets import MODELS, model_planes, random_model, random_net

torch.set_num_threads(1)
# Of the largest answer. Each step brings latents to [0, 1], so that errors of rounding
# hardly grow with their number.
TOLERANCES = {"f32": 1e-4, "f16": 1e-2, "bf16": 5e-2}
NUM_STEPS = 8
COUNT = 5


def choices_of(net, count=COUNT):
    """Return choices [NUM_STEPS, count], actions and outcomes."""
    rng = np.random.default_rng(1)
    return rng.integers(0, net.card.sizes.choices, (NUM_STEPS, count))


def imagine(model, net):
    """Return what a model says of positions, and after each step of them."""
    said = [model(model_planes(net, COUNT))]
    for choices in choices_of(net):
        said.append(model.step(said[-1].latents, choices))
    return said


def assert_close(found, expected, precision):
    for name in ("logits", "values", "rewards", "latents", "chances"):
        ours, theirs = getattr(found, name), getattr(expected, name)
        assert (ours is None) == (theirs is None), name
        if ours is not None:
            assert ours.dtype == np.float32
            limit = TOLERANCES[precision] * max(1, np.abs(theirs).max())
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=limit, err_msg=name)


@pytest.mark.parametrize("name", MODELS)
def test_backends_agree_after_every_step(name):
    net = random_model(name)
    expected = imagine(TorchModel(net, "cpu", "f32"), net)
    exact, rough = (imagine(OpenvinoModel(net, p, 1), net) for p in ("f32", "bf16"))
    for ours, roughly, theirs in zip(exact, rough, expected, strict=True):
        assert_close(ours, theirs, "f32")
        assert_close(roughly, theirs, "bf16")
        np.testing.assert_array_equal(ours.turns, theirs.turns)
        np.testing.assert_array_equal(ours.legal, theirs.legal)


def test_a_model_that_is_asked_in_parts_imagines_the_same():
    net, model = random_model("score"), TorchModel(random_model("score"), "cpu", "f32")
    capped = cap(model, 2)
    assert is_learned(capped)
    for ours, theirs in zip(imagine(capped, net), imagine(model, net), strict=True):
        assert_close(ours, theirs, "f32")
        np.testing.assert_array_equal(ours.turns, theirs.turns)
        np.testing.assert_array_equal(ours.legal, theirs.legal)


@pytest.mark.parametrize("precision", ["f16", "bf16"])
def test_torch_imagines_in_every_precision(precision):
    net = random_model("score")
    expected = imagine(TorchModel(net, "cpu", "f32"), net)
    found = imagine(TorchModel(net, "cpu", precision), net)
    for ours, theirs in zip(found, expected, strict=True):
        assert_close(ours, theirs, precision)


@pytest.mark.parametrize("name", MODELS)
def test_onnx_runtime_imagines_the_same(name):
    net = random_model(name)
    root = onnxruntime.InferenceSession(to_onnx(net))
    step = onnxruntime.InferenceSession(to_onnx_step(net))
    expected = imagine(TorchModel(net, "cpu", "f32"), net)
    (latent,) = root.run(["latent"], {"planes": model_planes(net, COUNT)})
    names = [output.name for output in step.get_outputs()]
    for choices, theirs in zip(choices_of(net), expected[1:], strict=True):
        answers = step.run(None, {"latent": latent, "choices": choices})
        said = dict(zip(names, answers, strict=True))
        latent = said["next_latent"]
        np.testing.assert_allclose(said["policy"], theirs.logits, atol=1e-4)
        np.testing.assert_allclose(said["value"], theirs.values, atol=1e-3)
        np.testing.assert_array_equal(legal_of(said["legal"]), theirs.legal)
        assert ("reward" in said) == (theirs.rewards is not None)
        assert ("turn" in said) == (theirs.turns is not None)
        assert ("chance" in said) == (theirs.chances is not None)
        if "reward" in said:
            np.testing.assert_allclose(said["reward"], theirs.rewards, atol=1e-3)
        if "chance" in said:
            shares = F.softmax(torch.from_numpy(said["chance"]), -1)
            np.testing.assert_allclose(shares, theirs.chances, atol=1e-5)


@pytest.mark.parametrize("name", ["dense", "chance", "mlp score"])
def test_a_step_is_the_dynamics_and_its_heads(name):
    net = random_model(name)
    model, plain = (
        OpenvinoModel(net, "f32", 1),
        TorchNet(net.card.config, net.card.sizes),
    )
    plain.load(net.tensors)
    root = model(model_planes(net, 2))
    assert root.latents.shape == (2, model.latent_size)
    assert (root.turns, root.legal, root.rewards) == (None, None, None)
    last = model.num_choices - 1
    found = model.step(root.latents, np.array([0, last]))
    with torch.no_grad():
        before = plain.represent(torch.from_numpy(model_planes(net, 2)))
        one_hot = F.one_hot(torch.tensor([0, last]), model.num_choices).float()
        latent, reward = plain.dynamics(before, one_hot)
        outputs = plain.predict(latent)
        values = plain.expected_value(outputs.value)
    np.testing.assert_allclose(found.logits, outputs.policy, atol=1e-4)
    np.testing.assert_allclose(found.values, values, atol=1e-4)
    np.testing.assert_allclose(found.latents, latent.flatten(1), atol=1e-4)
    if reward is not None:
        rewards = plain.expected_reward(reward)
        np.testing.assert_allclose(found.rewards, rewards, atol=1e-4)


def test_steps_do_not_depend_on_the_batches_before():
    net = random_model("chance")
    model = make_evaluator(net, "cpu", "f32")
    latents = model(model_planes(net, 40)).latents
    choices = choices_of(net, 40)[0]
    expected = model.step(latents, choices)
    for count in (40, 3, 17, 16, 40, 1):
        found = model.step(latents[:count], choices[:count])
        for ours, theirs in zip(found, expected, strict=True):
            if theirs is not None:
                assert len(ours) == count
                np.testing.assert_allclose(ours, theirs[:count], atol=1e-4)


def test_choices_of_any_kind_and_latents_of_any_layout_are_understood():
    net = random_model("dense")
    model = make_evaluator(net, "cpu", "f32")
    latents, choices = model(model_planes(net, 6)).latents, np.arange(6)
    expected = model.step(latents[::2].copy(), choices[::2])
    for kind in (np.int8, np.int16, np.int32, np.uint32):
        found = model.step(latents[::2], choices[::2].astype(kind))
        np.testing.assert_allclose(found.logits, expected.logits, atol=1e-5)
    assert (TorchModel(net, "cpu", "f32").step(latents[:2], choices[:2]).legal).any()


@pytest.mark.parametrize("kind", [OpenvinoModel, TorchModel])
def test_threads_imagine_at_the_same_time(kind):
    net = random_model("mlp")
    how = ("f32", 2) if kind is OpenvinoModel else ("cpu", "f32")
    model, wrong = kind(net, *how), []
    latents = model(model_planes(net, 8)).latents
    every = [np.full(8, choice) for choice in range(3)]
    expected = [model.step(latents, choices).logits for choices in every]

    def ask(choice: int) -> None:
        for count in (8, 3, 5, 8):
            found = model.step(latents[:count], every[choice][:count]).logits
            if not np.allclose(found, expected[choice][:count], atol=1e-4):
                wrong.append((choice, count))

    threads = [threading.Thread(target=ask, args=(choice,)) for choice in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_only_learned_models_imagine():
    net, _ = random_net("mlp")
    assert type(make_evaluator(net, "cpu")) is OpenvinoEvaluator
    learned = random_model("mlp")
    assert isinstance(make_evaluator(learned, "cpu"), OpenvinoModel)
    shares = value_shares(learned, model_planes(learned, 3))
    np.testing.assert_allclose(shares.sum(1), 1, atol=1e-5)


def test_who_is_next_is_likeliest_but_the_end_must_be_likelier_than_not():
    shares = np.array(
        [
            [0.7, 0.1, 0.1, 0.1],
            [0.1, 0.2, 0.3, 0.4],  # over is likeliest, and yet not likely
            [0.1, 0.2, 0.1, 0.6],
            [0.1, 0.6, 0.2, 0.1],
        ],
        np.float32,
    )
    dice, alone = Sizes(1, 1, 1, 1, 0, 2, 6), Sizes(1, 1, 1, 1, 0, 1, 6)
    assert turns_of(shares, dice).tolist() == [0, 2, 3, 1]
    assert turns_of(shares, alone).tolist() == [0, 2, 3, 2]
    assert turns_of(shares, Sizes(1, 1, 1, 1, 0, 2)).tolist() == [0, 1, 3, 1]
    assert turns_of(shares, alone).dtype == np.int8


def test_something_is_always_legal():
    logits = np.array([[-2.9, -3.0, 5.0], [-9.0, -8.0, -10.0]], np.float32)
    assert legal_of(logits).tolist() == [[True, False, True], [False, True, False]]
