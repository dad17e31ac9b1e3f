"""Learning a model: gradients, masks, losses that come down, going on bit for bit."""

from collections import defaultdict
from dataclasses import replace
from itertools import cycle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from played_games import load, play
from solved_games import solved_window
from test_unroll import PUZZLE, WALK, varied

from ludens import load_game
from ludens.learn.batches import to_tensors
from ludens.learn.config import LearnConfig, ReplayConfig
from ludens.learn.imagine import ask
from ludens.learn.learner import Learner
from ludens.learn.losses import losses_of, unexplained
from ludens.learn.tables import Unrolled
from ludens.learn.window import Window
from ludens.nets.config import NetConfig, Sizes
from ludens.nets.torch_ops import TorchNet
from ludens.nets.value import for_rewards, two_hot
from ludens.nets.weights import new_net

MODEL = NetConfig(
    trunk="mlp", blocks=2, hidden=48, model="learned", consistency=True, reward_bins=11
)
QUICK = LearnConfig(batch_size=32, warmup_steps=5, lr=3e-3)
CPU = torch.device("cpu")


def rng(number: int = 1) -> np.random.Generator:
    """Return a generator."""
    return np.random.default_rng(number)


class FewBatches(Window):
    """A window that gives the same few batches again and again."""

    def draw(self, count: int, size: int, **how: bool) -> list[Unrolled]:
        """Draw the batches once and for all; return them."""
        source, draw = rng(), super().unroll
        drawn = [draw(size, source, **how) for _ in range(count)]
        self._drawn = cycle(drawn)
        return drawn

    def unroll(self, *_: Any) -> Unrolled:
        """Return the next batch."""
        return next(self._drawn)


def few_batches(spec: str, num_games: int, count: int, size: int) -> FewBatches:
    """Return batches of games played to the end, cut and resigned."""
    game = load_game(spec, compiled=False)
    window = FewBatches(game, ReplayConfig(unroll=3, discount=0.9))
    window.add(varied(game, num_games, (1, 2, 2, 2)))
    window.batches = window.draw(count, size)
    return window


@pytest.fixture(scope="module")
def walks() -> FewBatches:
    """Two players and chance."""
    return few_batches(WALK, 10, count=1, size=128)


@pytest.fixture(scope="module")
def puzzles() -> FewBatches:
    """One player, rewards and chance."""
    return few_batches(PUZZLE, 4, count=1, size=96)


class Line:
    """A model whose latents, choices and heads are numbers on a line."""

    sizes = SimpleNamespace(choices=2)
    config = SimpleNamespace(consistency=False, codes=0)

    def __init__(self) -> None:
        self.w, self.v, self.u = (
            torch.tensor(x, requires_grad=True) for x in (0.7, 1.3, -0.4)
        )

    def represent(self, planes: torch.Tensor) -> torch.Tensor:
        return self.w * planes[:, 0, 0]

    def dynamics(self, latent: torch.Tensor, _: torch.Tensor) -> tuple[Any, None]:
        return self.v * latent, None

    def predict(self, latent: torch.Tensor) -> Any:
        return SimpleNamespace(value=self.u * latent)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_gradient_fades_by_steps_but_not_for_the_heads(share: float) -> None:
    net, x = Line(), 3.0
    model = SimpleNamespace(choices=torch.zeros((2, 1), dtype=torch.int64))
    batch = SimpleNamespace(planes=torch.full((1, 1, 1, 1), x), model=model)
    ask(net, batch, share).outputs.value.sum().backward()  # type: ignore[arg-type]
    w, v, u = (float(p.detach()) for p in (net.w, net.v, net.u))
    latents = [w * x, v * w * x, v * v * w * x]
    assert float(net.u.grad) == pytest.approx(sum(latents))
    expected = u * x * (1 + share * v + share**2 * v**2)
    assert float(net.w.grad) == pytest.approx(expected)
    expected = u * (latents[0] + latents[1] + share * v * latents[0])
    assert float(net.v.grad) == pytest.approx(expected)


def gradients(net: TorchNet, batch: Unrolled, share: float) -> dict[str, Any]:
    """Return the gradients of a net's parameters."""
    tensors = to_tensors(batch, net.config, CPU)
    net.zero_grad()
    losses = losses_of(QUICK, net.config, ask(net, tensors, share), tensors)
    losses["loss"].backward()
    return {name: p.grad.clone() for name, p in net.named_parameters()}


def test_only_what_leads_to_the_next_step_loses_gradient() -> None:
    window = solved_window(4)
    window.config = replace(window.config, unroll=1)
    batch = window.unroll(16, rng(), alternates=True)
    net = TorchNet(replace(MODEL, consistency=False), Sizes.of(window.game))
    none, half, all_of_it = (gradients(net, batch, share) for share in (0, 0.5, 1))
    for name, gradient in half.items():
        middle = (none[name] + all_of_it[name]) / 2
        torch.testing.assert_close(gradient, middle, atol=1e-6, rtol=1e-4)
        if not name.startswith("layer"):
            torch.testing.assert_close(gradient, none[name], atol=0, rtol=0)
    assert (none["layer0/weight"] - all_of_it["layer0/weight"]).abs().max() > 1e-5


TAUGHT = {
    "policies": "policy_weights",
    "values": "value_weights",
    "outcomes": "value_weights",
    "rewards": "reward_weights",
    "turns": "turn_weights",
    "chances": "chance_weights",
    "legal": "position_weights",
    "planes": "position_weights",
}


def spoil(batch: Unrolled, name: str, is_taught: bool) -> Unrolled:
    """Return a batch with other targets, where they count or where they do not."""
    array = getattr(batch, name).copy()
    are_spoiled = (getattr(batch, TAUGHT[name]) > 0) == is_taught
    if name == "planes":
        are_spoiled[0] = False  # they are what the net sees
    if name in ("turns", "chances"):
        array[are_spoiled] = (array[are_spoiled] + 1) % 3
    else:
        array[are_spoiled] = 1 - array[are_spoiled].astype(np.float32)
    assert are_spoiled.any(), name
    return batch._replace(**{name: array})


@pytest.mark.parametrize("name", TAUGHT)
def test_what_is_masked_does_not_count_and_what_is_not_does(
    walks: FewBatches, puzzles: FewBatches, name: str
) -> None:
    window = puzzles if name in ("values", "rewards") else walks
    learner, batch = make_learner(window), window.batches[0]

    def losses(batch: Unrolled) -> dict[str, float]:
        tensors = to_tensors(batch, learner._net.config, CPU)
        found = learner._losses(learner._net, tensors)[1]
        return {part: float(loss.detach()) for part, loss in found.items()}

    truth = losses(batch)
    assert losses(spoil(batch, name, is_taught=False)) == truth
    assert losses(spoil(batch, name, is_taught=True)) != truth


def test_planes_drawn_count_by_the_share_of_their_variance() -> None:
    draw = torch.Generator().manual_seed(1)
    planes = (
        torch.rand(40, 3, 4, 5, generator=draw)
        * torch.tensor([9, 1.0, 0.2])[:, None, None]
    )
    known = torch.arange(40) < 30
    weights = known.float()
    mean = planes[known].mean((0, 2, 3))[:, None, None].expand_as(planes)

    def loss(said: torch.Tensor) -> float:
        return float(unexplained(said, planes, weights)[known].mean())

    assert loss(planes) == 0
    assert loss(mean) == pytest.approx(1, abs=0.2)  # the last one hardly varies
    for plane, share in ((0, 1 / 3), (1, 1 / 3)):
        said = planes.clone()
        said[:, plane] = mean[:, plane]
        assert loss(said) == pytest.approx(share, abs=0.01)
    assert loss(mean) == loss(torch.where(known[:, None, None, None], mean, 7.0))


def make_learner(window: Window, net: NetConfig = MODEL, **changes: Any) -> Learner:
    """Return a new learner."""
    if window.game.num_players == 1:
        net = replace(net, value_low=-2.0, value_high=6.0, bins=11)
    config = replace(QUICK, **changes)
    return Learner(new_net(window.game, net, seed=1), config, "cpu", threads=1)


def floors(window: FewBatches, config: NetConfig) -> dict[str, float]:
    """Return the lowest losses that anybody can have who sees what the model sees."""
    return {
        name: float(np.mean([floor(batch, name, config) for batch in window.batches]))
        for name in ("policy", "value", "turn", "chance", "legality", "reward")
    }


def floor(batch: Unrolled, name: str, config: NetConfig) -> float:
    """Return the lowest loss in a batch: of the first step, and mean of the others."""
    steps = [step_floor(batch, name, config, k) for k in range(len(batch.values))]
    return steps[0] + float(np.mean(steps[1:]))


def step_floor(batch: Unrolled, name: str, config: NetConfig, k: int) -> float:
    """Return the mean entropy of targets, given the position and the choices made."""
    weight = "position" if name == "legality" else name
    weights = getattr(batch, f"{weight}_weights")[k]
    alike = defaultdict(list)
    for i in np.flatnonzero(weights):
        key = batch.planes[0, i].tobytes() + batch.choices[:k, i].tobytes()
        alike[key].append(target(batch, name, config, k, i))
    total = 0.0
    for group in alike.values():
        mean = np.mean(group, 0, np.float64)
        logs = np.log(np.where(mean > 0, mean, 1))
        total -= len(group) * float((mean * logs).sum(-1).mean())
    return total / max(1, np.count_nonzero(weights))


def target(
    batch: Unrolled, name: str, config: NetConfig, k: int, i: int
) -> NDArray[Any]:
    """Return a target as a distribution, of what is legal one for each action."""
    if name == "legality":
        return np.stack([batch.legal[k, i], ~batch.legal[k, i]], -1).astype(float)
    if name == "turn":
        return np.eye(4)[batch.turns[k, i]]
    if name == "chance":
        return np.eye(100)[batch.chances[k, i]]
    if name == "reward":
        return two_hot(batch.rewards[k, i : i + 1], for_rewards(config))[0]
    if name == "value" and config.value == "categorical":
        return two_hot(batch.values[k, i : i + 1], config)[0]
    found: NDArray[Any] = {"policy": batch.policies, "value": batch.outcomes}[name][
        k, i
    ]
    return found


@pytest.mark.parametrize("name", ["walks", "puzzles"])
def test_losses_come_down_to_their_entropy(
    name: str, request: pytest.FixtureRequest
) -> None:
    window = request.getfixturevalue(name)
    net = replace(MODEL, consistency=False)
    learner = make_learner(window, net, lr=1e-2, ema_decay=0.9)
    first = learner.measure(window, 1, rng())
    for progress in np.linspace(0, 1, 5):
        learner.learn(window, 35, rng(), progress=progress)
    last = learner.measure(window, 1, rng())
    lowest = floors(window, learner._net.config)
    if window.game.num_players == 2:
        del lowest["reward"]
        assert lowest["chance"] > 0.05  # dice fell differently in the same place
    for part, least in lowest.items():
        assert last[f"loss_{part}"] > least - 1e-4, part
        assert last[f"loss_{part}"] < least + 0.1, part
        assert first[f"loss_{part}"] > last[f"loss_{part}"] + 0.1, part
    assert last["loss_decoder"] < first["loss_decoder"]
    assert last["value_error_3"] < first["value_error_3"]
    assert last["turn_accuracy_3"] > 0.9
    assert last["legality_accuracy_1"] > 0.95
    assert last["illegal_mass_1"] < first["illegal_mass_1"]
    assert ("reward_error_1" in last) == (window.game.num_players == 1)


def test_learning_a_model_goes_on_bit_for_bit() -> None:
    states = []
    for stops in ((6,), (3, 3)):
        window = solved_window(6)
        source, learner = rng(), make_learner(window)
        for steps in stops:
            kept = learner.tensors()
            learner = make_learner(window)
            learner.restore(kept)
            learner.learn(window, steps, source, progress=0.3)
        states.append(learner.tensors())
    for name, array in states[0].items():
        assert array.tobytes() == states[1][name].tobytes(), name


def test_priorities_of_a_model_are_errors_of_first_values() -> None:
    window = solved_window(6, prioritised=True)
    learner = make_learner(window)
    learner.learn(window, 6, rng(), importance=0.5)
    priorities = window.state()["priorities"]
    assert np.isfinite(priorities).all()
    assert len(np.unique(priorities)) > 10
    assert (
        priorities.min() >= window.config.priority_floor**window.config.priority_power
    )


def test_convolutions_learn_a_model_in_bf16() -> None:
    game = load("tic_tac_toe")
    window = Window(game, ReplayConfig(unroll=2))
    window.add([play(game, number) for number in range(8)])
    net = NetConfig(blocks=1, channels=8, hidden=16, model="learned", turns="learned")
    net = replace(net, consistency=True)
    learner = make_learner(window, net, precision="bf16")
    first = learner.learn(window, 3, rng())
    last = learner.learn(window, 25, rng())
    for part in ("policy", "value", "turn", "legality", "decoder", "consistency"):
        assert last[f"loss_{part}"] < first[f"loss_{part}"], part
    parts = [name.removeprefix("loss_") for name in last if name.startswith("loss_")]
    assert {"ownership", "plies_left", "reply"} < set(parts)
    total = sum(last[f"loss_{p}"] * getattr(QUICK, f"{p}_weight") for p in parts)
    assert last["loss"] == pytest.approx(total, rel=1e-3)
