"""Counts of games and positions against published numbers."""

import numpy as np

import perft
from ludens import Game, load_game


def count_games(game: Game) -> int:
    """Return how many different games there are, by playing them all."""
    kernel = game.kernel(perft)
    return int(kernel.count_games(game.states(game.plain.MAX_PLIES + 1)))


def positions_by_ply(game: Game, plies: int) -> list[int]:
    """Return the number of distinct positions after 0, 1, ... moves."""
    kernel = game.kernel(perft)
    layer = game.states(1)
    game.rules.start(layer[0])
    counts = [1]
    for _ in range(plies):
        children = kernel.children(layer)
        layer = np.unique(children.view((np.void, children.dtype.itemsize)))
        layer = layer.view(game.plain.STATE)
        counts.append(len(layer))
    return counts


def test_tic_tac_toe_has_255168_games_and_5478_positions() -> None:
    game = load_game("tic_tac_toe")
    assert count_games(game) == 255_168
    counts = positions_by_ply(game, 9)
    assert counts == [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    assert sum(counts) == 5_478


def test_connect_four_positions_by_ply_are_the_published_ones() -> None:
    counts = positions_by_ply(load_game("connect_four"), 9)
    published = [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275, 558186]
    assert counts == published
