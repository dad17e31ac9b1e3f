"""Nets on boards, and by rules, that they have not learned on."""

import numpy as np
import pytest

from ludens import load_game
from ludens.agents import make_agent
from ludens.agents.networks import named_net
from ludens.errors import UserError
from ludens.infer.evaluator import make_evaluator
from ludens.nets import shipped
from ludens.nets.config import NetConfig
from ludens.nets.fitting import fit_net
from ludens.nets.weights import Net, new_net, save_net

SMALL = {"blocks": 1, "channels": 8, "hidden": 8}


def gomoku(options: str):
    return load_game(f"gomoku:{options}", compiled=False)


@pytest.fixture(scope="module")
def net() -> Net:
    return new_net(gomoku("size=5"), NetConfig(any_size=True, **SMALL), 1)


def test_a_net_of_any_size_plays_a_larger_board(net: Net) -> None:
    fitted, seen = fit_net(net, gomoku("size=6"))
    assert seen.spec == "gomoku:size=6"
    state = seen.new()
    state.apply(7)
    answer = make_evaluator(fitted, "cpu", "f32")(state.observe()[None])
    assert answer.logits.shape == (1, 36)
    assert np.isfinite(answer.logits).all()
    assert all(
        fitted.tensors[n] is t for n, t in net.tensors.items() if "stem" not in n
    )


def test_planes_are_found_by_their_names(net: Net) -> None:
    """In renju there is one more, and moves back stand between others."""
    game = gomoku("size=5,rule=renju,history=1")
    fitted, _ = fit_net(net, game)
    stem, learned = fitted.tensors["stem/weight"], gomoku("size=5").plain.PLANES
    for number, name in enumerate(game.plain.PLANES):
        weights = stem[:, number]
        if name in learned:
            own = net.tensors["stem/weight"][:, learned.index(name)]
            assert np.array_equal(weights, own)
        else:
            assert not weights.any()
    assert fitted.card.behaviour == game.behaviour


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("size=6,row=4", "which gomoku:size=6,row=4 does not show"),
        ("size=6,opening=swap2", "are not a multiple of 36 cells"),
    ],
)
def test_what_a_net_cannot_play_is_refused(net: Net, options: str, line: str) -> None:
    with pytest.raises(UserError, match=line):
        fit_net(net, gomoku(options))


def test_other_nets_keep_to_their_board() -> None:
    dense = new_net(gomoku("size=5"), NetConfig(**SMALL), 1)
    with pytest.raises(UserError, match="the net is for size=5, not for size=6"):
        fit_net(dense, gomoku("size=6"))


def test_a_net_that_ships_for_any_size_is_for_all_boards(
    net: Net, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(shipped, "PRETRAINED", tmp_path)
    save_net(net, path := tmp_path / "gomoku.safetensors")
    game = gomoku("size=6")
    assert shipped.shipped_net(game) == path
    assert shipped.usual_agent(game) == "net"
    assert shipped.shipped_net(gomoku("size=6,row=4")) is None
    fitted = named_net("net", game)
    assert fitted is not None
    assert fitted.card.options["size"] == 6
    assert make_agent("policy", game, 1).choose(game.new()) in range(36)
