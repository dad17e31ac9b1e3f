"""A game that is exported for muzero-general is the same game there."""

from random import Random

import numpy as np
import pytest
from exported import export, module_of, self_play, target_value

from ludens.envs.muzero_general import MARK, make_file
from ludens.envs.muzero_general.player import play
from ludens.envs.muzero_general.trial import Difference, follow, try_out
from ludens.loading.game import load_game

GAMES = [
    ("tic_tac_toe", 20),
    ("connect_four:rows=4,columns=5", 3),
    ("gomoku:size=6,row=4", 2),
    ("gomoku:size=5,rule=renju,history=2", 2),
    ("pyrga", 1),
    ("triple_triad", 2),
    ("triple_triad:elemental=true,same=true,plus=true,hands=random", 1),
    ("triangle:line_features=false", 2),
]
ATTRIBUTES = (
    "PER", "PER_alpha", "action_space", "batch_size", "blocks", "channels",
    "checkpoint_interval", "discount", "downsample", "encoding_size",
    "fc_dynamics_layers", "fc_policy_layers", "fc_representation_layers",
    "fc_reward_layers", "fc_value_layers", "lr_decay_rate", "lr_decay_steps",
    "lr_init", "max_moves", "max_num_gpus", "momentum", "muzero_player", "network",
    "num_simulations", "num_unroll_steps", "num_workers", "observation_shape",
    "opponent", "optimizer", "pb_c_base", "pb_c_init", "players", "ratio",
    "reanalyse_on_gpu", "reduced_channels_policy", "reduced_channels_reward",
    "reduced_channels_value", "replay_buffer_size", "resnet_fc_policy_layers",
    "resnet_fc_reward_layers", "resnet_fc_value_layers", "results_path",
    "root_dirichlet_alpha", "root_exploration_fraction", "save_model", "seed",
    "self_play_delay", "selfplay_on_gpu", "stacked_observations", "support_size",
    "td_steps", "temperature_threshold", "train_on_gpu", "training_delay",
    "training_steps", "use_last_model_value", "value_loss_weight", "weight_decay",
)  # fmt: skip


@pytest.fixture(scope="module")
def tic_tac_toe():
    return load_game("tic_tac_toe", compiled=False)


@pytest.fixture(scope="module")
def text(tic_tac_toe):
    return make_file(tic_tac_toe).text


@pytest.mark.parametrize(("spec", "games"), GAMES)
def test_every_game_is_played_as_by_the_rules(spec, games):
    game = load_game(spec, compiled=False)
    module = module_of(make_file(game).text)
    exported, config = module.Game(7), module.MuZeroConfig()
    for number in range(games):
        by_expert = number == 1 and game.num_actions < 50
        played = play(exported, config.max_moves, Random(number), by_expert)
        follow(game, played, f"game {number}")


@pytest.mark.parametrize(("spec", "_"), GAMES)
def test_every_attribute_that_muzero_general_reads_is_there(spec, _):
    game = load_game(spec, compiled=False)
    config = export(spec).MuZeroConfig()
    assert [name for name in ATTRIBUTES if not hasattr(config, name)] == []
    assert config.observation_shape == game.observation_shape
    assert config.action_space == list(range(game.num_actions))
    assert config.max_moves >= game.plain.MAX_PLIES  # a cut would count as an end
    temperatures = [config.visit_softmax_temperature_fn(n) for n in (0, 10**6)]
    assert temperatures == [1.0, 0.25]


def test_triple_triad_is_trained_as_it_was_first_set_up():
    config = export("triple_triad").MuZeroConfig()
    given = {
        "action_space": list(range(45)), "max_moves": 9, "players": [0, 1],
        "network": "resnet", "blocks": 1, "channels": 16, "support_size": 10,
        "training_steps": 1_000_000, "batch_size": 64, "num_simulations": 25,
        "discount": 1.0, "lr_init": 0.003, "replay_buffer_size": 3000,
        "num_unroll_steps": 20, "td_steps": 20, "PER": True,
    }  # fmt: skip
    assert {name: getattr(config, name) for name in given} == given


@pytest.mark.parametrize("opponent", ["self", "expert"])
def test_a_worker_of_muzero_general_learns_the_results(text, opponent):
    module = module_of(text)
    game, config, choose = module.Game(0), module.MuZeroConfig(), Random(0)
    results = set()
    for _ in range(30):
        history = self_play(game, config, choose, opponent)
        winner = float(module.result(game.state))
        for index, player in enumerate(history.turns[:-1]):
            expected = winner * (1 - 2 * player)
            assert target_value(history, index, config.discount) == expected
        results.add(winner)
    assert results == {1.0, -1.0, 0.0}


def test_who_loses_by_his_own_move_gets_the_negative_reward():
    module = export("pyrga")
    game, rewards = module.Game(3), set()
    for number in range(12):
        history = self_play(game, module.MuZeroConfig(), Random(number))
        mover = history.turns[-2]
        assert history.rewards[-1] == module.result(game.state) * (1 - 2 * mover)
        rewards.add(history.rewards[-1])
    assert -1.0 in rewards


def test_after_the_end_a_step_changes_nothing(text):
    game = module_of(text).Game()
    for action in (0, 3, 1, 4, 2):
        seen, reward, done = game.step(action)
    assert (reward, done, game.to_play()) == (1.0, True, 1)
    assert game.legal_actions() == list(range(9))
    again, reward, done = game.step(8)
    assert (reward, done, game.to_play()) == (0.0, True, 1)
    np.testing.assert_array_equal(again, seen)
    assert not game.reset().any()
    assert game.to_play() == 0


def test_an_illegal_action_is_refused(text):
    game = module_of(text).Game()
    game.step(4)
    with pytest.raises(ValueError, match="action 4 is not legal here"):
        game.step(4)


def test_the_expert_wins_and_blocks(text):
    game = module_of(text).Game(0)
    for moves, best in ((0, 3, 1), 2), ((0, 3, 8, 4), 5):
        game.reset()
        for action in moves:
            game.step(action)
        assert game.expert_agent() == best


def test_a_person_sees_the_board_and_names_a_move(text, monkeypatch, capsys):
    game = module_of(text).Game()
    lines = iter(["z9", " B2 "])
    monkeypatch.setattr("builtins.input", lambda _: next(lines))
    assert game.human_to_action() == 4
    assert "That is not a legal move. Legal: a1 b1" in capsys.readouterr().out
    game.step(4)
    game.render()
    assert capsys.readouterr().out == "  a b c\n1 . . .\n2 . X .\n3 . . .\n"
    assert game.action_to_string(np.int64(8)) == "c3"


def test_the_seed_decides_what_chance_does():
    module = export("triple_triad")
    one, twin, other = module.Game(1), module.Game(1), module.Game(2)
    assert one.outcomes == twin.outcomes != other.outcomes
    one.reset()
    assert one.outcomes != twin.outcomes


SLIPS = [
    (" * (1 - 2 * player)", "", "the reward is"),
    ("list(range(NUM_ACTIONS))", "[]", "the legal actions"),
    ("return self._player", "return 0", "the player to move: 0, not 1"),
    ("return planes", "return -planes", "the observation is not that"),
    ("return planes", "return planes.astype(float)", "the type of an observation"),
    ("bool(self.state.to_play < 0)", "False", "over: False, not True"),
    ("return self._observe(), 0.0, True", "return self._observe(), 1.0, True", "end"),
]


@pytest.mark.parametrize(("right", "wrong", "words"), SLIPS)
def test_the_trial_finds_a_file_that_is_wrong(tic_tac_toe, text, right, wrong, words):
    assert right in text
    game = module_of(text.replace(right, wrong)).Game()

    def compare():
        for number in range(5):
            played = play(game, 9, Random(number), by_expert=False)
            follow(tic_tac_toe, played, "a game")

    with pytest.raises(Difference, match=words):
        compare()


def test_the_trial_runs_the_file_where_there_is_no_ludens(tic_tac_toe, text):
    trial = try_out(text, tic_tac_toe, games=3)
    assert trial.games == 3
    assert 15 <= trial.moves <= 27
    with pytest.raises(Difference, match=r"does not run: .*ludens"):
        try_out(f"import ludens\n{text}", tic_tac_toe, games=1)


def test_a_file_is_small_readable_and_always_the_same(tic_tac_toe, text):
    assert text == make_file(tic_tac_toe).text
    assert text.startswith(f"{MARK}: ")
    assert max(map(len, text.splitlines())) <= 88
    assert len(text) < 12_000
    assert "ludens." not in text
    assert "np.record)" not in text
    small = make_file(load_game("triangle:line_features=false", compiled=False)).text
    whole = make_file(load_game("triangle", compiled=False)).text
    assert "chance_to_fit" in whole
    assert "chance_to_fit" not in small
    assert len(small) < 34_000
