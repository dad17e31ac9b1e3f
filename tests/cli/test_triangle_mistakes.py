"""Boards of triangles that cannot be, and nets of other boards: one clear line."""

from pathlib import Path

import pytest

from ludens.loading.game import load_game
from ludens.nets.config import NetConfig
from ludens.nets.weights import new_net, save_net

SMALL = "triangle:columns=9,playable=0-9/0-9/0-9"
OTHER_BOARD = "the net is for columns=15, not for columns=9"


@pytest.fixture(scope="module")
def net_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    game = load_game("triangle", compiled=False)
    config = NetConfig(trunk="mlp", blocks=1, hidden=8, value="categorical", bins=11)
    path = tmp_path_factory.mktemp("nets") / "net.safetensors"
    save_net(new_net(game, config, 0), path)
    return path


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("columns=3", "columns cannot be '3'; allowed: 6 to 26"),
        ("columns=many", "columns cannot be 'many'"),
        ("colums=9", "triangle has no option 'colums'; did you mean 'columns'?"),
        ("columns=9", "playable cannot have a row '3-12'; write first-end within 0-9"),
        ("playable=", "playable has 1 rows; allowed: 2 to 20"),
        ("playable=0-9", "playable has 1 rows; allowed: 2 to 20"),
        ("playable=5-3/0-9", "playable cannot have a row '5-3'"),
        ("playable=0-99/0-9", "playable cannot have a row '0-99'"),
        ("playable=a-b/0-9", "playable cannot have a row 'a-b'"),
        ("playable=0-0/0-0", "no shape fits on the board; make more cells playable"),
        ("clear_reward=nan", "clear_reward cannot be 'nan'"),
    ],
)
@pytest.mark.parametrize("verb", ["play {} --watch", "train {} --minutes 1"])
def test_an_impossible_board_is_one_line(ludens, verb, options, complaint):
    ran = ludens(*verb.format(f"triangle:{options}").split())
    assert (ran.code, ran.out) == (2, "")
    assert complaint in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    "command",
    [
        "play {game} --watch --vs net:weights={net}",
        "match net:weights={net} random --game {game}",
        "rate policy:weights={net} random --game {game}",
        "analyse {game} --agent policy:weights={net} --svg picture.svg",
        "bench strength {game} --net {net}",
        "bench honesty {game} --agent net:weights={net}",
    ],
)
def test_a_net_of_another_board_is_refused(
    ludens, net_file, command, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    ran = ludens(*command.format(game=SMALL, net=net_file).split())
    assert (ran.code, ran.out, ran.err) == (2, "", f"ludens: {OTHER_BOARD}\n")
    assert not list(tmp_path.iterdir())


def test_a_net_of_other_rewards_is_refused(ludens, net_file):
    game = "triangle:clear_reward=1"
    ran = ludens("match", f"net:weights={net_file}", "random", "--game", game)
    complaint = "the net is for clear_reward=0.5, not for clear_reward=1.0"
    assert (ran.code, ran.out, ran.err) == (2, "", f"ludens: {complaint}\n")


def test_rewards_that_a_value_cannot_say_are_refused_before_training(
    ludens, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LUDENS_RUNS", str(tmp_path))
    ran = ludens("train", f"{SMALL},over_reward=-10", "--iterations", 1)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert (
        "which a value in [0, 200] cannot say; add --set net.value_low=-20" in ran.err
    )
    assert not list(tmp_path.iterdir())
