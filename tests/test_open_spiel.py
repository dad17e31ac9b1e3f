"""Rules against OpenSpiel, an independent engine."""

import numpy as np
import pyspiel
import pytest

from ludens import load_game

GAMES = 1000


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
def test_same_legal_moves_and_results_as_open_spiel(name: str) -> None:
    generator = np.random.default_rng(7)
    game, theirs = load_game(name), pyspiel.load_game(name)
    lengths = set()
    for _ in range(GAMES):
        state, other = game.new(), theirs.new_initial_state()
        while not state.is_over:
            assert not other.is_terminal()
            assert state.to_play == other.current_player()
            assert state.legal_actions() == other.legal_actions()
            action = int(generator.choice(state.legal_actions()))
            state.apply(action)
            other.apply_action(action)
        assert other.is_terminal()
        assert state.result == other.returns()[0]
        lengths.add(state.num_plies)
    assert len(lengths) > 4


def test_gomoku_freestyle_as_mnk_of_open_spiel() -> None:
    generator = np.random.default_rng(8)
    game = load_game("gomoku:size=7")
    theirs = pyspiel.load_game("mnk(m=7,n=7,k=5)")
    for _ in range(200):
        state, other = game.new(), theirs.new_initial_state()
        while not state.is_over:
            assert state.legal_actions() == other.legal_actions()
            action = int(generator.choice(state.legal_actions()))
            state.apply(action)
            other.apply_action(action)
        assert other.is_terminal()
        assert state.result == other.returns()[0]
