"""Evaluators agree with each other, from any thread, in every precision."""

import gc
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import openvino
import pytest
import torch

from ludens import UserError
from ludens.infer.evaluator import choose_device, make_evaluator
from ludens.infer.openvino import OpenvinoEvaluator
from ludens.infer.ranges import with_ranges
from ludens.infer.torch import TorchEvaluator
from ludens.nets.torch_ops import TorchNet
from ludens.search.config import SearchConfig
from ludens.search.search import Search
from random_nets import (
    ARCHITECTURES,
    model_planes,
    random_model,
    random_net,
    random_planes,
)

torch.set_num_threads(1)
# Of the largest answer: rounding to 24, 11 and 8 bits, grown through the layers.
TOLERANCES = {"f32": 1e-4, "f16": 1e-2, "bf16": 5e-2}


def assert_close(found, expected, precision):
    for ours, theirs in zip((found.logits, found.values), expected, strict=True):
        limit = TOLERANCES[precision] * max(1, np.abs(theirs).max())
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=limit)


def answers(net, planes):
    """Return what the network says, straight from PyTorch with all its heads."""
    model = TorchNet(net.card.config, net.card.sizes)
    model.load(net.tensors)
    with torch.no_grad():
        outputs = model(torch.from_numpy(planes))
        values = model.expected_value(outputs.value)
    return outputs.policy.numpy(), values.numpy()


@pytest.mark.parametrize("precision", ["f32", "bf16"])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_openvino_agrees_with_torch(architecture, precision):
    net, game = random_net(architecture)
    planes = random_planes(game, 9)
    evaluate = OpenvinoEvaluator(net, precision, 1)
    assert_close(evaluate(planes), answers(net, planes), precision)


@pytest.mark.parametrize("precision", TOLERANCES)
@pytest.mark.parametrize("architecture", ["both", "score"])
def test_torch_evaluator_agrees_in_every_precision(architecture, precision):
    net, game = random_net(architecture)
    planes = random_planes(game, 9)
    found = TorchEvaluator(net, "cpu", precision)(planes)
    assert found.logits.dtype == found.values.dtype == np.float32
    assert_close(found, answers(net, planes), precision)


def test_bfloat16_makes_a_difference_where_the_cpu_knows_it():
    """Elsewhere OpenVINO computes as for f32, or with AVX-512 alone imitates it."""
    net, game = random_net("dense")
    planes = random_planes(game, 9)
    exact, rough = (OpenvinoEvaluator(net, p, 1)(planes) for p in ("f32", "bf16"))
    known = openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    assert (exact.logits != rough.logits).any() or "BF16" not in known
    assert_close(rough, answers(net, planes), "bf16")


@pytest.mark.parametrize("architecture", ["spatial", "dense", "scalar", "normed"])
def test_int8_is_near_and_its_own(architecture):
    net, game = random_net(architecture)
    planes = random_planes(game, 64)
    known = with_ranges(net, planes)
    exact, rough = (OpenvinoEvaluator(known, p, 1) for p in ("f32", "int8"))
    assert rough.precision == "int8"
    exact, rough = exact(planes), rough(planes)
    assert (exact.logits != rough.logits).any()
    for ours, theirs in ((rough.logits, exact.logits), (rough.values, exact.values)):
        # Wrong steps or signs make errors as large as the numbers themselves.
        error = np.sqrt(np.mean((ours - theirs) ** 2) / np.mean(theirs**2))
        assert error < 0.1


def test_ranges_are_the_largest_numbers_that_convolutions_take_in():
    net, game = random_net("dense")
    planes = random_planes(game, 5)
    ranges = with_ranges(net, planes).card.ranges
    convolutions = [n for n, x in net.tensors.items() if x.ndim == 4 and x.shape[2] > 1]
    assert sorted(ranges) == sorted(set(convolutions) - {"stem/weight"})
    stem, bias = (
        torch.from_numpy(net.tensors[f"stem/{n}"]) for n in ("weight", "bias")
    )
    taken = torch.conv2d(torch.from_numpy(planes), stem, bias, padding=1).relu()
    assert ranges["block0/conv1/weight"] == pytest.approx(float(taken.max()), rel=0.01)


def test_without_ranges_int8_is_what_auto_is():
    net, game = random_net("spatial")
    planes = random_planes(game, 3)
    usual, asked = (make_evaluator(net, "cpu", p) for p in ("auto", "int8"))
    assert asked.precision == usual.precision
    assert (asked(planes).logits == usual(planes).logits).all()


def test_models_stay_in_more_than_eight_bits():
    net = random_model("dense")
    assert with_ranges(net, model_planes(net, 2)) is net


def test_int8_is_for_cpus():
    net, _ = random_net("spatial")
    with pytest.raises(UserError, match=r"^int8 is for CPUs; use another precision"):
        TorchEvaluator(net, "cpu", "int8")


@pytest.mark.parametrize("count", [1, 2, 17, 64, 5])
def test_batches_of_any_size(count):
    net, game = random_net("spatial")
    evaluate = make_evaluator(net, "cpu", "f32")
    planes = random_planes(game, 64)
    assert_close(evaluate(planes[:count]), answers(net, planes[:count]), "f32")


def test_answers_do_not_depend_on_the_batches_before():
    """The room for a batch grows and shrinks; what is left over in it is not told."""
    net, game = random_net("both")
    evaluate = make_evaluator(net, "cpu", "f32")
    planes = random_planes(game, 64)
    expected = answers(net, planes)
    for count in [64, 60, 40, 31, 30, *[28] * 20, 1, 64, *[50] * 40, 3]:
        found = evaluate(planes[:count])
        assert len(found.logits) == len(found.values) == count
        assert_close(found, [array[:count] for array in expected], "f32")


def test_planes_that_do_not_lie_together_are_understood():
    net, game = random_net("spatial")
    evaluate = make_evaluator(net, "cpu", "f32")
    planes = random_planes(game, 8)
    assert_close(
        evaluate(planes[::2, :, ::-1]), answers(net, planes[::2, :, ::-1].copy()), "f32"
    )
    assert_close(evaluate(planes.astype(np.float64)), answers(net, planes), "f32")


@pytest.mark.parametrize("kind", [OpenvinoEvaluator, TorchEvaluator])
def test_threads_ask_at_the_same_time(kind):
    net, game = random_net("dense")
    how = ("f32", 3) if kind is OpenvinoEvaluator else ("cpu", "f32")
    evaluate = kind(net, *how)
    wrong = []

    def ask(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(20):
            planes = random_planes(game, int(rng.integers(1, 9)), seed)
            logits, values, *_ = evaluate(planes)
            ready.wait()  # all have answered; ours must still be there
            if not np.allclose(logits, expected[seed][0][: len(planes)], atol=1e-4):
                wrong.append(seed)
            if not np.allclose(values, expected[seed][1][: len(planes)], atol=1e-4):
                wrong.append(seed)

    expected = {s: answers(net, random_planes(game, 8, s)) for s in range(3)}
    ready = threading.Barrier(3)
    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_search_uses_an_evaluator():
    net, game = random_net("mlp")
    evaluate = make_evaluator(net, "cpu", threads=2)
    search = Search(game, SearchConfig(sims=16), 4, threads=2, evaluator=evaluate)
    states = np.array([game.new(seed=s).raw for s in range(4)])
    search.reset(states, range(4))
    assert (search.run().sims == 16).all()


def test_a_search_asks_for_no_more_at_once_than_it_may():
    net, game = random_net("mlp")
    evaluate, sizes = make_evaluator(net, "cpu", "f32"), []
    states = np.array([game.new(seed=s).raw for s in range(5)])

    def counted(planes):
        sizes.append(len(planes))
        return evaluate(planes)

    def found(max_batch):
        config = SearchConfig(sims=12, max_batch=max_batch)
        search = Search(game, config, 5, evaluator=counted)
        search.reset(states, range(5))
        return search.run().visits.tolist()

    expected = found(0)
    assert max(sizes) == 5
    sizes.clear()
    assert found(2) == expected
    assert max(sizes) == 2


def test_device_that_is_not_there_is_refused():
    there = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
    }
    absent = next(device for device, is_there in there.items() if not is_there)
    with pytest.raises(UserError, match=f"finds no {absent} on this machine"):
        choose_device(absent)
    assert choose_device("cpu") == "cpu"
    present = [device for device, is_there in there.items() if is_there]
    assert choose_device("auto") == [*present, "cpu"][0]


def test_a_device_is_chosen_without_leaving_cycles_to_collect():
    choose_device("auto")
    gc.collect()
    gc.disable()
    try:
        choose_device("auto")
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_unknown_devices_and_precisions_are_refused():
    net, _ = random_net("mlp")
    with pytest.raises(UserError, match="no device 'gpu'; did you mean 'cpu'"):
        make_evaluator(net, "gpu")
    with pytest.raises(UserError, match="no precision 'fp16'; did you mean 'f16'"):
        make_evaluator(net, "cpu", "fp16")


def test_evaluator_says_what_it_uses():
    net, _ = random_net("mlp")
    assert make_evaluator(net, "cpu").precision in ("f32", "bf16")
    assert make_evaluator(net, "cpu", "bf16").precision == "bf16"
    assert make_evaluator(net, "cpu").device == "cpu"


def test_play_needs_no_torch():
    script = """
import sys
sys.modules["torch"] = None
import numpy as np
from random_nets import random_net, random_planes
from ludens.infer.evaluator import choose_device, make_evaluator
from ludens.errors import UserError
net, game = random_net("mlp")
print(make_evaluator(net)(random_planes(game, 3)).logits.shape)
try:
    choose_device("cuda")
except UserError as error:
    print(error)
"""
    ran = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    assert ran.stdout.startswith("(3, 9)\ncuda needs PyTorch; install it: ")
