"""Positions whose every move has an exact value, to measure players by."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.errors import UserError
from ludens.files import TensorFormat, write_bytes
from ludens.loading.game import Game
from ludens.rng import numpy_rng
from ludens.solver.exact import Solver, Unsolved
from ludens.state import State

NODES = 500_000
"""What solving one position may cost: connect four from about the tenth ply on."""
ADVANCE = 20
"""So many positions may be given up before one is solved, ..."""
NODES_EACH = 400_000
"""... and so many nodes more are allowed for each that is."""
FEW_TRIES = 2
MOST_TRIES = 3
"""A ply is left alone after a few tries if less than one in so many was solved."""
FEWEST = 10
"""Fewer positions than one in so many of those wanted say nothing."""
MOST_POSITIONS = 100_000
FORMAT = TensorFormat(
    "ludens graded positions 2",
    "graded positions",
    max_bytes=2**28,
    older=("", "ludens graded positions 1"),
)


@dataclass(frozen=True)
class Truth:
    """Positions [n] and what each legal move in them leads to."""

    states: Any
    plies: NDArray[np.int64]
    """[n] how far into its game a position is"""
    values: NDArray[np.float32]
    """[n, A] 1, 0, -1: won, drawn, lost for the player to move; NaN if not legal"""
    note: str = ""
    """Why there are fewer positions than asked for, in a sentence."""
    histories: tuple[tuple[int, ...], ...] = ()
    """[n] what led to each position"""

    def __len__(self) -> int:
        return len(self.states)

    @property
    def best(self) -> NDArray[np.bool_]:
        """Which moves are best [n, A]: they keep the value of the position."""
        top = np.nanmax(self.values, axis=1, keepdims=True, initial=-1)
        is_best: NDArray[np.bool_] = self.values == top
        return is_best

    def positions(self, game: Game) -> list[State]:
        """Return the positions as states, without their histories."""
        plies = self.plies.tolist()
        return [State.at(game, *at) for at in zip(self.states, plies, strict=True)]

    def images(self, game: Game) -> set[bytes]:
        """Return the positions with all that the symmetries make of them."""
        return {image for state in self.states for image in _images(game, state)}


@dataclass(frozen=True)
class Grade:
    """How well moves were chosen."""

    optimal: float
    """Share of positions in which the move keeps the value."""
    lost: float
    """Value given away per position; from won to lost is 2."""
    num_wrong: int
    num_positions: int


def grade(truth: Truth, actions: NDArray[np.int64]) -> Grade:
    """Compare the moves chosen in all positions [n] with the best ones."""
    if len(truth) == 0:
        return Grade(1.0, 0.0, 0, 0)
    chosen = truth.values[np.arange(len(truth)), actions]
    lost = np.nan_to_num(np.nanmax(truth.values, axis=1) - chosen, nan=2.0)
    num_wrong = int((lost > 0).sum())
    return Grade(1 - num_wrong / len(truth), float(lost.mean()), num_wrong, len(truth))


def solve_games(
    game: Game,
    games: Iterable[State],
    count: int,
    seed: int = 0,
    seconds: float = 60.0,
    nodes: int = NODES,
) -> Truth:
    """Solve one position of each played game until there are enough.

    In each, some move is worse than another, and none is another's mirror image. Those
    that take more nodes than allowed are left out. The seconds are only a guard: short
    of them the same seed gives the same positions on any machine.
    """
    if count == 0:
        return pack_truth(game, [])
    try:
        solver = Solver(game, memory_mb=64)
    except UserError as error:
        return pack_truth(game, [], str(error))
    left_s = seconds  # of solving: games are played, and compiled, on another account
    found: list[tuple[State, dict[int, int]]] = []
    left = ADVANCE * nodes
    tries: Counter[int] = Counter()
    solved: Counter[int] = Counter()
    for state in _candidates(game, games, count, seed, tries, solved):
        if len(found) == count or left <= 0 or left_s <= 0:
            break
        tries[state.num_plies] += 1
        try:
            with solver.limits(left_s, nodes):
                outcomes = solver.outcomes(state)
        except Unsolved:
            continue
        except UserError as error:
            return pack_truth(game, [], str(error))
        finally:
            left -= solver.nodes
            left_s -= solver.seconds
        solved[state.num_plies] += 1
        if len(set(outcomes.values())) > 1:
            found.append((state, outcomes))
            left += NODES_EACH
    note = _shortage(game, len(found), count)
    return pack_truth(game, found if FEWEST * len(found) >= count else [], note)


def all_positions(game: Game, most: int = MOST_POSITIONS) -> Truth:
    """Solve every position of a small game that can come up."""
    solver = Solver(game, memory_mb=64)
    reached = {state.raw.tobytes(): state for state in _settle(State(game))}
    waiting = list(reached.values())
    while waiting:
        state = waiting.pop()
        for action in state.legal_actions():
            child = state.copy()
            child.apply(action)
            for after in _settle(child):
                if reached.setdefault(after.raw.tobytes(), after) is after:
                    waiting.append(after)
        if len(reached) > most:
            raise UserError(f"{game.name} has more than {most:,} positions")
    return pack_truth(game, [(s, solver.outcomes(s)) for s in reached.values()])


def save_truth(truth: Truth, game: Game, path: Path) -> None:
    """Write the positions of a game to a file."""
    raw = np.frombuffer(truth.states.tobytes(), np.uint8)
    arrays: dict[str, NDArray[Any]] = {
        "states": raw.reshape(len(truth), game.plain.STATE.itemsize),
        "plies": truth.plies,
        "values": truth.values,
        "lengths": np.array([len(h) for h in truth.histories], np.int64),
        "steps": np.array([s for h in truth.histories for s in h], np.int64),
    }
    facts = {"game": game.spec, "rules": game.behaviour, "note": truth.note}
    write_bytes(path, FORMAT.pack(arrays, facts))


def load_truth(game: Game, path: Path) -> Truth:
    """Read the positions of a game from a file.

    Each is reached by replaying its history: compiled rules, which check nothing, never
    see a position that a file made up.
    """
    arrays, facts = FORMAT.read(path)
    if facts.get("rules") != game.behaviour:
        raise UserError(f"{path} is not about {game.spec} as its rules are now")
    try:
        found = list(_replayed(game, arrays))
        truth = pack_truth(game, found, facts["note"])
    except (KeyError, ValueError, IndexError) as error:
        raise UserError(f"{path} does not follow the rules: {error}") from None
    given = [arrays[name] for name in ("states", "plies", "values")]
    ours = [truth.states, truth.plies, truth.values]
    if any(a.tobytes() != b.tobytes() for a, b in zip(given, ours, strict=True)):
        raise UserError(f"{path} does not follow the rules: its positions are others")
    return truth


def _replayed(
    game: Game, arrays: Mapping[str, NDArray[Any]]
) -> Iterator[tuple[State, dict[int, int]]]:
    """Yield each position that histories lead to, and what its moves lead to."""
    lengths, values = arrays["lengths"].tolist(), arrays["values"]
    steps, begin = arrays["steps"].tolist(), 0
    if values.shape != (len(lengths), game.num_actions) or sum(lengths) != len(steps):
        raise ValueError("its parts do not fit each other")
    for length, row in zip(lengths, values.tolist(), strict=True):
        state = State.replay(game, steps[begin : begin + length])
        begin += length
        if state.to_play < 0:
            raise ValueError("nobody is to move in a position")
        yield state, {action: _outcome(row[action]) for action in state.legal_actions()}


def _outcome(value: float) -> int:
    if value not in (-1, 0, 1):
        raise ValueError(f"a move leads to {value}")
    return int(value)


def _candidates(
    game: Game,
    games: Iterable[State],
    count: int,
    seed: int,
    tries: "Counter[int]",
    solved: "Counter[int]",
) -> Iterator[State]:
    """Yield one position of each game, none that is like another.

    Plies at which solving has failed before are left out. It ends when `count` games
    one after the other bring nothing new.
    """
    seen: set[bytes] = set()
    num_vain = 0
    for number, played in enumerate(games):
        num_vain += 1
        if num_vain > count:
            return
        open_plies = [
            ply
            for ply in range(played.num_plies)
            if tries[ply] < FEW_TRIES or MOST_TRIES * solved[ply] >= tries[ply]
        ]
        if not open_plies:
            continue
        generator = numpy_rng(seed, "position", number)
        state = _at_ply(played, int(generator.choice(open_plies)))
        image = min(_images(game, state.raw))
        if image not in seen:
            seen.add(image)
            num_vain = 0
            yield state


def _at_ply(played: State, ply: int) -> State:
    """Return a game as it stood before an action."""
    state = State(played.game)
    for step in played.history:
        if state.num_plies == ply and not state.is_chance:
            break
        state.apply_step(step)
    return state


def _settle(state: State) -> Iterator[State]:
    """Yield the positions that chance may lead to in which a player is to move."""
    if state.is_over:
        return
    if not state.is_chance:
        yield state
        return
    for outcome, _ in state.chance():
        child = state.copy()
        child.apply_chance(outcome)
        yield from _settle(child)


def _images(game: Game, state: Any) -> list[bytes]:
    """Return a position as all symmetries show it."""
    images = game.states(game.plain.NUM_SYMMETRIES)
    images[:] = state
    for symmetry in range(1, len(images)):
        game.rules.transform(images[0], symmetry, images[symmetry])
    return [image.tobytes() for image in images]


def pack_truth(
    game: Game, found: Sequence[tuple[State, Mapping[int, int]]], note: str = ""
) -> Truth:
    """Return positions and what each move leads to as arrays."""
    states = game.states(len(found))
    values = np.full((len(found), game.num_actions), np.nan, np.float32)
    for i, (state, outcomes) in enumerate(found):
        states[i] = state.raw
        values[i, list(outcomes)] = list(outcomes.values())
    plies = np.array([state.num_plies for state, _ in found], np.int64)
    histories = tuple(tuple(map(int, state.history)) for state, _ in found)
    return Truth(states, plies, values, note, histories)


def _shortage(game: Game, num_found: int, count: int) -> str:
    if num_found == count:
        return ""
    return f"only {num_found} of {count} positions of {game.spec} could be solved"
