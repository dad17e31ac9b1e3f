"""Settings of a training: layers, typos, and files that give the same settings back."""

import subprocess
import sys
import tomllib
from dataclasses import fields

import pytest

from ludens.errors import UserError
from ludens.loading.game import game_files, load_game
from ludens.nets.config import SIZES, Sizes
from ludens.nets.shapes import trace
from ludens.settings import options_of
from ludens.training.config import (
    RENAMED,
    SECTIONS,
    Config,
    describe,
    parse_config,
    read_config,
    size_sets,
    to_toml,
)
from ludens.training.presets import BY_CELLS, MACHINES

FOUR = load_game("connect_four")
SPECS = [*game_files(), "gomoku:size=5", "gomoku:size=9", "connect_four:rows=4"]


def written(tmp_path, text):
    path = tmp_path / "my.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("preset", MACHINES)
@pytest.mark.parametrize("spec", SPECS)
def test_every_game_has_presets_and_reads_back_as_written(spec, preset):
    config = read_config(load_game(spec), preset)
    assert (config.game, config.preset, config.seed) == (spec, preset, 0)
    assert config.search.root == "gumbel"
    assert config.budget.minutes > 0 or config.budget.iterations > 0
    assert parse_config(to_toml(config), "a run") == config


@pytest.mark.parametrize("spec", SPECS)
def test_machines_are_told_apart_by_what_they_can_bear(spec):
    small, laptop, gpu = (read_config(load_game(spec), name) for name in MACHINES)
    cost = [trace(c.net, Sizes.of(load_game(spec))) for c in (small, laptop, gpu)]
    adds = [counted.multiply_adds for counted in cost]
    assert adds == sorted(set(adds))
    positions = [c.selfplay.positions for c in (small, laptop, gpu)]
    assert positions == sorted(positions)


def own_game(tmp_path, training):
    """Return a game file of one's own: tic-tac-toe with another TRAINING."""
    text = game_files()["tic_tac_toe"].read_text()
    path = tmp_path / "my_game.py"
    path.write_text(f"{text}\nTRAINING = {training!r}\n")
    return load_game(str(path))


def test_a_game_without_settings_of_its_own_gets_them_by_its_size(tmp_path):
    config = read_config(own_game(tmp_path, {}))
    assert config.net.channels == BY_CELLS["laptop"][12]["net"]["channels"]
    assert config.selfplay.positions == 8000


def test_a_game_brings_its_own_settings_which_win_over_the_preset(tmp_path):
    game = own_game(
        tmp_path,
        {
            "net": {"blocks": 3, "channels": 24},
            "small.net": {"blocks": 1},
            "small.budget": {"minutes": 3},
        },
    )
    for preset, (blocks, minutes) in {"small": (1, 3.0), "laptop": (3, 60.0)}.items():
        config = read_config(game, preset)
        assert (config.net.blocks, config.net.channels) == (blocks, 24)
        assert config.budget.minutes == minutes
        # What the game does not say is as the preset has it.
        learn = MACHINES[preset]["learn"]
        assert config.learn.batch_size == learn["batch_size"]
        assert config.net.hidden == BY_CELLS[preset][12]["net"]["hidden"]


def test_a_file_and_the_command_line_win_over_what_a_game_brings(tmp_path):
    game = own_game(tmp_path, {"net": {"blocks": 3, "channels": 24, "hidden": 16}})
    toml = written(tmp_path, "[net]\nblocks = 4\nchannels = 40")
    net = read_config(game, "small", toml, ["net.channels=56"]).net
    assert (net.blocks, net.channels, net.hidden) == (4, 56, 16)


@pytest.mark.parametrize(
    ("training", "message"),
    [
        ({"nets": {}}, "there is no section 'nets'; did you mean 'net'?"),
        ({"net": {"block": 3}}, "net has no setting 'block'; did you mean 'blocks'?"),
        ({"small.net": {"blocks": "x"}}, "net.blocks cannot be 'x'"),
        ({"smal.net": {}}, "there is no preset 'smal'; did you mean 'small'?"),
        ({"small.nets": {}}, "there is no section 'nets'; did you mean 'net'?"),
        ({"net": 3}, "write {section: {setting: value}}"),
        ({"net": {"blocks": [3]}}, "net.blocks cannot be [3]; it is a single value"),
        ([1], "write {section: {setting: value}}"),
    ],
)
def test_a_mistake_in_the_settings_of_a_game_is_one_line(tmp_path, training, message):
    game = own_game(tmp_path, training)
    with pytest.raises(UserError) as caught:
        read_config(game, "small")
    assert str(caught.value).startswith(f"{game.path}: TRAINING: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", list(game_files()))
def test_the_settings_of_every_game_are_settings(name):
    for preset in MACHINES:
        read_config(load_game(name), preset)


def test_every_machine_has_nets_by_the_size_of_the_board():
    assert set(BY_CELLS) == set(MACHINES)


def test_larger_boards_get_larger_nets():
    board, large = (read_config(load_game(f"gomoku:size={n}")) for n in (9, 15))
    tiny = read_config(load_game("tic_tac_toe"))
    assert tiny.net.blocks < board.net.blocks < large.net.blocks


def test_scores_are_learned_as_a_distribution():
    config = read_config(load_game("triangle"))
    assert config.net.value == "categorical"
    assert config.net.policy == "spatial"
    assert config.search.discount == config.replay.discount


def test_the_command_line_wins_over_the_file_and_that_over_the_preset(tmp_path):
    path = written(tmp_path, "seed = 3\n[learn]\nlr = 0.5\nuses = 7\n[net]\nblocks = 1")
    config = read_config(FOUR, "laptop", path, ["learn.lr=0.001", "net.reply=off"])
    assert (config.learn.lr, config.learn.uses) == (0.001, 7.0)
    assert (config.net.blocks, config.net.reply, config.seed) == (1, False, 3)
    assert config.selfplay == read_config(FOUR).selfplay
    assert read_config(FOUR, "laptop", path, ["seed=4"]).seed == 4


def test_a_file_may_name_its_preset_and_the_command_line_another(tmp_path):
    path = written(tmp_path, 'game = "connect_four"\npreset = "gpu"')
    assert read_config(FOUR, "", path) == read_config(FOUR, "gpu")
    assert read_config(FOUR, "laptop", path) == read_config(FOUR, "laptop")


def test_the_config_of_a_run_serves_as_a_file(tmp_path):
    config = read_config(FOUR, "gpu", None, ["seed=9", "evaluate.gate=true"])
    assert read_config(FOUR, "", written(tmp_path, to_toml(config))) == config


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("learn.lrr=1", "learn has no setting 'lrr'; did you mean 'lr'?"),
        ("lern.lr=1", "there is no section 'lern'; did you mean 'learn'?"),
        ("lr=1", "'lr' needs its section; write learn.lr"),
        ("learn=1", "learn is a section; write learn.key=value"),
        ("seed.x=1", "seed is a setting without a section; write seed=value"),
        ("sed=1", "there is no section 'sed'; did you mean 'seed'?"),
        ("learn.lr", "cannot read --set learn.lr; write section.key=value"),
        ("learn.lr=fast", "learn.lr cannot be 'fast'; allowed: 1e-09 to 10"),
        ("learn.lr=-1", "learn.lr cannot be '-1'; allowed: 1e-09 to 10"),
        ("learn.lr=nan", "learn.lr cannot be 'nan'; allowed: 1e-09 to 10"),
        (
            "net.blocks=1.5",
            "net.blocks cannot be '1.5'; allowed: a whole number, 0 to 100",
        ),
        ("keep.nets=1", "keep.nets cannot be '1'; allowed: 2 to 1000000"),
        ("search.root=gumble", "did you mean 'gumbel'?"),
        ("net.reply=maybe", "net.reply cannot be 'maybe'; allowed: true or"),
        ("learn.batch_size=999999999", "allowed: 1 to 100000"),
        ("selfplay.threads=100000", "allowed: 0 to 1024"),
        ("seed=x", "seed cannot be 'x'; allowed: a whole number, at least 0"),
        ("net.policy=spatial", "7 actions are not a multiple of 42 cells"),
    ],
)
def test_a_mistake_on_the_command_line_is_one_line(text, line):
    with pytest.raises(UserError) as caught:
        read_config(FOUR, sets=[text])
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_settings_that_do_not_go_together_are_one_line():
    with pytest.raises(UserError, match=r"^net: channels=30 must be a multiple of"):
        read_config(FOUR, sets=["net.layers=1", "net.channels=30"])
    with pytest.raises(UserError, match=r"^search.discount=0.9 and replay.discount=1"):
        read_config(FOUR, sets=["search.discount=0.9"])


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[learn]\nlrr = 1", "my.toml: learn has no setting 'lrr'; did you mean 'lr'?"),
        ("[lern]\nlr = 1", "my.toml: there is no section 'lern'; did you mean"),
        ("[lern]", "my.toml: there is no section 'lern'; did you mean 'learn'?"),
        ("lr = 1", "my.toml: 'lr' needs its section; write learn.lr"),
        ("learn = 1", "my.toml: learn is a section"),
        ("[learn]\nlr = true", "my.toml: learn.lr cannot be True; allowed"),
        ("[learn]\nlr = [1]", "my.toml: learn.lr cannot be [1]; it is a single value"),
        ("seed = [1]", "my.toml: seed cannot be [1]; it is a single value"),
        ("lr = [1]", "my.toml: lr cannot be [1]; it is a single value"),
        ("[seed]\nseed = 1", "my.toml: seed is a setting without a section; write"),
        ("[net]\nblocks = 2.5", "my.toml: net.blocks cannot be 2.5; allowed"),
        ("learn", "my.toml: Expected '='"),
        ('game = "pyrga"', "my.toml is for pyrga, not for connect_four"),
        ('preset = "lapto"', "there is no preset 'lapto'; did you mean 'laptop'?"),
    ],
)
def test_a_mistake_in_a_file_is_one_line_that_names_it(tmp_path, text, line):
    with pytest.raises(UserError) as caught:
        read_config(FOUR, "", written(tmp_path, text))
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"cannot read .*none\.toml: No such file"):
        read_config(FOUR, "", tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="it is not text"):
        read_config(FOUR, "", tmp_path / "bytes.toml")


@pytest.mark.parametrize(("section", "old"), RENAMED)
def test_former_names_of_settings_still_work(tmp_path, section, old):
    new = RENAMED[section, old]
    path = written(tmp_path, f"[{section}]\n{old} = 7\n")
    by_command = read_config(FOUR, sets=[f"{section}.{old}=7"])
    by_new_name = read_config(FOUR, sets=[f"{section}.{new}=7"])
    assert read_config(FOUR, toml=path) == by_command == by_new_name
    text = to_toml(by_command)
    assert old not in text
    before = text.replace(f"{new} =", f"{old} =")
    assert old in before
    assert parse_config(before, "an old run") == by_command


def test_a_config_without_its_game_is_refused():
    with pytest.raises(UserError, match="a run does not say which game it is for"):
        parse_config("seed = 1", "a run")


def test_every_setting_is_written_and_described_with_its_help():
    text, listed = to_toml(read_config(FOUR)), describe()
    assert set(SECTIONS) == {f.name for f in fields(Config)} - {
        "game",
        "seed",
        "preset",
    }
    for section, kind in SECTIONS.items():
        assert set(tomllib.loads(text)[section]) == set(options_of(kind))
        for name, option in options_of(kind).items():
            assert f"  # {option.help}\n" in text
            rows = [row for row in listed.splitlines() if f"  {section}.{name} " in row]
            assert len(rows) == 1
            assert option.help in rows[0]


def test_describing_the_settings_loads_nothing_heavy():
    script = (
        "import sys; from ludens.training.config import describe; describe();"
        "print(sorted({'numba', 'torch', 'openvino'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"


def test_a_net_has_the_size_asked_for():
    game = load_game("connect_four")
    sizes = [read_config(game, sets=size_sets(size)).net for size in SIZES]
    assert [net.channels for net in sizes] == [16, 32, 64, 128]
    assert [net.blocks for net in sizes] == [2, 4, 6, 10]
    assert size_sets("") == []
    with pytest.raises(UserError, match="did you mean 'small'"):
        size_sets("smal")
