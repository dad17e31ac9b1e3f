import pytest

from ludens import UserError, load_game
from ludens.nets.config import SIZES, NetConfig, Sizes, resolve
from ludens.settings import options_of, read_settings


def sizes_of(spec: str) -> Sizes:
    return Sizes.of(load_game(spec, compiled=False))


def test_sizes_come_from_the_game():
    assert sizes_of("connect_four") == Sizes(2, 6, 7, 7, 1, 2)
    assert sizes_of("triangle:columns=15").cells == 120


@pytest.mark.parametrize(
    ("spec", "policy", "value"),
    [
        ("gomoku:size=9", "spatial", "wdl"),
        ("connect_four", "dense", "wdl"),
        ("pyrga", "dense", "wdl"),  # 96 = 6 * 16 actions, but not plane by plane
        ("triangle", "dense", "categorical"),
    ],
)
def test_auto_suits_the_game(spec, policy, value):
    resolved = resolve(NetConfig(), sizes_of(spec))
    assert (resolved.policy, resolved.value) == (policy, value)
    assert resolve(resolved, sizes_of(spec)) == resolved


def test_heads_without_a_target_are_left_out():
    alone = resolve(NetConfig(), Sizes(6, 8, 15, 360, 0, 1))
    assert not alone.ownership
    assert not alone.reply
    assert alone.plies_left


def test_range_of_a_categorical_value_suits_the_players():
    two = resolve(NetConfig(value="categorical"), sizes_of("connect_four"))
    one = resolve(NetConfig(), sizes_of("triangle"))
    assert (two.value_low, two.value_high) == (-1, 1)
    assert (one.value_low, one.value_high) == (0, 1000)
    chosen = NetConfig(value_low=-5.0, value_high=5.0)
    assert resolve(chosen, sizes_of("triangle")).value_low == -5


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"chanels": "32"}, "a net has no setting 'chanels'; did you mean 'channels'?"),
        ({"channels": "0"}, "channels cannot be '0'; allowed: 1 to 4096"),
        ({"trunk": "cnov"}, "trunk cannot be 'cnov'; did you mean 'conv'?"),
        ({"layers": 2, "heads": 5}, "channels=32 must be a multiple of heads=5"),
        ({"trunk": "mlp", "layers": 1}, "an mlp has no Transformer layers"),
        ({"trunk": "mlp", "policy": "spatial"}, "an mlp has no spatial policy"),
        ({"trunk": "mlp", "any_size": True}, "an mlp has weights for each cell; any"),
        ({"layers": 1, "any_size": True}, "Transformer layers know the place of each"),
        ({"kernel": "4"}, "kernel=4 has no middle; use an odd number"),
        ({"value_low": 2, "value_high": 1}, "value_low=2.0 is above value_high"),
    ],
)
def test_mistakes_are_one_line(given, line):
    with pytest.raises(UserError) as error:
        read_settings(NetConfig, given, "a net")
    assert str(error.value).startswith(line)


def test_spatial_policy_needs_actions_on_cells():
    with pytest.raises(UserError, match="7 actions are not a multiple of 42 cells"):
        resolve(NetConfig(policy="spatial"), sizes_of("connect_four"))


def test_weights_for_any_size_need_actions_on_cells():
    with pytest.raises(UserError, match="any_size needs policy=spatial"):
        resolve(NetConfig(any_size=True), sizes_of("connect_four"))


def test_every_setting_has_help_and_every_size_is_larger_than_the_last():
    assert all(option.help for option in options_of(NetConfig).values())
    widths = [size.channels for size in SIZES.values()]
    assert list(SIZES) == ["tiny", "small", "medium", "large"]
    assert widths == sorted(widths)
