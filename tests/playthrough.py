"""Played-out games as text that an expert in the rules can read and check.

`python tests/playthrough.py` writes all files in tests/golden anew; read the diff.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from textwrap import fill

import numpy as np

from ludens.loading.game import Game, load_game
from ludens.state import State

FOLDER = Path(__file__).parent / "golden"
_SHOWN = 24


@dataclass(frozen=True)
class Playthrough:
    """A game, the seed of its random moves and why this seed was chosen."""

    name: str
    """The file's: the game, two dashes, what is special."""
    spec: str
    seed: int
    shows: str

    @property
    def path(self) -> Path:
        """The file."""
        return FOLDER / f"{self.name}.txt"

    def text(self) -> str:
        """Play the game and write it down."""
        game = load_game(self.spec, compiled=False)
        rng = np.random.default_rng(self.seed)
        blocks = [_heading(game, self), *_steps(State(game), rng)]
        return "\n\n".join(blocks) + "\n"


PUBLISHED_PYRGA = (
    "pyrga:towers_to_win=3,arrow_must_point_inside=true,no_second_square=true,"
    "tiebreak=stacks"
)
CARDS = "triple_triad"
PLAYTHROUGHS = (
    Playthrough("tic_tac_toe", "tic_tac_toe", 4, "a diagonal wins"),
    Playthrough("connect_four", "connect_four", 24, "a diagonal wins"),
    Playthrough("gomoku", "gomoku:size=7", 71, "a diagonal wins"),
    Playthrough(
        "gomoku--standard",
        "gomoku:size=7,row=4,rule=standard",
        16,
        "a row longer than the goal wins nothing",
    ),
    Playthrough(
        "gomoku--renju",
        "gomoku:size=9,rule=renju",
        2,
        "points forbidden to black, fewer legal moves than empty points",
    ),
    Playthrough(
        "gomoku--caro",
        "gomoku:size=7,rule=caro",
        28,
        "five in a row, blocked at both ends, wins nothing",
    ),
    Playthrough(
        "gomoku--swap2",
        "gomoku:size=5,row=4,opening=swap2",
        13,
        "two more stones, then a swap: black wins, who is the second player",
    ),
    Playthrough(
        "gomoku--rif",
        "gomoku:size=7,rule=renju,opening=rif",
        102,
        "a swap and two points for the fifth stone; black wins, the second player",
    ),
    Playthrough("pyrga", "pyrga", 31, "nothing fits and no cell is empty: the end"),
    Playthrough("pyrga--published", PUBLISHED_PYRGA, 12, "the third tower wins"),
    Playthrough(CARDS, CARDS, 250, "three flips at once, and a draw"),
    Playthrough(
        f"{CARDS}--same-plus",
        f"{CARDS}:same=true,plus=true",
        1,
        "in the last move flipped cards flip others",
    ),
    Playthrough(
        f"{CARDS}--same-wall",
        f"{CARDS}:same=true,same_wall=true",
        61,
        "in the seventh move the edge counts for Same",
    ),
    Playthrough(
        f"{CARDS}--elemental",
        f"{CARDS}:elemental=true",
        22,
        "elements raise and lower the cards on them",
    ),
    Playthrough("triangle", "triangle", 597, "one move clears 20 triangles"),
)


def _heading(game: Game, play: Playthrough) -> str:
    """Name the game, its options and its sizes."""
    rules = game.plain
    planes, rows, columns = game.observation_shape
    options = ", ".join(f"{name} {value}" for name, value in game.options.items())
    plies = f"at most {rules.MAX_PLIES} plies" if rules.MAX_PLIES else "any length"
    sizes = (
        f"players {game.num_players}, {game.num_actions} actions, {plies},"
        f" at most {rules.MAX_OUTCOMES} outcomes of chance,"
        f" {rules.NUM_SYMMETRIES} symmetries,"
        f" {planes} planes of {rows} x {columns}"
    )
    return "\n".join(
        [
            f"game: {game.spec}",
            f"options: {options or 'none'}",
            f"sizes: {sizes}",
            f"random moves by seed {play.seed}, which shows: {play.shows}",
        ]
    )


def _steps(state: State, rng: np.random.Generator) -> Iterator[str]:
    """Play to the end, chance included, and tell each step."""
    while not state.is_over:
        yield _chance(state, rng) if state.is_chance else _move(state, rng)
    yield _end(state)


def _chance(state: State, rng: np.random.Generator) -> str:
    outcomes, chances = zip(*state.chance(), strict=True)
    point = rng.random() * sum(chances)
    index = int(np.searchsorted(np.cumsum(chances), point, "right"))
    of = f"outcome {outcomes[index]}, one of {len(outcomes)}"
    words = f"{state.outcome_name(outcomes[index])} ({of}, p = {chances[index]:.4f})"
    number, before = len(state.history), state.score
    state.apply_chance(outcomes[index])
    return f"step {number}: chance: {words}{_reward(state, before)}"


def _move(state: State, rng: np.random.Generator) -> str:
    legal = state.legal_actions()
    action = legal[rng.integers(len(legal))]
    name, before = state.action_name(action), state.score
    lines = [
        f"step {len(state.history)}: player {state.to_play} to move",
        drawing(state),
        _wrapped(f"{len(legal)} legal: {_names(state, legal)}"),
        _wrapped(f"sees {_planes(state.game.plain.PLANES, state.observe())}"),
    ]
    state.apply(action)
    return "\n".join([*lines, f"plays {name}{_reward(state, before)}"])


def _reward(state: State, before: float) -> str:
    alone = state.game.num_players == 1
    return f", reward {state.score - before:.4g}" if alone else ""


def _end(state: State) -> str:
    lines = [f"step {len(state.history)}: the game is over", drawing(state)]
    if state.game.plain.TARGETS:
        targets = _planes(state.game.plain.TARGETS, state.targets())
        lines.append(_wrapped(f"targets {targets}"))
    if state.game.num_players == 1:
        return "\n".join([*lines, f"score {state.score:.4g}"])
    assert state.result is not None
    return "\n".join([*lines, f"result {state.result:+.0f}"])


def drawing(state: State) -> str:
    """Return the drawing without spaces at the ends of lines."""
    return re.sub(r" +$", "", str(state), flags=re.MULTILINE)


def _names(state: State, actions: list[int]) -> str:
    names = [state.action_name(action) for action in actions]
    cut = f" ... {names[-1]}" if len(names) > _SHOWN else ""
    return " ".join(names[:_SHOWN]) + cut


def _planes(names: tuple[str, ...], planes: np.ndarray) -> str:
    """Sum up each plane that is not all zero; the digest stands for every value."""
    sums = [f"{n} {p.sum():.4g}" for n, p in zip(names, planes, strict=True) if p.any()]
    digest = sha256(planes.tobytes()).hexdigest()[:8]
    return f"{', '.join(sums) or 'nothing'} [{digest}]"


def _wrapped(line: str) -> str:
    return fill(line, 88, subsequent_indent="  ", break_long_words=False)


def main() -> None:
    """Write every playthrough anew."""
    for play in PLAYTHROUGHS:
        play.path.write_text(play.text(), encoding="utf-8")
        print(play.path)


if __name__ == "__main__":
    main()
