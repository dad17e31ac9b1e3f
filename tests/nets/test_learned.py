"""A learned model: its parts, its heads, and what a new one does."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from ludens import UserError, load_game
from ludens.nets.config import NetConfig, Sizes, resolve
from ludens.nets.heads import TURNS
from ludens.nets.layers import latent_shape
from ludens.nets.shapes import describe, root_cost, step_cost, trace
from ludens.nets.torch_ops import TorchNet
from ludens.nets.value import for_rewards, support, two_hot
from ludens.nets.weights import (
    FORMAT,
    check_net,
    load_net,
    net_from_bytes,
    new_net,
    save_net,
)
from random_nets import MODELS, model_planes, random_model, random_net

torch.set_num_threads(1)
BOARD = Sizes(2, 6, 7, 7, 1, 2)
DICE = Sizes(2, 3, 3, 9, 0, 2, 6)
ALONE = Sizes(2, 3, 3, 9, 0, 1, 4)
LEARNED = NetConfig(blocks=4, channels=8, hidden=16, model="learned")


@cache
def torch_model(name: str) -> TorchNet:
    net = random_model(name)
    made = TorchNet(net.card.config, net.card.sizes)
    made.load(net.tensors)
    return made


def planes_of(name: str, count: int) -> torch.Tensor:
    return torch.from_numpy(model_planes(random_model(name), count))


def latents_of(name: str, count: int) -> torch.Tensor:
    return torch_model(name).represent(planes_of(name, count))


def chosen(sizes: Sizes, *choices: int) -> torch.Tensor:
    return F.one_hot(torch.tensor(choices), sizes.choices).float()


@pytest.mark.parametrize("name", MODELS)
def test_every_part_has_the_shapes_that_are_promised(name):
    model, latents = torch_model(name), latents_of(name, 5)
    sizes, config = model.sizes, model.config
    shape = latent_shape(config, sizes)
    last = sizes.choices - 1
    following, reward = model.dynamics(latents, chosen(sizes, 0, 1, 0, 1, last))
    assert latents.shape == following.shape == (5, *shape)
    outputs = model.predict(following)
    assert outputs.policy.shape == outputs.legal.shape == (5, sizes.actions)
    assert outputs.planes.shape == (5, sizes.planes, sizes.rows, sizes.columns)
    assert (reward is not None) == (sizes.players == 1)
    assert (outputs.turn is not None) == (config.turns == "learned")
    assert (outputs.chance is not None) == (sizes.outcomes > 0)
    if reward is not None:
        assert reward.shape == (5, config.reward_bins)
    if outputs.turn is not None:
        assert outputs.turn.shape == (5, len(TURNS))
    if outputs.chance is not None:
        assert outputs.chance.shape == (5, sizes.outcomes)


@pytest.mark.parametrize("name", MODELS)
def test_latents_reach_from_0_to_1_or_have_unit_size(name):
    model, latents = torch_model(name), latents_of(name, 3)
    for _ in range(3):
        flat = latents.flatten(1)
        size = flat.square().mean(1) if model.config.rescale == "rms" else flat.amax(1)
        torch.testing.assert_close(size, torch.ones(3), atol=2e-3, rtol=0)
        assert model.config.rescale == "rms" or (flat.amin(1) == 0).all()
        latents, _ = model.dynamics(latents, chosen(model.sizes, 0, 1, 0))


@pytest.mark.parametrize("name", MODELS)
def test_the_whole_is_the_heads_on_the_representation(name):
    model, planes = torch_model(name), planes_of(name, 4)
    whole, parts = model(planes), model.predict(model.represent(planes))
    torch.testing.assert_close(whole.policy, parts.policy)
    torch.testing.assert_close(whole.value, parts.value)


def test_a_latent_without_contrast_becomes_zero():
    model = TorchNet(replace(LEARNED, blocks=0), BOARD)
    model.load({name: 0 * tensor for name, tensor in model.tensors().items()})
    assert (model.represent(torch.ones(2, 2, 6, 7)) == 0).all()


@pytest.mark.parametrize("name", MODELS)
def test_every_choice_leads_elsewhere(name):
    """Each action and each outcome changes the next latent in its own way."""
    model, latent = torch_model(name), latents_of(name, 1)
    count = model.sizes.choices
    every = chosen(model.sizes, *range(count))
    following, _ = model.dynamics(latent.expand(count, *latent.shape[1:]), every)
    assert len(torch.unique(following.flatten(1), dim=0)) == count


def test_an_action_on_a_cell_acts_there():
    """The dynamics of one block sees three convolutions far, no farther."""
    sizes = Sizes(1, 15, 15, 225, 0, 2)
    config = NetConfig(blocks=1, channels=8, pool_every=0, model="learned")
    model = TorchNet(config, sizes)
    latents = torch.rand(2, 8, 15, 15)
    latents[:, 0, 14, 14] = torch.tensor(10.0)  # the largest number stays the same
    first, other = model.dynamics(latents[[0, 0]], chosen(sizes, 0, 2 * 15 + 3))[0]
    changed = (first != other).any(0)
    assert changed[0, 0]
    assert changed[2, 3]
    assert not changed[7:, :].any()
    assert not changed[:, 8:].any()


@pytest.mark.parametrize("trunk", ["conv", "mlp"])
def test_a_new_model_hardly_moves(trunk):
    model = TorchNet(replace(LEARNED, trunk=trunk), BOARD, seed=2)
    before = model.represent(torch.rand(7, 2, 6, 7))
    after, _ = model.dynamics(before, torch.eye(7))
    assert (after - before).abs().mean() < 0.5 * before.std()


def test_a_new_model_may_exchange_the_halves_of_the_channels():
    config = replace(LEARNED, blocks=2, exchange=True, rescale="rms")
    model = TorchNet(config, BOARD, seed=2)
    before = model.represent(torch.rand(7, 2, 6, 7))
    after, _ = model.dynamics(before, torch.zeros(7, 7))
    halves = torch.cat([after[:, 4:], after[:, :4]], 1)
    assert (halves - before).abs().mean() < 0.1 * (after - before).abs().mean()


def test_gates_multiply_what_is_read_by_what_is_chosen():
    sizes = Sizes(3, 2, 2, 8, 0, 2)  # two kinds of actions on four cells
    config = replace(LEARNED, blocks=0, kernel=1, gates=True, policy="spatial")
    model = TorchNet(replace(config, rescale="rms"), sizes)
    weights = dict(model.named_parameters())
    with torch.no_grad():
        for name in ("dynamics/action/weight", "dynamics/gate/action/weight"):
            weights[name].zero_()
        weights["dynamics/read/weight"][:, :, 0, 0] = torch.eye(8)
        weights["dynamics/gate/action/weight"][5, 1] = 2.0
    before = model.represent(torch.rand(1, 3, 2, 2)) + 0.1
    after, _ = model.dynamics(before, chosen(sizes, 4 + 3))  # of the second kind
    changes = (after / before)[0] / (after / before)[0, 0, 0, 0]
    expected = torch.ones(8, 2, 2)
    expected[5, 1, 1] = 3.0
    assert torch.allclose(changes, expected, atol=1e-4)


def test_turns_alternate_only_without_chance_and_alone():
    for sizes, turns in ((BOARD, "alternating"), (DICE, "learned"), (ALONE, "learned")):
        resolved = resolve(LEARNED, sizes)
        assert resolved.turns == turns
        assert resolve(resolved, sizes) == resolved
        assert ("turn/bias" in trace(LEARNED, sizes).parameters) == (turns == "learned")
    with pytest.raises(
        UserError, match="alternating is for two players without chance"
    ):
        resolve(replace(LEARNED, turns="alternating"), DICE)
    assert resolve(replace(LEARNED, turns="learned"), BOARD).turns == "learned"


def test_dynamics_has_half_of_the_blocks_unless_told():
    asked = {0: 1, 1: 1, 4: 2, 9: 4}
    for blocks, expected in asked.items():
        assert resolve(replace(LEARNED, blocks=blocks), BOARD).dynamics == expected
    assert resolve(replace(LEARNED, dynamics=3), BOARD).dynamics == 3


def test_rewards_reach_as_far_as_values_unless_told():
    wide = resolve(replace(LEARNED, value_low=-5.0, value_high=90.0), ALONE)
    assert (wide.reward_low, wide.reward_high) == (-5, 90)
    narrow = resolve(replace(LEARNED, reward_low=-1.0, reward_high=2.0), ALONE)
    assert (narrow.reward_low, narrow.reward_high) == (-1, 2)
    with pytest.raises(UserError, match=r"reward_low=3\.0 is above reward_high"):
        NetConfig(reward_low=3.0, reward_high=2.0)


def test_expected_reward_is_the_mean_of_its_bins():
    config = replace(LEARNED, reward_bins=11, reward_low=-4.0, reward_high=30.0)
    model = TorchNet(config, ALONE)
    rewards = np.array([-4.0, -1.3, 0.0, 2.0, 30.0])
    shares = torch.from_numpy(two_hot(rewards, for_rewards(model.config)))
    said = model.expected_reward(torch.log(shares + 1e-12))
    np.testing.assert_allclose(said, rewards, atol=1e-4)
    assert len(support(for_rewards(model.config))) == 11


def test_what_is_only_for_learning_is_left_out_of_play():
    config = resolve(replace(LEARNED, consistency=True), DICE)
    all_names = set(trace(config, DICE).parameters)
    for_play = set(trace(config.for_play(), DICE).parameters)
    dropped = {name.split("/")[0] for name in all_names - for_play}
    assert dropped == {"plies_left", "reply", "decoder", "project", "forecast"}
    assert "legal/conv/weight" in for_play


def test_projections_are_compared_in_the_same_space():
    for trunk in ("conv", "mlp"):
        model = TorchNet(replace(LEARNED, trunk=trunk, consistency=True), BOARD)
        projected = model.project(model.represent(torch.rand(3, 2, 6, 7)))
        assert projected.shape == model.forecast(projected).shape == (3, 32)


def test_a_loss_after_some_steps_reaches_every_parameter():
    model = TorchNet(replace(LEARNED, consistency=True), ALONE, seed=1)
    random = {n: t + 0.1 * np.ones_like(t) for n, t in model.tensors().items()}
    model.load(random)
    with torch.autocast("cpu", torch.bfloat16):
        latent, loss = model.represent(torch.rand(4, 2, 3, 3)), torch.zeros(())
        for choice in (0, 8, 12):
            latent, reward = model.dynamics(latent, chosen(ALONE, *[choice] * 4))
            out = model.predict(latent)
            heads = [out.policy, out.value, out.turn, out.chance, out.legal, out.planes]
            agreed = model.forecast(model.project(latent))
            for head in (*heads, out.plies_left, reward, agreed):
                loss = loss + head.float().square().mean()
    loss.backward()
    silent = [n for n, p in model.named_parameters() if not p.grad.abs().max() > 0]
    assert silent == []


def test_cost_of_a_step_is_about_half_and_described():
    config = NetConfig(blocks=8, channels=32, model="learned")
    root, step = root_cost(config, BOARD), step_cost(config, BOARD)
    assert root_cost(replace(config, model="rules"), BOARD) == root
    assert 0.5 < step / root < 0.65
    told = describe(config, BOARD)
    assert told.endswith(
        f"{root / 1e6:.2g} M multiply-adds, {step / 1e6:.2g} M for a step"
    )


def test_a_learned_model_is_saved_and_loaded(tmp_path):
    path = tmp_path / "net.safetensors"
    for name in ("chance", "mlp score", "score"):
        net = random_model(name)
        save_net(net, path)
        loaded = load_net(path)
        assert loaded.card == net.card
        assert loaded.card.sizes.outcomes == net.card.sizes.outcomes
        assert loaded.tensors.keys() == net.tensors.keys()
        assert loaded.to_bytes() == path.read_bytes()


def test_a_net_whose_card_does_not_say_how_it_rescales_does_so_by_range():
    net = random_model("dense")
    assert "rescale" not in FORMAT.unpack(net.to_bytes(), "the net")[1]["card"]
    assert net_from_bytes(net.to_bytes(), "the net").card.config.rescale == "range"
    other = replace(net.card, config=replace(net.card.config, rescale="rms"))
    content = replace(net, card=other).to_bytes()
    assert net_from_bytes(content, "the net").card == other


def test_a_model_of_another_chance_is_refused():
    game = load_game("tic_tac_toe", compiled=False)
    net = new_net(game, LEARNED, 0)
    check_net(net, game)
    dice = replace(net.card, sizes=replace(net.card.sizes, outcomes=2))
    with pytest.raises(UserError, match="other rules of tic_tac_toe; train it anew"):
        check_net(replace(net, card=dice), game)


def test_codes_are_for_hidden_chance_only():
    game = load_game("tic_tac_toe", compiled=False)
    with pytest.raises(UserError, match="tic_tac_toe has rules, which tell what"):
        new_net(game, replace(LEARNED, codes=8), 0)
    with pytest.raises(UserError, match="codes=8 is for a learned model"):
        new_net(game, NetConfig(codes=8), 0)
    net = random_model("score")
    card = replace(net.card, sizes=replace(net.card.sizes, outcomes=9))
    with pytest.raises(UserError, match="its card makes no sense"):
        net_from_bytes(replace(net, card=card).to_bytes(), "the net")


def test_the_encoder_is_for_learning_only():
    net = random_model("score")
    config, sizes = net.card.config, net.card.sizes
    parts = [trace(c, sizes).parameters for c in (config, config.for_play())]
    assert {n.split("/")[0] for n in parts[0].keys() - parts[1].keys()} >= {"encoder"}
    assert not any(name.startswith("encoder/") for name in parts[1])
    assert parts[1]["chance/actions/weight"].shape[0] == config.codes
    seen = torch.zeros((5, 2 * sizes.planes + 1, sizes.rows, sizes.columns))
    assert torch_model("score").encode(seen).shape == (5, config.codes)


def test_cards_of_other_nets_do_not_speak_of_models():
    """Older versions can read them, and a card that does was made up."""
    net, _ = random_net("mlp")
    card = FORMAT.unpack(net.to_bytes(), "the net")[1]["card"]
    assert "dynamics" not in card
    assert "outcomes" not in card
    for stray in ('"dynamics": 3', '"reward_low": -1.0'):
        text = card.replace('"config": {', '"config": {' + stray + ", ")
        content = FORMAT.pack(net.tensors, {"card": text})
        with pytest.raises(UserError, match="its card makes no sense"):
            net_from_bytes(content, "the net")


@pytest.mark.parametrize(
    "settings",
    [
        {"model": "guessed"},
        {"dynamics": 101},
        {"dynamics": -1},
        {"action_planes": 0},
        {"action_planes": 10**6},
        {"reward_bins": 1},
        {"reward_bins": 10**9},
        {"reward_low": -1e300},
        {"reward_high": 1e300},
        {"turns": "mine"},
        {"legality": 7},
        {"codes": -1},
        {"codes": 10**6},
    ],
    ids=str,
)
def test_settings_beyond_reason_are_refused(settings):
    with pytest.raises(UserError):
        NetConfig(**settings)


def test_sizes_tell_the_outcomes_of_chance():
    assert Sizes.of(load_game("connect_four", compiled=False)).choices == 7
    triad = Sizes.of(load_game("triple_triad", compiled=False))
    assert triad.choices == triad.actions + triad.outcomes == 155
