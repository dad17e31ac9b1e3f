"""The positions that a query is about."""

from ludens.errors import UserError
from ludens.game import CHANCE
from ludens.loading.game import Game
from ludens.protocols.queries import BadQuery, Position
from ludens.state import State


def last_position(game: Game, asked: Position) -> State:
    """Return the position that the moves lead to."""
    *_, last = turns(game, asked).values()
    return last


def turns(game: Game, asked: Position) -> dict[int, State]:
    """Return the positions of a game by the number of moves before them.

    They do not know what chance will do.
    """
    field = "moves" if asked.history is None else "history"
    if asked.history is not None and asked.moves:
        raise BadQuery("moves and history are given, and one is enough", "history")
    try:
        start = game.new(asked.seed, asked.setup) if field == "moves" else State(game)
    except UserError as error:
        raise BadQuery(error, "setup") from None
    found = {0: start.copy()}
    try:
        if asked.history is None:
            for _ in start.play_moves(asked.moves_text):
                found[start.num_plies] = start.copy()
            return found
        for step in asked.history:
            start.apply_step(step)
            if start.to_play != CHANCE:
                found[start.num_plies] = start.copy()
        start.roll_from(asked.seed)
    except UserError as error:
        raise BadQuery(error, field) from None
    return found | {start.num_plies: start.copy()}
