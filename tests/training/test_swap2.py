"""Swap2, where players move twice and choose colours, is learned like the rest."""

from pathlib import Path

import pytest
from small_trainings import train_tiny

from ludens.agents import make_agent
from ludens.loading.game import load_game
from ludens.state import State
from ludens.store.run import Run

SPEC = "gomoku:size=5,row=4,opening=swap2"
FEW = ("selfplay.positions=40", "selfplay.games=2", "search.sims=4")


def test_a_training_by_swap2_keeps_whole_games_and_a_net(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDENS_COMPILE", "0")
    witness = train_tiny(tmp_path / "run", SPEC, 1, FEW)
    assert witness.iterations[0]["steps"] > 0
    game = load_game(SPEC)
    with Run.open(tmp_path / "run") as run:
        played = list(run.games())
        net = run.nets()[1]
    assert played
    for one in played:
        state = State.replay(game, one.history.tolist())
        assert state.result == one.result
        assert {25, 26, 27} & set(state.history)
    state = game.new()
    state.apply_moves("a1 b2 c3")
    agent = make_agent(f"net:weights={net},sims=4", game, 0)
    assert agent.choose(state) in state.legal_actions()
