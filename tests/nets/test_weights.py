"""A net as a file: it comes back as it was, or not at all."""

import json
import re
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from ludens import UserError, load_game
from ludens.nets import shipped, weights
from ludens.nets.shipped import net_file, shipped_net
from ludens.nets.weights import (
    FORMAT,
    Net,
    check_net,
    load_net,
    net_from_bytes,
    save_net,
)
from random_nets import random_net


@pytest.fixture
def net() -> Net:
    return random_net("mlp")[0]


@pytest.fixture
def file(net: Net, tmp_path: Path) -> Path:
    path = tmp_path / "net.safetensors"
    save_net(net, path)
    return path


def refusal(path: Path) -> str:
    """Return the line with which a file is refused, without its path."""
    with pytest.raises(UserError) as error:
        load_net(path)
    assert "\n" not in str(error.value)
    return str(error.value).replace(str(path), "FILE")


def load_card_text(net: Net) -> str:
    return FORMAT.unpack(net.to_bytes(), "the net")[1]["card"]


def test_what_is_saved_is_loaded(net, file):
    loaded = load_net(file)
    assert loaded.card == net.card
    assert loaded.card.run == "a run"
    assert loaded.tensors.keys() == net.tensors.keys()
    for name, tensor in net.tensors.items():
        assert loaded.tensors[name].dtype == np.float32
        assert (loaded.tensors[name] == tensor).all()


def test_a_card_tells_of_later_settings_only_what_older_nets_do_not_have(net):
    normed = random_net("normed")[0]
    there, usual = (json.loads(load_card_text(one))["config"] for one in (normed, net))
    later = {"kernel": 5, "activation": "gelu", "norm": "layer", "feedforward": 12}
    assert {name: there[name] for name in later} == later
    assert not later.keys() & usual.keys()
    assert net_from_bytes(normed.to_bytes(), "the net").card == normed.card


def test_same_net_same_bytes(net, file, tmp_path):
    again = tmp_path / "again.safetensors"
    assert save_net(net, again) == save_net(net, file)
    assert again.read_bytes() == file.read_bytes()


def test_half_precision_weights_are_read_as_float32(net, tmp_path):
    path = tmp_path / "half.safetensors"
    half = {name: tensor.astype(np.float16) for name, tensor in net.tensors.items()}
    save_net(replace(net, tensors=half), path)
    loaded = load_net(path)
    assert all(tensor.dtype == np.float32 for tensor in loaded.tensors.values())
    np.testing.assert_allclose(loaded.tensors["policy/bias"], half["policy/bias"])


def test_a_net_goes_through_bytes_as_through_a_file(net, file):
    content = net.to_bytes()
    assert content == file.read_bytes()
    assert net_from_bytes(content, "the net").to_bytes() == content
    with pytest.raises(UserError, match=r"the net is not a net: it is no .safetens"):
        net_from_bytes(content[:-1], "the net")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_changed_byte_is_noticed(file, share):
    content = bytearray(file.read_bytes())
    content[int(share * len(content))] ^= 1
    file.write_bytes(content)
    assert re.match("FILE is (damaged|not a net)", refusal(file))


@pytest.mark.parametrize("share", [0, 0.001, 0.5, 0.99])
def test_cut_file_is_noticed(file, share):
    content = file.read_bytes()
    file.write_bytes(content[: int(share * len(content))])
    assert refusal(file) == "FILE is not a net: it is no .safetensors file"


def test_files_that_are_no_nets_are_refused(net, tmp_path):
    path = tmp_path / "x.safetensors"
    assert refusal(path) == "cannot read FILE: No such file or directory"
    path.write_text("a text")
    assert refusal(path) == "FILE is not a net: it is no .safetensors file"
    save_file(net.tensors, path)
    assert refusal(path) == "FILE is not a net of this version (ludens net 1)"
    save_file(net.tensors, path, {"format": FORMAT.name})
    assert refusal(path).startswith("FILE is damaged: its card has ")
    card = load_card_text(net)
    steering = card.replace("iteration", "iterati\x7fn")
    save_file(net.tensors, path, {"format": FORMAT.name, "card": steering})
    assert "'iterati?n'" in refusal(path)  # no sign that could steer a terminal
    save_file(net.tensors, path, {"format": FORMAT.name, "card": card})
    assert refusal(path) == "FILE is damaged: its checksum is wrong"
    assert refusal(tmp_path).startswith("cannot read FILE: ")
    with path.open("wb") as file:
        file.truncate(2**30 + 1)
    assert refusal(path) == "FILE is too large for a net"


def test_numbers_that_make_no_sense_are_refused(net, tmp_path):
    path = tmp_path / "x.safetensors"
    name = "policy/bias"
    bad = net.tensors[name].copy()
    bad[0] = np.nan
    save_net(replace(net, tensors=net.tensors | {name: bad}), path)
    assert refusal(path) == "FILE is damaged: it has numbers that are not finite"
    save_net(replace(net, tensors=net.tensors | {name: bad[:3]}), path)
    assert refusal(path) == "FILE is damaged: its tensors do not fit its card"
    save_net(replace(net, tensors=net.tensors | {name: np.zeros(9, np.int32)}), path)
    assert refusal(path) == "FILE is damaged: it has numbers of an unknown kind"


@pytest.mark.parametrize(
    "change",
    [
        {"sizes": {"planes": 2}},
        {"config": {"chanels": 3}},
        {"config": {"channels": 10**9}},
        {"config": []},
        {"options": "none"},
        {"iteration": "first"},
        {"colour": "red"},
        {"ranges": {"stem/weight": 0.0}},
        {"ranges": {"stem/weight": "wide"}},
    ],
    ids=str,
)
def test_cards_that_make_no_sense_are_refused(net, tmp_path, change, monkeypatch):
    path = tmp_path / "x.safetensors"
    monkeypatch.setattr(weights, "card_facts", lambda c: asdict(c) | change)
    save_net(net, path)
    monkeypatch.undo()
    assert refusal(path).startswith("FILE is damaged: its card ")


def test_sizes_beyond_reason_are_refused(net, tmp_path):
    path = tmp_path / "x.safetensors"
    for sizes in ({"rows": 0}, {"actions": 10**12}, {"players": 3}):
        card = replace(net.card, sizes=replace(net.card.sizes, **sizes))
        save_net(replace(net, card=card), path)
        assert refusal(path) == "FILE is damaged: its card makes no sense"


def test_the_bytes_of_a_net_stay_as_they_were():
    """The nets that ship were written by older versions; so were users' nets."""
    paths = sorted(shipped.PRETRAINED.glob("*.safetensors"))
    assert paths
    for path in paths:
        assert FORMAT.pack(*FORMAT.read(path)) == path.read_bytes()


def test_nets_of_other_games_options_and_rules_are_refused(net):
    check_net(net, load_game("tic_tac_toe", compiled=False))
    with pytest.raises(UserError, match="the net is for tic_tac_toe, not for pyrga"):
        check_net(net, load_game("pyrga", compiled=False))
    seven, _ = random_net("spatial")
    with pytest.raises(UserError, match="the net is for size=7, not for size=8"):
        check_net(seven, load_game("gomoku:size=8", compiled=False))
    other = replace(net, card=replace(net.card, behaviour="other"))
    fewer = replace(net.card, sizes=replace(net.card.sizes, actions=8))
    for card in (other.card, fewer):
        with pytest.raises(UserError, match="other rules of tic_tac_toe; train it an"):
            check_net(Net(card, {}), load_game("tic_tac_toe", compiled=False))


def test_card_is_readable_json_in_the_file(file):
    start = 8 + int.from_bytes(file.read_bytes()[:8], "little")
    metadata = json.loads(file.read_bytes()[8:start])["__metadata__"]
    assert json.loads(metadata["card"])["game"] == "tic_tac_toe"


def test_nets_are_found_by_file_and_by_game(file, tmp_path, monkeypatch):
    assert net_file(str(file)) == file
    monkeypatch.setattr(shipped, "PRETRAINED", tmp_path)
    game = load_game("gomoku:size=9", compiled=False)
    assert shipped_net(game) is None
    with pytest.raises(UserError, match="no net comes with gomoku:size=9; name a"):
        net_file("gomoku:size=9")
    path = tmp_path / "gomoku-size-9.safetensors"
    path.touch()
    assert net_file("gomoku:size=9") == net_file("", game) == path
    assert shipped_net(game) is shipped_net(game)  # parts of a new path are interned


def test_nets_that_are_not_there_are_named():
    with pytest.raises(UserError, match=r"there is no net missing\.safetensors"):
        net_file("missing.safetensors")
    with pytest.raises(UserError, match="there is no game 'gomku'; did you mean"):
        net_file("gomku")
