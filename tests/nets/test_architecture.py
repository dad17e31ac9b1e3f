"""One architecture: parameters, outputs, cost, and training with PyTorch."""

from math import prod

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from ludens.nets.config import SIZES, NetConfig, Sizes
from ludens.nets.shapes import describe, initial_tensors, trace
from ludens.nets.torch_ops import TorchNet
from ludens.nets.weights import Net, num_parameters
from random_nets import ARCHITECTURES, random_net, random_planes

torch.set_num_threads(1)  # on busy cores two threads wait for each other
BOARD = Sizes(2, 6, 7, 7, 1, 2)


def torch_net(net: Net) -> TorchNet:
    made = TorchNet(net.card.config, net.card.sizes)
    made.load(net.tensors)
    return made


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_outputs_have_the_shapes_that_are_promised(architecture):
    net, game = random_net(architecture)
    sizes = net.card.sizes
    outputs = torch_net(net)(torch.from_numpy(random_planes(game, 5)))
    num_values = {"scalar": 1, "score": 21}.get(architecture, 3)
    assert outputs.policy.shape == (5, sizes.actions)
    assert outputs.value.shape == (5, num_values)
    on_cells = (5, sizes.targets, sizes.rows, sizes.columns)
    assert outputs.ownership.shape == on_cells
    assert outputs.ownership.abs().max() <= 1
    assert outputs.plies_left.shape == (5, 1)
    assert outputs.plies_left.min() >= 0
    if sizes.players == 2:
        assert outputs.reply.shape == (5, sizes.actions)
    else:
        assert outputs.reply is None


@pytest.mark.parametrize("architecture", ["dense", "scalar", "score"])
def test_expected_value_is_what_the_head_means(architecture):
    net, game = random_net(architecture)
    model = torch_net(net)
    said = model(torch.from_numpy(random_planes(game, 20))).value
    values = model.expected_value(said)
    assert values.shape == (20,)
    if architecture == "dense":
        win, _, loss = torch.softmax(said, 1).T
        torch.testing.assert_close(values, win - loss)
    elif architecture == "scalar":
        torch.testing.assert_close(values, said[:, 0])
        assert values.abs().max() <= 1
    else:
        assert 0 <= values.min() <= values.max() <= 50


def test_a_scalar_value_reaches_from_the_lowest_to_the_highest():
    config = NetConfig(blocks=1, channels=8, value="scalar", value_high=50.0)
    net = TorchNet(config, Sizes(6, 8, 15, 360, 0, 1))
    said = torch.tensor([[-1.0], [0.0], [0.5], [1.0]])
    assert net.expected_value(said).tolist() == [0, 25, 37.5, 50]


def test_same_seed_same_net():
    first, again, other = (initial_tensors(NetConfig(), BOARD, s) for s in (7, 7, 8))
    assert all((first[name] == again[name]).all() for name in first)
    assert (first["stem/weight"] != other["stem/weight"]).any()


def test_new_net_is_undecided():
    planes = torch.rand(8, 2, 6, 7)
    for size in ("tiny", "small"):
        net = TorchNet(SIZES[size], BOARD, seed=1)
        outputs = net(planes)
        assert torch.softmax(outputs.policy, 1).max() < 0.3
        assert net.expected_value(outputs.value).abs().max() < 0.2


def test_policy_of_cells_moves_with_the_board():
    """A convolution cannot tell where it is: away from the edges, shift = shift."""
    net = TorchNet(NetConfig(blocks=1, channels=8), Sizes(1, 15, 15, 225, 0, 2))
    planes = torch.zeros(2, 1, 15, 15)
    planes[0, 0, 7, 7] = planes[1, 0, 7, 8] = 1
    there, shifted = net(planes).policy.reshape(2, 15, 15)
    torch.testing.assert_close(there[4:11, 4:10], shifted[4:11, 5:11])


@pytest.mark.parametrize(("pool_every", "is_seen"), [(0, False), (1, True)])
def test_pooling_sees_the_whole_board(pool_every, is_seen):
    sizes = Sizes(1, 15, 15, 225, 1, 2)
    net = TorchNet(NetConfig(blocks=1, channels=8, pool_every=pool_every), sizes)
    net.load({name: tensor + 0.1 for name, tensor in net.tensors().items()})
    planes = torch.zeros(2, 1, 15, 15)
    planes[1, 0, 0, 0] = 1
    without, with_stone = net(planes).ownership[:, 0, 14, 14]
    assert bool(without != with_stone) == is_seen


def test_parameters_and_cost_are_counted():
    net, _ = random_net("dense")
    wanted = trace(net.card.config, net.card.sizes).parameters
    assert num_parameters(net) == sum(prod(p.shape) for p in wanted.values())
    stem = 16 * 2 * 9 * 42
    blocks = 2 * 2 * 16 * 16 * 9 * 42
    cost = trace(SIZES["tiny"].for_play(), BOARD).multiply_adds
    assert stem + blocks < cost < 1.25 * (stem + blocks)
    assert describe(SIZES["tiny"], BOARD) == "26,727 parameters, 0.42 M multiply-adds"
    assert describe(SIZES["large"], BOARD).endswith(" 124 M multiply-adds")


def test_tensors_go_in_and_out_unchanged():
    net, _ = random_net("both")
    found = torch_net(net).tensors()
    assert list(found) == list(net.tensors)
    assert all((found[name] == net.tensors[name]).all() for name in found)
    assert all(tensor.flags.c_contiguous for tensor in found.values())


def lesson(seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Boards; the column that is best, who has more discs: easy, but not linear."""
    chances = np.random.default_rng(seed).random((32, 1, 6, 7))
    discs = np.concatenate([chances < 0.3, chances > 0.7], 1).astype(np.float32)
    planes = torch.from_numpy(discs)
    lead = planes[:, 0] - planes[:, 1]
    return planes, lead.sum(1).argmax(1), (1 - lead.sum((1, 2)).sign()).long()


@pytest.mark.parametrize(
    "config",
    [
        NetConfig(blocks=10, channels=8, pool_every=3),
        NetConfig(blocks=0, layers=2, channels=16),
        NetConfig(trunk="mlp", blocks=3),
    ],
    ids=["10 blocks", "encoder", "mlp"],
)
def test_nets_learn_at_the_usual_rate(config):
    net = TorchNet(config, BOARD, seed=3)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    losses = []
    for step in range(90):
        planes, best, outcome = lesson(step)
        outputs = net(planes)
        loss = F.cross_entropy(outputs.policy, best)
        loss = loss + F.cross_entropy(outputs.value, outcome)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert max(losses) < 2 * losses[0]
    assert np.mean(losses[-20:]) < 0.9 * np.mean(losses[:5])


def test_training_in_mixed_precision_reaches_every_parameter():
    net, game = random_net("both")
    model = torch_net(net)
    with torch.autocast("cpu", torch.bfloat16):
        outputs = model(torch.from_numpy(random_planes(game, 4)))
    assert outputs.policy.dtype == torch.bfloat16
    heads = (outputs.policy, outputs.value, outputs.ownership, outputs.reply)
    loss = sum(head.float().square().mean() for head in heads)
    (loss + outputs.plies_left.float().square().mean()).backward()
    silent = [n for n, p in model.named_parameters() if not p.grad.abs().max() > 0]
    assert silent == [n for n in silent if n.endswith("key/bias")]  # softmax undoes it
