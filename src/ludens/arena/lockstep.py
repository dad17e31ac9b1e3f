"""Many games at once between two movers, so that a network answers for all together.

The terms are those of a contest: one opening after the other, played twice with sides
swapped (in a game for one: once by each), chance drawn from the opening's own dice. The
same seed gives the same games.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ludens.arena.match import Played, Scores, Seating, Tally, ply_limit, seatings
from ludens.arena.movers import Mover
from ludens.arena.openings import agent_seed, default_plies, draw_openings
from ludens.loading.game import Game
from ludens.state import State

StopTest = Callable[[], bool]


@dataclass
class _Table:
    """A game under way."""

    number: int
    seating: Seating
    state: State
    seeds: list[int]
    """Of the mover of each side."""

    @property
    def mover(self) -> int:
        """The number of the mover whose turn it is."""
        return self.seating[self.state.to_play]


def play_lockstep(
    game: Game,
    movers: Sequence[Mover],
    pairs: int,
    seed: int = 0,
    opening_plies: int | None = None,
    max_plies: int = 0,
    should_stop: StopTest = lambda: False,
) -> Tally:
    """Play pairs of games with sides swapped; count them for the first mover."""
    tally = Tally()
    for pair in play_rounds(
        game, movers, pairs, seed, opening_plies, max_plies, should_stop
    ):
        tally.add(pair)
    return tally


def score_lockstep(
    game: Game,
    movers: Sequence[Mover],
    rounds: int,
    seed: int = 0,
    max_plies: int = 0,
    should_stop: StopTest = lambda: False,
) -> Scores:
    """Let each mover play a game for one with the same dice, so many times."""
    scores = Scores(len(movers))
    for games in play_rounds(game, movers, rounds, seed, 0, max_plies, should_stop):
        scores.add(games)
    return scores


def play_rounds(
    game: Game,
    movers: Sequence[Mover],
    rounds: int,
    seed: int = 0,
    opening_plies: int | None = None,
    max_plies: int = 0,
    should_stop: StopTest = lambda: False,
) -> list[tuple[Played, ...]]:
    """Return all games of each opening.

    A game of `max_plies` is cut there, a draw for two (0: as in a contest). Stopped
    early, only the rounds that are finished are returned.
    """
    plies = default_plies(game) if opening_plies is None else opening_plies
    tables = _lay(game, len(movers), rounds, seed, plies)
    limit = ply_limit(game, max_plies)
    waiting = [table for table in tables if _is_open(table, limit)]
    while waiting and not should_stop():
        for number, mover in enumerate(movers):
            _move(game, mover, [t for t in waiting if t.mover == number])
            waiting = [table for table in waiting if _is_open(table, limit)]
    return _finished_rounds(tables, limit, len(seatings(game, len(movers))))


def _lay(
    game: Game, num_movers: int, rounds: int, seed: int, plies: int
) -> list[_Table]:
    """Set up all games, round by round."""
    tables: list[_Table] = []
    for opening in islice(draw_openings(game, seed, plies), rounds):
        for seating in seatings(game, num_movers):
            seeds = [
                agent_seed(seed, opening, seating[0], side)
                for side in range(len(seating))
            ]
            state = opening.begin(game)
            tables.append(_Table(len(tables) + 1, seating, state, seeds))
    return tables


def _is_open(table: _Table, limit: int) -> bool:
    return not table.state.is_over and table.state.num_plies < limit


def _move(game: Game, mover: Mover, tables: Sequence[_Table]) -> None:
    """Let a mover make a move in all games that wait for it."""
    if not tables:
        return
    states = game.states(len(tables))
    for i, table in enumerate(tables):
        states[i] = table.state.raw
    plies = np.array([table.state.num_plies for table in tables], np.int64)
    seeds = np.array([t.seeds[t.state.to_play] for t in tables], np.int64)
    for table, action in zip(
        tables, mover.choose_many(states, plies, seeds), strict=True
    ):
        table.state.apply(int(action))


def _finished_rounds(
    tables: Sequence[_Table], limit: int, size: int
) -> list[tuple[Played, ...]]:
    rounds = [tables[i : i + size] for i in range(0, len(tables), size)]
    return [
        tuple(Played(t.number, t.seating, t.state) for t in games)
        for games in rounds
        if not any(_is_open(table, limit) for table in games)
    ]
