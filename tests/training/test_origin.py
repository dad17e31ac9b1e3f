"""A training that begins with the weights of another, or with its games."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_trainings import PLACE, TINY, Witness, begin, load, train_tiny

from ludens.errors import UserError
from ludens.infer.evaluator import make_evaluator
from ludens.learn.config import ReplayConfig
from ludens.loading.game import load_game
from ludens.nets.config import NetConfig
from ludens.nets.grafting import STEM, checksum, graft
from ludens.nets.weights import load_net, new_net
from ludens.store.origin import Origin
from ludens.store.run import Run
from ludens.training.loop import Training
from ludens.training.origin import take_weights
from ludens.training.records import (
    RunRecords,
    has_moves_of,
    open_records,
    split_records,
)
from ludens.training.session import Wish, open_run, train

TIC_TAC_TOE = load("tic_tac_toe")
SETS = [one for one in TINY if not one.startswith("net.")]
SMALL = NetConfig(blocks=1, channels=8, hidden=8)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run of two iterations."""
    folder = tmp_path_factory.mktemp("other") / "run"
    train_tiny(folder, "tic_tac_toe", 2)
    return folder


def open_from(folder: Path, source: object, *sets: str) -> Run:
    wish = Wish(sets=[*SETS, "budget.iterations=1", *sets], origin=str(source))
    run, _ = open_run(TIC_TAC_TOE, folder, wish, lambda config: None)
    return run


def test_what_fits_is_taken_and_the_rest_begins_anew() -> None:
    small, large = (load_game(f"gomoku:size={n}", compiled=False) for n in (5, 6))
    source, net = new_net(small, SMALL, 1), new_net(large, SMALL, 2)
    found = graft(net, source)
    taken = {n for n, t in net.tensors.items() if t.shape == source.tensors[n].shape}
    for name, tensor in found.net.tensors.items():
        wanted = source if name in taken else net
        assert np.array_equal(tensor, wanted.tensors[name])
    assert found.num_taken == len(taken) == len(net.tensors) - len(found.anew)
    assert found.anew == ("value/hidden/weight, which is 8x116 there and 8x160 here",)


@pytest.mark.parametrize("model", ["rules", "learned"])
def test_all_of_a_net_for_any_size_fits_another_board(model: str) -> None:
    small, large = (load_game(f"gomoku:size={n}", compiled=False) for n in (5, 6))
    config = replace(SMALL, any_size=True, model=model)
    source = new_net(small, config, 1)
    found = graft(new_net(large, config, 2), source)
    assert found.anew == ()
    assert checksum(found.net) == checksum(source)
    planes = np.ones((2, *large.observation_shape), np.float32)
    answers = make_evaluator(found.net, "cpu", "f32")(planes)
    assert answers.logits.shape == (2, 36)
    assert np.isfinite(answers.values).all()


def test_a_net_begins_as_one_that_sees_less_plays() -> None:
    few, more = (
        load_game(f"gomoku:size=5,{options}", compiled=False)
        for options in ("history=1,threats=false", "rule=standard")
    )
    source = Origin("few", new_net(few, SMALL, 1))
    found = take_weights(new_net(more, SMALL, 2), source, more)
    assert found.share_taken == 1
    assert len(found.anew) == 8
    assert found.anew[0] == "the plane 'points for an own row of 5', which it has not"
    stem, old = found.net.tensors[STEM], source.net.tensors[STEM]
    assert np.array_equal(stem[:, :3], old[:, :3])
    assert not stem[:, 3:].any()


def test_the_settings_of_the_net_are_those_of_the_origin(other, tmp_path) -> None:
    with open_from(tmp_path / "run", other) as run:
        witness = Witness()
        begin(run, witness)
        net = load_net(run.nets()[0])
    assert net.card.config.channels == 8
    assert checksum(net) == checksum(load_net(other / "nets" / "000002.safetensors"))
    assert witness.said[0].endswith("28 of 28 tensors fit, 100.0 % of weights")


def test_a_run_goes_on_though_its_origin_is_gone(other, tmp_path) -> None:
    with open_from(tmp_path / "whole", other) as run:
        begin(run).train()
        wanted = list(run.nets().values())
    source = tmp_path / "source"
    shutil.copytree(other, source)
    open_from(tmp_path / "again", source).close()  # killed before its first net
    shutil.rmtree(source)
    with open_from(tmp_path / "again", source) as run:
        begin(run).train()
        mine = list(run.nets().values())
    for path, theirs in zip(mine, wanted, strict=True):
        assert checksum(load_net(path)) == checksum(load_net(theirs))


def test_other_weights_are_refused_in_one_line(other, tmp_path) -> None:
    with open_from(tmp_path / "run", other):
        pass
    older = other / "nets" / "000001.safetensors"
    with pytest.raises(UserError, match=r"not with .*; start another run with --run"):
        open_from(tmp_path / "run", older)
    newest = other / "nets" / "000002.safetensors"  # the same weights by another name
    open_from(tmp_path / "run", newest).close()


def test_a_net_of_which_nothing_fits_is_refused() -> None:
    net = new_net(TIC_TAC_TOE, SMALL, 1)
    strange = replace(net, tensors={f"x/{n}": t for n, t in net.tensors.items()})
    with pytest.raises(UserError, match="cannot begin with it: none of its tensors"):
        take_weights(net, Origin("it", strange), TIC_TAC_TOE)


def test_games_of_another_run_bring_their_policies(other) -> None:
    records = open_records(TIC_TAC_TOE, other, ReplayConfig())
    assert isinstance(records, RunRecords)
    with Run.open(other) as run:
        games = list(run.games())
    found = records.read()
    assert [one.number for one in found] == [one.number for one in games]
    said: list[str] = []
    nothing = TIC_TAC_TOE.states(0)
    data = split_records(records, ReplayConfig(), nothing, 0.2, 0, said.append)
    batch = data.train.sample(64, np.random.default_rng(0))
    assert ((batch.policies > 0) & (batch.policies < 1)).any()
    assert "games to learn from" in said[-1]


def test_a_run_of_another_game_is_refused(other) -> None:
    records = open_records(
        load_game("gomoku:size=5", compiled=False), other, ReplayConfig()
    )
    with pytest.raises(UserError, match="is of tic_tac_toe, not of gomoku:size=5"):
        records.read()


def test_games_are_learned_from_whatever_else_was_observed() -> None:
    few, more = (
        load_game(f"gomoku:size=5{options}", compiled=False)
        for options in (",threats=false", "")
    )
    assert has_moves_of(more, few.spec, few.behaviour)
    assert has_moves_of(more, more.spec, few.behaviour)  # as before the option was
    assert has_moves_of(few, more.spec, more.behaviour)
    other = load_game("gomoku:size=5,row=4", compiled=False)
    assert not has_moves_of(more, other.spec, other.behaviour)


def test_learning_from_a_run_needs_no_self_play(other, tmp_path) -> None:
    wish = Wish(sets=[*TINY, "budget.iterations=1", "learn.records_epochs=1"])
    run, config = open_run(TIC_TAC_TOE, tmp_path / "run", wish, lambda config: None)
    with run:
        training = Training(TIC_TAC_TOE, config, run, Witness(), PLACE)
        training.learn_from_records(open_records(TIC_TAC_TOE, other, config.replay))
        training.train()
        assert run.totals().games == 0
        assert sorted(run.nets()) == [0, 1]


def test_python_begins_with_weights_and_games_as_the_command_does(
    other: Path, tmp_path: Path
) -> None:
    pairs = dict(one.split("=") for one in SETS)
    settings = pairs | {"budget.iterations": 1, "learn.records_epochs": 1}
    how = {"from_net": other, "records": other, "device": "cpu"}
    with train(TIC_TAC_TOE, settings, tmp_path / "run", **how) as run:
        assert run.facts()["origin"] == str(other)
        assert "records_loss" in run.metrics()[-1]
    with pytest.raises(UserError, match="there is no file, folder or run"):
        train(TIC_TAC_TOE, settings, tmp_path / "none", records=tmp_path / "nothing")
    assert not (tmp_path / "none").exists()
