"""How games end, in words."""

import random

import pytest

from ludens.formats.words import ending
from ludens.loading.game import load_game
from ludens.state import State

NAMES = ("you", "Rook")


def played(spec: str, moves: str) -> State:
    state = load_game(spec, compiled=False).new()
    state.apply_moves(moves)
    return state


@pytest.mark.parametrize(
    ("spec", "moves", "words"),
    [
        ("tic_tac_toe", "a1 b1 b2 c1 c3", "You won after 5 moves."),
        ("connect_four", "112233", "Not finished after 6 moves."),
        ("connect_four", "1122334", "You won after 7 moves (4 in a row)."),
        (
            "gomoku:size=9",
            "i9 a1 i7 b1 i5 c1 i3 d1 i1 e1",
            "Rook won after 10 moves (5 in a row).",
        ),
    ],
)
def test_an_end_is_explained(spec: str, moves: str, words: str) -> None:
    assert ending(played(spec, moves), NAMES) == words


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("pyrga", "towers: "),
        ("pyrga:tiebreak=stacks", ": "),
        ("triple_triad", "cards: "),
        ("triangle", "no shape fits"),
    ],
)
def test_every_game_has_a_reason_to_end(spec: str, reason: str) -> None:
    state, rng = load_game(spec, compiled=False).new(seed=2), random.Random(5)
    while not state.is_over:
        state.apply(rng.choice(state.legal_actions()))
    assert reason in ending(state, NAMES)
