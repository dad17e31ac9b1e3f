"""Beginnings of games, random or of a book, each the same for both sides of a pair."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ludens.errors import UserError
from ludens.game import OVER
from ludens.loading.game import Game
from ludens.rng import numpy_rng, sub_seed
from ludens.state import State

ENOUGH = 1000
"""The default is as many plies as give about so many openings ..."""
SHARE = 8
"""... but no more than one ply in so many of the longest game."""
UNLIMITED = 8
"""... or so many plies if there is no longest game."""
TRIES = 64
"""How often to draw before an opening with a flaw is taken."""


@dataclass(frozen=True)
class Opening:
    """What happens before the agents take over."""

    number: int
    dice: int
    """The seed of chance for the whole game."""
    history: tuple[int, ...]
    """Actions, and what chance has given between them."""

    def begin(self, game: Game) -> State:
        """Return the position the agents begin from."""
        return State.replay(game, self.history, self.dice)


def default_plies(game: Game) -> int:
    """Return how many random plies make the games of a match distinct."""
    state = State(game)
    if game.num_players == 1 or state.is_chance:
        return 0  # the dice or the deal do it
    longest = game.plain.MAX_PLIES
    most = max(1, longest // SHARE) if longest else UNLIMITED
    openings = plies = 0
    while openings < ENOUGH and plies < most and state.to_play >= 0:
        legal = state.legal_actions()
        openings = max(1, openings) * len(legal)
        plies += 1
        state.apply(legal[0])
    return plies


def draw_openings(game: Game, seed: int, plies: int) -> Iterator[Opening]:
    """Draw openings for ever, no position twice before the others are used up.

    Positions that the player to move wins at once are left out where others exist.
    """
    used: set[bytes] = set()
    number = 0
    while True:
        opening, position = _draw(game, seed, number, plies, used)
        if position in used:
            used.clear()
        used.add(position)
        yield opening
        number += 1


def _draw(
    game: Game, seed: int, number: int, plies: int, used: set[bytes]
) -> tuple[Opening, bytes]:
    """Return an opening and its position, with as few flaws as a few draws allow."""
    generator = numpy_rng(seed, "opening", number)
    best: tuple[int, Opening, bytes] | None = None
    for _ in range(TRIES):
        opening, state = _play_random(game, generator, number, plies)
        if state.is_over:
            continue
        position = state.raw.tobytes()
        flaw = 2 * wins_at_once(state) + (position in used)
        if best is None or flaw < best[0]:
            best = flaw, opening, position
        if flaw == 0:
            break
    if best is None:
        raise UserError(f"{game.name} is over after {plies} random plies; use fewer")
    return best[1:]


def agent_seed(seed: int, opening: Opening, beginner: int, side: int) -> int:
    """Return the seed of the agent on one side of a game from an opening."""
    return sub_seed(seed, "agent", opening.number, beginner, side)


def _play_random(
    game: Game, generator: np.random.Generator, number: int, plies: int
) -> tuple[Opening, State]:
    dice = _roll(generator)
    state = State(game, dice)
    while state.num_plies < plies and not state.is_over:
        legal = state.legal_actions()
        state.apply(legal[int(generator.integers(len(legal)))])
    return Opening(number, dice, tuple(map(int, state.history))), state


def _roll(generator: np.random.Generator) -> int:
    """Return a seed of chance for a whole game."""
    return int(generator.integers(2**53))


def turn_pages(book: Sequence[Sequence[int]], seed: int) -> Iterator[Opening]:
    """Yield the openings of a book for ever, each round in another order."""
    number = 0
    while True:
        order = numpy_rng(seed, "book", number // len(book)).permutation(len(book))
        for page in order:
            dice = _roll(numpy_rng(seed, "page", number))
            yield Opening(number, dice, tuple(book[page]))
            number += 1


def wins_at_once(state: State) -> bool:
    """Tell whether the player to move has a move that wins."""
    if state.game.num_players == 1:
        return False
    rules, sign = state.game.rules, 1 - 2 * state.to_play
    twin = state.game.states(1)
    for action in state.legal_actions():
        twin[0] = state.raw
        rules.apply(twin[0], action)
        if twin[0].to_play == OVER and rules.result(twin[0]) * sign > 0:
            return True
    return False
