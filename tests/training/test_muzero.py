"""A training that learns a model: resumed in the same bytes, shown with its errors."""

from pathlib import Path

import pytest
from small_trainings import Witness, begin, load, open_tiny, train_tiny

from faults.sessions import contents
from ludens import State, UserError, make_agent
from ludens.report.page import make_report
from ludens.training.config import read_config
from ludens.training.session import Wish, open_run

GAME = load("tic_tac_toe")
LEARNED = (
    *("net.model=learned", "evaluate.every=1", "evaluate.games=2"),
    *("replay.unroll=3", "evaluate.earlier=0"),
)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two iterations in one go."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    train_tiny(folder, "tic_tac_toe", 2, LEARNED)
    return folder


def test_a_training_that_was_left_ends_in_the_same_bytes(trained, tmp_path):
    for _ in range(2):
        witness = Witness()
        sets = [*LEARNED, "budget.iterations=2"]
        with open_tiny(tmp_path / "run", GAME, sets) as run:
            begin(run, witness, lambda seen=witness: bool(seen.iterations)).train()
        assert len(witness.iterations) == 1
    assert contents(tmp_path / "run") == contents(trained)


def test_errors_are_told_by_the_number_of_steps_imagined(trained):
    with open_tiny(trained, GAME) as run:
        newest = run.metrics()[-1]
        page = make_report(run, GAME)
    for depth in (1, 2, 3):
        assert 0 <= newest[f"value_error_{depth}"] <= 2
        assert 0 <= newest[f"legality_accuracy_{depth}"] <= 1
        assert 0 <= newest[f"illegal_mass_{depth}"] <= 1
    assert "value_error_4" not in newest
    assert "Error of values, by steps imagined" in page


def test_a_net_with_a_model_plays_like_any_other(trained):
    agent = make_agent(f"net:weights={trained},sims=16", GAME, seed=1)
    state = State(GAME)
    while not state.is_over:
        found = agent.analyse(state)
        assert found.visits == 16
        assert not found.proof
        assert found.to_json()["rootInfo"]["isImagined"]
        for move in found.moves:  # lines of moves that can be played
            line = state.copy()
            for name in move.pv:
                line.apply(name)
        state.apply(agent.choose(state))


def test_a_run_keeps_its_method(trained):
    wish = Wish(method="alphazero")
    with pytest.raises(UserError, match="keeps its net"):
        open_run(GAME, trained, wish, lambda config: None)


def test_an_unknown_method_is_refused_by_name():
    with pytest.raises(UserError, match="no method 'muzeros'; did you mean 'muzero'"):
        read_config(GAME, method="muzeros")
