"""What an agent thinks, as a picture."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ludens import load_game
from ludens.agents import make_agent
from ludens.infer.evaluator import make_evaluator
from ludens.infer.openvino import value_shares
from ludens.nets.config import NetConfig
from ludens.nets.value import points
from ludens.nets.weights import new_net, save_net
from ludens.pictures.heat import Outlook, draw_thoughts, heat_of

TINY = NetConfig(trunk="mlp", blocks=1, hidden=8, value="categorical", bins=11)


@pytest.fixture(scope="module")
def net_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("nets") / "net.safetensors"
    save_net(new_net(load_game("triangle"), TINY, 0), path)
    return path


def test_the_heat_is_that_of_the_priors_by_slot(net_file: Path) -> None:
    game = load_game("triangle")
    state = game.new(setup="1 4 11", seed=1)
    analysis = make_agent(f"policy:weights={net_file}", game, 0).analyse(state)
    heat = heat_of(state, analysis)
    assert sorted(heat) == ["slot1", "slot2", "slot3"]
    assert sum(sum(cells.values()) for cells in heat.values()) == pytest.approx(1)
    priors = {move.move: move.prior for move in analysis.moves}
    for slot, cells in heat.items():
        for cell, share in cells.items():
            assert priors[slot.removeprefix("slot") + cell] == pytest.approx(share)


def test_the_heat_of_a_search_is_its_visits() -> None:
    game = load_game("connect_four")
    state = game.new()
    analysis = make_agent("mcts:sims=100", game, 0).analyse(state)
    heat = heat_of(state, analysis)
    shares = {move.move: move.visits / 100 for move in analysis.moves}
    assert heat == {"": pytest.approx(shares)}


def test_the_picture_has_a_board_for_each_slot_and_a_distribution() -> None:
    game = load_game("triangle")
    state = game.new(setup="1 4 11", seed=1)
    analysis = make_agent("mcts:sims=200", game, 0).analyse(state)
    bare = draw_thoughts(state, analysis, None)
    full = draw_thoughts(state, analysis, Outlook([0.0, 1.0, 2.0], [0.2, 0.5, 0.3]))
    for picture in (bare, full):
        words = ["".join(e.itertext()) for e in ElementTree.fromstring(picture).iter()]
        titles = [word for word in words if re.fullmatch(r"slot\d: \d+ %", word)]
        assert len(titles) == 3
        assert ("expected: 110" in words) == (picture is full)
        assert 'class="heat9"' in picture


def test_shares_of_a_value_agree_with_its_mean() -> None:
    game = load_game("triangle")
    net = new_net(game, TINY, 3)
    planes = game.new(seed=1).observe()[None]
    shares = value_shares(net, planes)
    assert shares.shape == (1, 11)
    assert shares.sum() == pytest.approx(1, abs=1e-5)
    values = make_evaluator(net, "cpu", "f32")(planes).values
    assert shares[0] @ points(net.card.config) == pytest.approx(values[0], rel=1e-4)
