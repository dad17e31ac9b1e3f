"""The learner: it learns, it stops at nonsense, it goes on bit for bit."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file
from solved_games import solved_window

from ludens import UserError, load_game
from ludens.learn.batches import to_tensors, value_targets
from ludens.learn.config import LearnConfig
from ludens.learn.imagine import ask
from ludens.learn.learner import Learner, learning_rate
from ludens.learn.losses import (
    TrainingFailed,
    cross_entropy,
    losses_of,
    why_absurd,
    why_absurd_outputs,
)
from ludens.learn.losses import entropy as entropy_of
from ludens.learn.window import Window
from ludens.nets.config import NetConfig
from ludens.nets.weights import Net, new_net

SMALL = NetConfig(blocks=2, channels=8, hidden=16)
QUICK = LearnConfig(batch_size=64, warmup_steps=5, lr=1e-2)


@pytest.fixture(scope="module")
def window() -> Window:
    """20 games, some moves of which teach no policy."""
    return solved_window(20, fast=0.3)


def small_net(config: NetConfig = SMALL) -> Net:
    """Return a new net for tic-tac-toe."""
    return new_net(load_game("tic_tac_toe"), config, seed=1)


def small_learner(config: LearnConfig = QUICK, net: NetConfig = SMALL) -> Learner:
    """Return a new learner; its one thread does not wait for those of other tests."""
    return Learner(small_net(net), config, "cpu", threads=1)


def rng(number: int = 1) -> np.random.Generator:
    """Return a generator."""
    return np.random.default_rng(number)


def test_losses_of_exact_targets_come_down_to_their_entropy() -> None:
    window = solved_window(4)
    config = LearnConfig(batch_size=128, lr=1e-2, warmup_steps=10, reply_weight=0)
    learner = small_learner(config, NetConfig(trunk="mlp", blocks=2))
    first = learner.learn(window, 10, rng())
    for progress in np.linspace(0, 1, 10):
        learner.learn(window, 40, rng(), progress=progress)
    last = learner.measure(window, 4, rng(2))
    same = rng(2)
    batches = [window.sample(128, same) for _ in range(4)]
    policy = entropy(np.concatenate([batch.policies for batch in batches]))
    value = entropy(np.concatenate([batch.outcomes for batch in batches]))
    assert first["loss_policy"] > policy + 0.5
    assert first["loss_value"] > value + 0.2
    assert last["loss_policy"] == pytest.approx(policy, abs=0.02)
    assert last["loss_value"] == pytest.approx(value, abs=0.02)


def entropy(shares: NDArray[np.float32]) -> float:
    """Return the mean entropy of distributions [B, N]."""
    positive = np.where(shares > 0, shares, 1)
    return float(-(positive * np.log(positive)).sum(1).mean())


@pytest.mark.parametrize("optimizer", ["adamw", "sgd"])
def test_going_on_from_a_file_is_bit_for_bit_the_same(
    window: Window, tmp_path: Path, optimizer: str
) -> None:
    config = replace(QUICK, optimizer=optimizer)
    whole, half = (small_learner(config) for _ in range(2))
    whole.learn(window, 20, rng(), progress=0.3)
    source = rng()
    half.learn(window, 10, source, progress=0.3)
    save_file(half.tensors(), tmp_path / "state.safetensors")
    again = small_learner(config)
    again.restore(load_file(tmp_path / "state.safetensors"))
    again.learn(window, 10, source, progress=0.3)
    assert_same(whole.tensors(), again.tensors())


def assert_same(ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> None:
    assert ours.keys() == theirs.keys()
    for name, tensor in ours.items():
        assert tensor.tobytes() == theirs[name].tobytes(), name


def test_prioritised_learning_repeats_itself_whatever_the_threads_do() -> None:
    states = []
    for _ in range(2):
        window = solved_window(10, prioritised=True)
        learner = small_learner()
        learner.learn(window, 15, rng(), importance=0.5)
        states.append(learner.tensors() | window.state())
    assert_same(*states)
    assert len(np.unique(states[0]["priorities"])) > 10


def test_restoring_the_state_of_another_net_is_refused() -> None:
    other = small_learner(net=replace(SMALL, channels=4))
    with pytest.raises(UserError, match="of another net"):
        small_learner().restore(other.tensors())


def test_state_of_a_learner_that_has_not_begun_can_be_restored(window: Window) -> None:
    begun, fresh = (small_learner() for _ in range(2))
    start = fresh.tensors()
    begun.learn(window, 3, rng())
    begun.restore(start)
    assert_same(begun.tensors(), start)


def test_state_that_was_taken_stays_as_it_was(window: Window) -> None:
    learner = small_learner()
    learner.learn(window, 3, rng())
    taken = learner.tensors()
    before = {name: array.copy() for name, array in taken.items()}
    learner.learn(window, 3, rng())
    for name, array in taken.items():
        np.testing.assert_array_equal(array, before[name])
    learner.restore(taken)
    for name, array in learner.tensors().items():
        np.testing.assert_array_equal(array, before[name])


def test_a_step_that_is_not_finite_is_skipped_and_counted(window: Window) -> None:
    learner = small_learner()
    state = learner.tensors()
    state["weights/stem/bias"] = np.full(8, np.nan, np.float32)
    learner.restore(state)
    metrics = learner.learn(window, 2, rng())
    assert metrics["skipped"] == metrics["steps"] == 2
    assert "loss" not in metrics
    assert learner.num_steps == 0
    assert np.isfinite(learner.ema_net(1).tensors["stem/weight"]).all()
    with pytest.raises(TrainingFailed, match="3 steps in a row"):
        learner.learn(window, 20, rng())


def test_metrics_are_means_over_the_steps(window: Window) -> None:
    metrics = small_learner().learn(window, 7, rng())
    parts = {"policy", "value", "plies_left", "reply"}
    parts |= {"ownership"} if load_game("tic_tac_toe").plain.TARGETS else set()
    assert {f"loss_{part}" for part in parts} <= set(metrics)
    total = sum(metrics[f"loss_{p}"] * getattr(QUICK, f"{p}_weight") for p in parts)
    assert metrics["loss"] == pytest.approx(total, rel=1e-4)
    assert metrics["steps"] == 7
    assert metrics["skipped"] == 0
    assert metrics["grad_norm"] > 0
    assert metrics["samples_per_s"] == pytest.approx(7 * 64 / metrics["seconds"])


def test_learning_stops_when_told_to(window: Window) -> None:
    learner = small_learner()
    metrics = learner.learn(window, 50, rng(), should_stop=lambda: True)
    assert metrics["steps"] == learner.num_steps == 1
    assert small_learner().learn(window, 0, rng())["steps"] == 0


def test_rate_rises_then_falls_to_its_final_share() -> None:
    config = LearnConfig(lr=1.0, warmup_steps=10, lr_final_share=0.2)
    assert learning_rate(config, 0, None) == pytest.approx(0.1)
    assert learning_rate(config, 500, None) == 1.0
    assert learning_rate(config, 500, 0.0) == 1.0
    assert learning_rate(config, 500, 0.5) == pytest.approx(0.6)
    assert learning_rate(config, 500, 7.0) == pytest.approx(0.2)


def test_rate_falls_in_steps_or_not_at_all() -> None:
    config = LearnConfig(lr=1.0, warmup_steps=0, lr_final_share=0.01, lr_steps=2)
    steps = replace(config, schedule="steps")
    rates = [learning_rate(steps, 9, p) for p in (0.0, 0.3, 0.34, 0.66, 0.67, 1.0)]
    assert rates == pytest.approx([1, 1, 0.1, 0.1, 0.01, 0.01])
    assert learning_rate(replace(config, schedule="constant"), 9, 1.0) == 1.0
    with pytest.raises(UserError, match="never reaches a rate of 0"):
        replace(steps, lr_final_share=0.0)


def test_sgd_steps_by_its_momentum(window: Window) -> None:
    config = replace(
        QUICK, optimizer="sgd", momentum=0.5, weight_decay=0.0, clip_norm=0.0, lr=0.1
    )
    learner = small_learner(config)
    before = learner.tensors()
    for _ in range(2):
        rate = learning_rate(config, learner.num_steps, None)
        learner.learn(window, 1, rng())
        after = learner.tensors()
        moved = before["weights/stem/weight"] - after["weights/stem/weight"]
        memory = after["momentum_buffer/stem/weight"]
        np.testing.assert_allclose(moved, rate * memory, atol=1e-7)
        assert np.abs(memory).max() > 0
        before = after


def test_a_bonus_for_entropy_keeps_the_policy_open(window: Window) -> None:
    said = []
    for weight in (0.0, 0.5):
        learner = small_learner(replace(QUICK, entropy_weight=weight))
        metrics = learner.learn(window, 60, rng())
        assert ("loss_entropy" in metrics) == (weight > 0)
        said.append(learner.measure(window, 2, rng())["loss_policy"])
    assert said[1] > said[0] + 0.05
    logits = torch.tensor([[0.0, 0.0, 0.0, 0.0], [0.0, 99.0, 0.0, 0.0]])
    np.testing.assert_allclose(entropy_of(logits), [np.log(4), 0], atol=1e-6)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's, of its own
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
def test_a_compiled_net_learns_the_same(window: Window) -> None:
    config, net = replace(QUICK, precision="f32"), NetConfig(trunk="mlp", blocks=1)
    plain, compiled = (
        small_learner(replace(config, compile=wish), net).learn(window, 5, rng())
        for wish in (False, True)
    )
    assert compiled["loss"] == pytest.approx(plain["loss"], rel=1e-4)


def test_average_follows_the_weights_and_plays(window: Window) -> None:
    learner = small_learner(replace(QUICK, ema_decay=0.5))
    learner.learn(window, 1, rng())
    net, state = learner.ema_net(3), learner.tensors()
    start, now = small_net().tensors["stem/weight"], state["weights/stem/weight"]
    expected = 0.1 * start + 0.9 * now  # the first step counts for more than a half
    assert net.card.iteration == 3
    np.testing.assert_allclose(net.tensors["stem/weight"], expected, atol=1e-6)


def test_only_weights_decay() -> None:
    groups = small_learner()._optimizer.param_groups
    assert [group["weight_decay"] for group in groups] == [QUICK.weight_decay, 0.0]
    assert all(weight.dim() > 1 for weight in groups[0]["params"])
    assert all(weight.dim() == 1 for weight in groups[1]["params"])


@pytest.mark.parametrize("precision", ["bf16", "f16"])
def test_mixed_precision_learns_too_and_goes_on(window: Window, precision: str) -> None:
    config = replace(QUICK, precision=precision)
    learner, again = (small_learner(config) for _ in range(2))
    first = learner.learn(window, 5, rng())
    again.restore(learner.tensors())
    last, same = (one.learn(window, 30, rng(2)) for one in (learner, again))
    assert last["loss"] < first["loss"]
    assert same["loss"] == last["loss"]
    assert learner.tensors()["weights/stem/weight"].dtype == np.float32


@pytest.mark.parametrize("kind", ["wdl", "scalar", "categorical"])
def test_every_kind_of_value_head_learns(window: Window, kind: str) -> None:
    config = replace(SMALL, value=kind, bins=11)
    learner = small_learner(net=config)
    first = learner.learn(window, 5, rng())
    last = learner.learn(window, 60, rng())
    assert last["loss_value"] < 0.9 * first["loss_value"]


def test_value_targets_have_the_value_for_their_mean(window: Window) -> None:
    batch = window.sample(32, rng())
    scalar = replace(SMALL, value="scalar", value_low=-3.0, value_high=5.0)
    targets = value_targets(batch, scalar)
    np.testing.assert_allclose(1 + 4 * targets[:, 0], batch.values, atol=1e-6)
    wdl = value_targets(batch, replace(SMALL, value="wdl"))
    np.testing.assert_allclose(wdl @ [1, 0, -1], batch.values, atol=1e-6)


def test_samples_without_a_policy_or_an_end_teach_none(window: Window) -> None:
    learner = small_learner()
    batch = window.sample(32, rng())
    silent = np.zeros(32, np.float32)
    batch = batch._replace(
        policy_weights=silent, has_ownership=silent > 0, has_reply=silent > 0
    )
    tensors = to_tensors(batch, learner._net.config, learner.device)
    said = ask(learner._net, tensors, 0.5)
    losses = losses_of(QUICK, learner._net.config, said, tensors)
    assert losses.pop("loss") == losses.pop("loss_value") > 0
    assert all(loss == 0 for loss in losses.values())


def test_cross_entropy_by_hand() -> None:
    logits = torch.log(torch.tensor([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]))
    shares = torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]])
    expected = [np.log(2), -0.5 * (np.log(0.1) + np.log(0.8))]
    np.testing.assert_allclose(cross_entropy(logits, shares), expected, rtol=1e-6)


def test_absurd_nets_are_named(window: Window) -> None:
    planes = window.sample(16, rng()).planes
    net = small_net()
    assert why_absurd(net, planes) == ""

    def with_bias(name: str, bias: list[float]) -> Net:
        spoiled = {**net.tensors, name: np.array(bias, np.float32)}
        return Net(net.card, spoiled)

    nan = with_bias("stem/bias", [np.nan] * 8)
    assert "not finite" in why_absurd(nan, planes)
    assert "logits" in why_absurd(with_bias("policy/planes/bias", [2e4]), planes)
    assert why_absurd(with_bias("value/out/bias", [99, 0, 0]), planes) == (
        "it says 1 of every position"
    )
    assert "-1" in why_absurd(with_bias("value/out/bias", [0, 0, 99]), planes)
    infinite = np.array([[np.inf, 0]], np.float32)
    limits = np.array([-1.0, 1.0])
    assert why_absurd_outputs(infinite, np.zeros(1, np.float32), limits)


def test_without_torch_a_sentence_says_how_to_get_it() -> None:
    script = (
        "import sys; sys.modules['torch'] = None\n"
        "from ludens.errors import require_extra\n"
        "try: require_extra('train', 'training')\n"
        "except ValueError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "-m pip install 'torch>=2.6'" in done.stdout
