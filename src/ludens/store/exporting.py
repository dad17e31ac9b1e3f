"""The games of a run for other programs: positions as arrays, records as lines."""

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludens.errors import UserError
from ludens.files import write_bytes
from ludens.formats.record import Record
from ludens.formats.strict import to_json
from ludens.loading.environments.sources import is_environment
from ludens.loading.game import Game, parse_spec, title_of
from ludens.selfplay.share import FULL, NOT_SEARCHED, GameRecord
from ludens.state import State

Array = NDArray[Any]
KINDS = {
    "planes": np.float32,
    "legal": np.bool_,
    "policies": np.float32,
    "values": np.float32,
    "results": np.float32,
    "actions": np.int32,
    "players": np.int8,
    "games": np.int64,
    "plies": np.int32,
    "is_full": np.bool_,
}
"""The arrays of positions, in the order of `Position`."""


class Position(NamedTuple):
    """A position that was searched; value and result are for the player to move."""

    planes: Array
    legal: Array
    policy: Array
    value: float
    result: float
    action: int
    player: int
    game: int
    ply: int
    is_full: bool


def positions(game: Game, played: GameRecord) -> Iterator[Position]:
    """Give the positions of a game that were searched."""
    for ply, (state, action) in enumerate(_turns(game, played)):
        if played.kinds[ply] == NOT_SEARCHED:
            continue
        planes, legal, player = _seen(game, played, ply, state)
        sign = 1 - 2 * player if game.num_players == 2 else 1
        yield Position(
            planes,
            legal,
            played.policies[ply],
            float(played.values[ply]),
            sign * played.result,
            action,
            player,
            played.number,
            ply,
            bool(played.kinds[ply] == FULL),
        )


def _turns(game: Game, played: GameRecord) -> Iterator[tuple[State | None, int]]:
    """Give each position in which a player moved, and the action.

    Only the trace of an environment's episode knows its positions.
    """
    if played.trace is not None:
        yield from ((None, int(action)) for action in played.history)
        return
    state = State(game)
    for step in played.history.tolist():
        if not state.is_chance:
            yield state, step
        state.apply_step(step)


def _seen(
    game: Game, played: GameRecord, ply: int, state: State | None
) -> tuple[Array, Array, int]:
    """Return the planes, what is legal, and whose turn it is."""
    if state is not None:
        return state.observe(), state.legal_mask(), state.to_play
    trace = played.trace
    assert trace is not None
    seen = trace.observations[ply].reshape(game.observation_shape)
    return seen, trace.legal[ply], int(trace.to_play[ply])


def arrays_of(game: Game, games: Iterable[GameRecord]) -> dict[str, Array]:
    """Return all positions of games as arrays [N, ...] by the names of KINDS."""
    found = [each for played in games for each in positions(game, played)]
    if not found:
        raise UserError("there are no games yet")
    columns = zip(*found, strict=True)
    pairs = zip(KINDS.items(), columns, strict=True)
    return {name: np.array(column, kind) for (name, kind), column in pairs}


def save_npz(arrays: dict[str, Array], path: Path) -> None:
    """Write arrays as NumPy's compressed archive."""
    target = io.BytesIO()
    np.savez_compressed(target, allow_pickle=False, **arrays)
    write_bytes(path, target.getvalue())


def save_parquet(arrays: dict[str, Array], path: Path) -> None:
    """Write arrays as a table of Parquet; what has dimensions becomes flat lists."""
    import pyarrow
    from pyarrow import parquet

    columns = {}
    for name, array in arrays.items():
        column = pyarrow.array(array.reshape(-1))
        if array.ndim > 1:
            width = array[0].size
            column = pyarrow.FixedSizeListArray.from_arrays(column, width)
        columns[name] = column
    target = io.BytesIO()
    shape = {"planes_shape": str(arrays["planes"].shape[1:])}
    table = pyarrow.table(columns).replace_schema_metadata(shape)
    parquet.write_table(table, target)
    write_bytes(path, target.getvalue())


def save_lines(game: Game, games: Iterable[GameRecord], path: Path) -> int:
    """Write a line of JSON for each game; return how many there are."""
    lines = [to_json(_line(game, played), compact=True) for played in games]
    if not lines:
        raise UserError("there are no games yet")
    write_bytes(path, "".join(f"{line}\n" for line in lines).encode())
    return len(lines)


def _line(game: Game, played: GameRecord) -> dict[str, Any]:
    """Return a game as a record, and what was thought of each of its positions."""
    searches = []
    for ply, (state, action) in enumerate(_turns(game, played)):
        assert state is not None
        if played.kinds[ply] != NOT_SEARCHED:
            policy = played.policies[ply]
            names = {
                state.action_name(a): float(policy[a]) for a in policy.nonzero()[0]
            }
            searches.append(
                {
                    "ply": ply,
                    "player": state.to_play,
                    "move": state.action_name(action),
                    "value": float(played.values[ply]),
                    "policy": names,
                    "is_full": bool(played.kinds[ply] == FULL),
                }
            )
    return {
        "number": played.number,
        "net": played.net,
        "result": played.result,
        "ending": played.ending,
        "record": record_of_run(game.spec, played).written(),
        "search": searches,
    }


def record_of_run(spec: str, played: GameRecord) -> Record:
    """Return a game that a run has played as a record; a resigned one is agreed."""
    name, chosen = parse_spec(spec)
    if is_environment(name):
        raise UserError(f"the games of {name} are no records")
    return Record.foreign(
        list(range(len(played.history))),
        game=title_of(name),
        options=chosen,
        history=played.history.tolist(),
        agreed=int(played.result) if played.ending == "resigned" else None,
    )
