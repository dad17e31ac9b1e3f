"""Codes for hidden chance tell apart what came, and the search plans with them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from test_model_learning import CPU, QUICK, FewBatches, make_learner, rng

import tiny_environments  # noqa: F401 - Gymnasium knows them now
from ludens import game, load_game
from ludens.infer.evaluator import make_evaluator
from ludens.learn.batches import to_tensors
from ludens.learn.config import ReplayConfig
from ludens.learn.imagine import ask
from ludens.learn.learner import Learner
from ludens.learn.losses import losses_of
from ludens.learn.tables import Unrolled
from ludens.learn.window import Window
from ludens.nets.config import NetConfig
from ludens.nets.heads import TURNS
from ludens.search.config import SearchConfig
from ludens.search.search import Search
from ludens.selfplay.share import FULL, GameRecord, Trace

START, HEADS, TAILS, END = range(4)
"""What the coin of `tiny_environments` shows."""
TAKE, LOOK = 0, 1
MOVER, _, CHANCE, OVER = range(len(TURNS))
COIN = load_game("gym:Coin-v0", compiled=False)
NET = NetConfig(trunk="mlp", blocks=1, hidden=32, model="learned", codes=6)


def episode(places: Sequence[int], actions: Sequence[int], reward: float) -> GameRecord:
    """Return an episode that was seen at these places, all of it rewarded at last."""
    count, is_over = len(actions), places[-1] == END
    to_play = np.zeros(count + 1, np.int8)
    to_play[-1] = game.OVER if is_over else 0
    rewards = np.zeros(count, np.float32)
    rewards[-1] = reward
    legal = np.ones((count + 1, 2), np.bool_)
    trace = Trace(np.eye(4, dtype=np.float32)[list(places)], legal, to_play, rewards)
    wise = {START: (0.5, 0.5), HEADS: (1, 0), TAILS: (0, 1)}
    return GameRecord(
        number=0,
        seed=0,
        net=0,
        history=np.array(actions, np.int32),
        kinds=np.full(count, FULL, np.uint8),
        policies=np.array([wise[place] for place in places[:-1]], np.float16),
        values=np.zeros(count, np.float32),
        result=reward,
        is_over=is_over,
        ending="played" if is_over else "cut",
        trace=trace,
    )


TAKEN = episode([START, END], [TAKE], 0.8)
TOLD = episode([START, HEADS, END], [LOOK, 0], 1.0)
EPISODES = [
    *[TAKEN] * 12,
    *[TOLD] * 14,
    *[episode([START, HEADS, END], [LOOK, 1], 0.0)] * 7,
    *[episode([START, TAILS, END], [LOOK, 0], 0.0)] * 6,
    *[episode([START, TAILS, END], [LOOK, 1], 1.0)] * 3,
]
"""Heads in 7 of 10 cases; whatever it was, heads was told in 2 of 3."""


def unrolled(played: GameRecord, num_choices: int) -> Unrolled:
    """Return what followed the start of an episode, which is the only one."""
    window = Window(COIN, ReplayConfig(unroll=num_choices))
    window.add([played])
    batch = window.unroll(8, rng(), is_hidden=True)
    first = int(batch.planes[0, :, START, 0, 0].argmax())
    whole = {name: a for name, a in batch._asdict().items() if len(a) != 8}
    return batch._replace(**{name: array[:, first] for name, array in whole.items()})


def test_chance_moves_after_each_action_and_ends_are_seen() -> None:
    batch = unrolled(TOLD, 5)
    assert batch.choices[[0, 1, 2, 3]].tolist() == [LOOK, 2, 0, 2]
    assert batch.turns.tolist() == [-1, CHANCE, MOVER, CHANCE, OVER, -1]
    assert batch.chances.tolist() == [-1, 0, -1, 0, -1, -1]
    assert batch.rewards.tolist() == [0, 0, 0, 1, 0, 0]
    assert batch.values.tolist() == [1, 1, 1, 0, 0, 0]
    seen = batch.planes[:, :, 0, 0]
    assert seen[[0, 2, 4]].argmax(1).tolist() == [START, HEADS, END]
    assert (seen.sum(1) == [1, 0, 1, 0, 1, 0]).all()
    assert batch.position_weights.tolist() == [1, 0, 1, 0, 0, 0]


def test_what_came_of_chance_is_unknown_beyond_a_sample_and_after_a_cut() -> None:
    assert unrolled(TOLD, 3).chances.tolist() == [-1, 0, -1, -1]
    cut = unrolled(episode([START, HEADS, TAILS], [LOOK, 0], 0.0), 4)
    assert cut.chances.tolist() == [-1, 0, -1, -1, -1]
    assert cut.turns.tolist() == [-1, CHANCE, MOVER, -1, -1]


def coins(codes: int) -> FewBatches:
    """Return batches of all episodes."""
    window = FewBatches(COIN, ReplayConfig(unroll=4))
    window.add(EPISODES)
    window.batches = window.draw(3, 128, is_hidden=codes > 0)
    return window


def new_learner(window: Window, codes: int, **changes: Any) -> Learner:
    bounds = {"value_low": -0.1, "value_high": 1.1, "bins": 13, "reward_bins": 13}
    net = NetConfig(**{**vars(NET), "codes": codes, **bounds})
    return make_learner(window, net, lr=1e-2, ema_decay=0.9, **changes)


@pytest.fixture(scope="module")
def learned() -> dict[int, Learner]:
    """Learners that have seen the coin, with codes and without."""
    found = {}
    for codes, steps in ((0, 25), (6, 45)):
        window = coins(codes)
        found[codes] = new_learner(window, codes)
        for progress in np.linspace(0, 1, 4):
            found[codes].learn(window, steps, rng(), progress=progress)
    return found


def test_codes_tell_outcomes_apart_and_chances_are_right(
    learned: dict[int, Learner],
) -> None:
    learner = learned[6]
    model = make_evaluator(learner.ema_net(1), "cpu", "f32")
    root = model(COIN.new(seed=0).observe()[None])
    looked = model.step(root.latents, np.array([LOOK]))
    assert looked.turns[0] == CHANCE
    assert looked.values[0] == pytest.approx(0.7 * 2 / 3 + 0.3 / 3, abs=0.06)
    batch = coins(6).batches[0]
    tensors = to_tensors(batch, learner._net.config, CPU)
    found = ask(learner._average, tensors, 1.0).codes.chances.reshape(5, -1)[1].numpy()
    chances = 0.0
    for place, chance, value in ((HEADS, 0.7, 2 / 3), (TAILS, 0.3, 1 / 3)):
        codes = set(found[batch.planes[2, :, place, 0, 0] == 1].tolist())
        share = sum(looked.chances[0, list(codes)])
        assert share == pytest.approx(chance, abs=0.15)
        chances += share
        for code in codes:
            reached = model.step(looked.latents, np.array([COIN.num_actions + code]))
            assert reached.values[0] == pytest.approx(value, abs=0.12)
            right, wrong = (place - HEADS, TAILS - place)
            rewards = [model.step(reached.latents, np.array([a])) for a in (0, 1)]
            assert rewards[right].rewards[0] > 0.85
            assert rewards[wrong].rewards[0] < 0.15
    assert chances > 0.88


def test_only_who_expects_two_outcomes_looks(learned: dict[int, Learner]) -> None:
    found = {}
    for codes, learner in learned.items():
        model = make_evaluator(learner.ema_net(1), "cpu", "f32")
        search = Search(COIN, SearchConfig(sims=60), evaluator=model)
        search.reset(np.array([COIN.new(seed=0).raw]), [1])
        found[codes] = search.run().means[0]
    assert found[6][LOOK] > found[6][TAKE] + 0.05
    assert found[0][LOOK] < found[0][TAKE]


def test_the_gradient_passes_the_code_and_comes_from_what_it_leads_to(
    learned: dict[int, Learner],
) -> None:
    window, learner = coins(6), learned[6]
    tensors = to_tensors(window.batches[0], learner._net.config, CPU)
    said = ask(learner._net, tensors, 1.0)
    assert said.codes is not None
    choices = said.codes.choices.detach()
    assert ((choices == 0) | (choices == 1)).all()
    assert (choices.sum(-1) == 1).all()
    assert (choices[1::2].argmax(-1) >= COIN.num_actions).float().mean() > 0.5
    losses = losses_of(QUICK, learner._net.config, said, tensors)
    weight = dict(learner._net.named_parameters())["encoder/codes/weight"]
    for part in ("policy", "turn", "decoder", "commitment"):
        loss = losses[f"loss_{part}"]
        (gradient,) = torch.autograd.grad(loss, weight, retain_graph=True)
        assert gradient.any(), part


def test_what_is_not_known_of_chance_does_not_count() -> None:
    window = coins(6)
    learner, batch = new_learner(window, 6), window.batches[0]

    def commitment(batch: Unrolled) -> float:
        tensors = to_tensors(batch, learner._net.config, CPU)
        with torch.no_grad():
            losses = learner._losses(learner._net, tensors)[1]
        return float(losses["loss_commitment"])

    spoiled = batch.planes.copy()
    spoiled[4, batch.chances[3] < 0] = 7.0
    assert commitment(batch._replace(planes=spoiled)) == commitment(batch)
    unknown = np.full_like(batch.chances, -1)
    none = batch._replace(chances=unknown, chance_weights=0 * batch.chance_weights)
    assert commitment(none) == 0.0
