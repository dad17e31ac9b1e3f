"""Environments train, resume to the same bytes, and leave a run intact when broken."""

from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest
from small_trainings import PLACE, Witness, open_tiny

import tiny_environments  # noqa: F401 - Gymnasium knows them now
from faults.made_runs import is_same
from ludens import UserError
from ludens.agents import agent_maker
from ludens.agents.agent import Limit
from ludens.learn.config import ReplayConfig
from ludens.learn.positions import replay_games
from ludens.learn.tables import UNKNOWN
from ludens.loading.game import load_game
from ludens.nets.weights import load_net
from ludens.store.run import Run
from ludens.training.config import parse_config, read_config
from ludens.training.loop import Training
from ludens.training.trial import try_out

FEW = ("selfplay.positions=40", "selfplay.games=3", "search.sims=4", "net.hidden=8")
load = cache(lambda spec: load_game(spec, compiled=False))


def train(folder: Path, spec: str, iterations: int, *sets: str) -> Witness:
    """Train in an environment for so many iterations."""
    witness, sets = Witness(), (*FEW, *sets, "budget.iterations=2")
    with open_tiny(folder, load(spec), sets) as run:
        config = parse_config(run.facts()["config"], "the run")
        config = replace(config, budget=replace(config.budget, iterations=iterations))
        Training(load(spec), config, run, witness, PLACE).train()
    return witness


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two iterations in one go."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    train(folder, "gym:Corridor-v0", 2)
    return folder


def test_a_run_in_parts_ends_in_the_same_bytes(whole: Path, tmp_path: Path):
    folder = tmp_path / "run"
    train(folder, "gym:Corridor-v0", 1)
    train(folder, "gym:Corridor-v0", 2)
    assert_same(whole, folder)


def test_its_net_plays_with_as_many_simulations_as_it_learned_with(whole: Path):
    game, net = load("gym:Corridor-v0"), f"net:weights={whole}"
    assert agent_maker(net, game)(0).default.sims == 4
    assert agent_maker(f"{net},sims=9", game)(0).default.sims == 9
    assert agent_maker(net, game, Limit(sims=9))(0).default.sims == 9


def test_a_run_with_codes_for_chance_in_parts_ends_in_the_same_bytes(tmp_path: Path):
    sets = ("net.codes=4", "replay.reanalyse=0.5", "replay.prioritised=true")
    one, other = tmp_path / "one" / "run", tmp_path / "other" / "run"
    for folder, iterations in ((one, 2), (other, 1), (other, 2)):
        told = train(folder, "gym:Coin-v0", iterations, *sets)
    assert told.iterations[-1]["loss_chance"] > 0
    assert_same(one, other)


def test_nothing_is_searched_again_while_no_episode_ends(tmp_path: Path):
    sets = ("replay.reanalyse=0.5", "selfplay.positions=2", "selfplay.games=2")
    told = train(tmp_path / "run", "gym:Corridor-v0", 20, *sets)
    ended = [metrics["games"] > 0 for metrics in told.iterations]
    assert (True, False) in pairwise(ended)
    assert len(ended) == 20


def assert_same(whole: Path, parts: Path) -> None:
    """Check that two runs have the same games and nets."""
    with Run.open(whole) as one, Run.open(parts) as other:
        assert len(list(one.games())) > 2
        for games in (Run.games, Run.unfinished):
            pairs = zip(games(one), games(other), strict=True)
            for mine, theirs in pairs:
                assert mine.trace.is_like(theirs.trace)
                assert is_same(replace(mine, trace=None), replace(theirs, trace=None))
        nets = [load_net(run.nets()[2]).to_bytes() for run in (one, other)]
        card = nets[0].index(b"__metadata__")
        assert nets[0][card:] == nets[1][card:]


def test_what_was_seen_is_kept_and_learned_from(whole: Path):
    with Run.open(whole) as run:
        games = list(run.games())
    assert {game.ending for game in games} <= {"played", "cut"}
    columns = replay_games(load("gym:Corridor-v0"), ReplayConfig(), games)
    assert len(columns.states) == sum(game.num_positions for game in games)
    assert (columns.facts["reward"] != 0).all()
    first = games[0].trace
    assert columns.states[0]["observation"].tolist() == first.observations[0].tolist()


def test_a_cut_episode_has_no_end_and_is_worth_what_its_last_root_says(whole: Path):
    game = load("gym:Corridor-v0")
    with Run.open(whole) as run:
        played = next(run.games())
    num_plies = len(played.kinds)
    values = np.arange(1, num_plies + 1, dtype=np.float32)
    rewards = np.full(num_plies, 0.5, np.float32)
    to_play = np.zeros(num_plies + 1, np.int8)
    cut = replace(
        played,
        ending="cut",
        is_over=False,
        values=values,
        trace=played.trace._replace(rewards=rewards, to_play=to_play),
    )
    facts = replay_games(game, ReplayConfig(n_steps=2, discount=0.5), [cut]).facts
    assert not facts["has_end"].any()
    assert facts["after"][-1] == UNKNOWN
    assert facts["value"][-1] == values[-1]
    assert facts["value"][-2] == 0.5 + 0.5 * values[-1]
    assert facts["value"][0] == 0.5 + 0.5 * (0.5 + 0.5 * values[2])


def test_a_damaged_trace_costs_one_game(whole: Path, tmp_path: Path):
    folder = copytree(whole, tmp_path / "run")
    with Run.open(folder, write=True) as run:
        numbers = [game.number for game in run.games()]
        run.base.execute(
            "UPDATE traces SET content = x'00' WHERE number = ?", (numbers[0],)
        )
    with Run.open(folder) as run:
        assert [game.number for game in run.games()] == numbers[1:]
        assert "trace" in run.damage[0]


def test_an_environment_that_fails_leaves_the_run_intact(tmp_path: Path):
    folder, spec = tmp_path / "run", "gym:CorridorRaise-v0"
    with pytest.raises(UserError, match="fails at action") as told:
        train(folder, spec, 1, "net.value_low=-1", "net.value_high=1")
    assert "\n" not in str(told.value)
    with Run.open(folder) as run:
        assert run.newest_iteration == 0
        assert run.damage == []


def test_an_environment_that_is_not_the_same_again_goes_on(tmp_path: Path):
    folder, spec = tmp_path / "run", "gym:CorridorAnotherStartEachTime-v0"
    told = train(folder, spec, 2)
    assert sum("did not do the same again" in line for line in told.said) == 1
    with Run.open(folder) as run:
        assert run.newest_iteration == 2


def test_two_players_are_examined_against_random_play(tmp_path: Path):
    pytest.importorskip("pyspiel")
    sets = ("evaluate.every=1", "evaluate.games=2", "net.trunk=mlp")
    told = train(tmp_path / "run", "pyspiel:tic_tac_toe", 1, *sets)
    assert [match[1] for match in told.iterations[0]["matches"]] == ["random"]


def test_environments_that_say_that_they_have_chance_get_codes():
    for spec, codes in (("Coin-v0", 32), ("FrozenLake-v1", 32), ("Corridor-v0", 0)):
        assert read_config(load(f"gym:{spec}")).net.codes == codes
    with pytest.raises(UserError, match=r"needs replay\.unroll of at least 2"):
        read_config(load("gym:Coin-v0"), sets=["replay.unroll=1"])
    with pytest.raises(UserError, match="tic_tac_toe has rules, which tell what"):
        read_config(load("tic_tac_toe"), method="muzero", sets=["net.codes=8"])
    with pytest.raises(UserError, match="is for a learned model"):
        read_config(load("tic_tac_toe"), sets=["net.codes=8"])


def test_muzero_is_the_method_and_bounds_come_from_random_episodes():
    game = load("gym:Corridor-v0")
    config = read_config(game)
    assert (config.net.model, config.net.trunk) == ("learned", "mlp")
    assert config.net.value_low < -0.07
    assert config.net.reward_high == pytest.approx(0.18)
    slope = read_config(load("gym:Slope-v0")).net
    assert slope.value_low < -0.5
    assert slope.value_high > 0.03  # no random episode shows a value above 0
    given = read_config(game, sets=["net.value_low=-5", "net.value_high=5"])
    assert (given.net.value_low, given.net.value_high) == (-5, 5)
    with pytest.raises(UserError, match="has no rules; use --method muzero"):
        read_config(game, method="alphazero")
    with pytest.raises(UserError, match="has no rules; use --method muzero"):
        try_out(game, read_config(game, sets=["net.model=rules"]), PLACE)
