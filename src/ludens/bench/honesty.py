"""Does an agent know what chance will bring? `ludens bench honesty`.

Each game is played twice from the same start. Once as always; once with other dice put
in after each choice, so that whoever has looked at the coming ones was wrong. An agent
that does not know them scores alike in both. Agents get the seed of the game's own dice
as theirs: one that draws from it what the game will draw is found out as well.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ludens.agents import Maker, agent_maker
from ludens.arena.elo import Estimate, mean_estimate
from ludens.arena.match import ply_limit
from ludens.arena.pool import in_order
from ludens.cores import num_cores
from ludens.errors import UserError
from ludens.formats.strict import to_json
from ludens.loading.game import Game, load_game
from ludens.rng import numpy_rng, sub_seed

PERMUTATIONS = 4000
SURE = 0.01
"""A difference that chance makes less often than this counts as a leak."""
TELL_EVERY = 50
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Honesty:
    """What an agent scored with its own dice and with others put in."""

    game: str
    agent: str
    num_pairs: int
    own: float
    replaced: float
    gain: Estimate
    """By how much its own dice scored more."""
    distance: float
    """The largest difference of the two distributions (Kolmogorov and Smirnov)."""
    chance: float
    """How often honest agents differ so much or more, by swapping games in pairs."""

    @property
    def is_honest(self) -> bool:
        """Whether no leak was found."""
        return self.chance >= SURE


def measure(
    game: Game, agent: str, make: Maker, num_pairs: int, seed: int, max_plies: int
) -> Honesty:
    """Play pairs of games, with the agent's own dice and with replaced ones."""
    if game.num_players == 2 or game.plain.MAX_OUTCOMES == 0:
        raise UserError(f"{game.name} has no scores under chance to compare")
    limit = ply_limit(game, max_plies)
    pairs = np.array(list(_play_pairs(game, make, num_pairs, seed, limit)))
    own, replaced = pairs.T
    return Honesty(
        game.spec,
        agent,
        num_pairs,
        float(own.mean()),
        float(replaced.mean()),
        mean_estimate((own - replaced).tolist()),
        distance(own, replaced),
        chance_of(pairs, numpy_rng(seed, "swaps")),
    )


def _play_pairs(
    game: Game, make: Maker, num_pairs: int, seed: int, limit: int
) -> Iterator[tuple[float, float]]:
    jobs = (
        partial(play_pair, game, make, sub_seed(seed, "pair", pair), limit)
        for pair in range(num_pairs)
    )
    for number, scores in enumerate(in_order(jobs, num_cores()), 1):
        if number % TELL_EVERY == 0:
            print(f"{number} of {num_pairs} pairs", file=sys.stderr, flush=True)
        yield scores


def play_pair(game: Game, make: Maker, dice: int, limit: int) -> tuple[float, float]:
    """Return the scores of two games of an agent, the second with replaced dice."""
    return _play(game, make, dice, limit), _play(game, make, dice, limit, True)


def _play(
    game: Game, make: Maker, dice: int, limit: int, is_replaced: bool = False
) -> float:
    agent, state = make(dice), game.new(dice)
    while not state.is_over and state.num_plies < limit:
        action = agent.choose(state.copy())
        if is_replaced:
            state.roll_from(sub_seed(dice, "replaced", state.num_plies))
        state.apply(action)
    return state.score


def distance(first: Values, second: Values) -> float:
    """Return the largest difference of two distributions, given as [n] and [n]."""
    points = np.sort(np.concatenate([first, second]))
    shares = [
        np.searchsorted(np.sort(values), points, "right") / len(values)
        for values in (first, second)
    ]
    return float(np.abs(shares[0] - shares[1]).max())


def chance_of(pairs: Values, generator: np.random.Generator) -> float:
    """Return how often the distance is as large if each pair [n, 2] may be swapped."""
    measured = distance(*pairs.T)
    count = 1
    for _ in range(PERMUTATIONS):
        swapped = generator.random(len(pairs)) < 0.5
        shuffled = np.where(swapped[:, None], pairs[:, ::-1], pairs)
        count += distance(*shuffled.T) >= measured - 1e-12
    return count / (PERMUTATIONS + 1)


def report(found: Honesty) -> Sequence[str]:
    """Return the lines that tell what was found."""
    gain = found.gain
    verdict = "no leak" if found.is_honest else "it knows what chance will bring"
    return (
        f"{found.game}, {found.agent}: {found.num_pairs:,} pairs of games",
        f"  own dice       {found.own:10.2f} mean score",
        f"  replaced dice  {found.replaced:10.2f}",
        f"  difference     {gain.value:+10.2f} [{gain.low:+.2f}, {gain.high:+.2f}]",
        f"  distributions  {found.distance:10.3f} apart;"
        f" honest agents are so far in {found.chance:.1%} of such tests",
        f"  found: {verdict}",
    )


def main(
    spec: str,
    agent: str,
    num_pairs: int = 500,
    seed: int = 0,
    max_plies: int = 0,
    as_json: bool = False,
) -> bool:
    """Measure and print; return whether the agent is honest."""
    game = load_game(spec)
    make = agent_maker(agent, game, at_once=num_cores())
    make(0)  # what is wrong with it is said before the games
    found = measure(game, agent, make, num_pairs, seed, max_plies)
    if as_json:
        print(to_json({**asdict(found), "is_honest": found.is_honest}, indent=1))
    else:
        print("\n".join(report(found)))
    return found.is_honest
