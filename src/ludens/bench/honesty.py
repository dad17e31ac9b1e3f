"""Does an agent know what chance will bring? `ludens bench honesty`.

Each game is played twice from the same start. Once as always; once with other dice put
in after each choice, so that whoever has looked at the coming ones was wrong. An agent
that does not know them scores alike in both. Agents get the seed of the game's own dice
as theirs: one that draws from it what the game will draw is found out as well.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ludens.agents import agent_maker
from ludens.arena.elo import Estimate, mean_estimate
from ludens.arena.match import ply_limit
from ludens.arena.play import Play, Played, Player, games_together
from ludens.cores import num_cores
from ludens.errors import UserError
from ludens.formats.strict import to_json
from ludens.loading.game import Game, load_game
from ludens.log import say
from ludens.rng import numpy_rng, sub_seed
from ludens.state import State

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
    game: Game, player: Player, num_pairs: int, seed: int, max_plies: int
) -> Honesty:
    """Play pairs of games, with the agent's own dice and with replaced ones."""
    if game.num_players == 2 or game.plain.MAX_OUTCOMES == 0:
        raise UserError(f"{game.name} has no scores under chance to compare")
    limit = ply_limit(game, max_plies)
    dice = [sub_seed(seed, "pair", pair) for pair in range(num_pairs)]
    own, replaced = (
        np.array([*_play(game, player, dice, limit, is_replaced)])
        for is_replaced in (False, True)
    )
    return Honesty(
        game.spec,
        player.name,
        num_pairs,
        float(own.mean()),
        float(replaced.mean()),
        mean_estimate((own - replaced).tolist()),
        distance(own, replaced),
        chance_of(np.stack([own, replaced], 1), numpy_rng(seed, "swaps")),
    )


def _play(
    game: Game, player: Player, dice: Sequence[int], limit: int, is_replaced: bool
) -> Iterator[float]:
    """Yield the score of a game with each dice, or with others put in."""
    games = (
        Played(
            number,
            (0,),
            game.new(seed),
            [seed],
            partial(_new_dice, seed) if is_replaced else None,
        )
        for number, seed in enumerate(dice, 1)
    )
    together, kind = games_together([player.make(0)]), ("own", "replaced")[is_replaced]
    play = Play([player], games, len(dice), together, num_cores(), limit)
    for played in play.run():
        if played.number % TELL_EVERY == 0:
            line = f"{played.number} of {len(dice)} games with {kind} dice"
            say(line)
        yield played.state.score


def _new_dice(dice: int, state: State) -> int:
    """Return other dice than the game's own, new ones at each ply."""
    return sub_seed(dice, "replaced", state.num_plies)


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
    make(0).compile()  # what is wrong with it is said before the games
    found = measure(game, Player(agent, make), num_pairs, seed, max_plies)
    if as_json:
        print(to_json({**asdict(found), "is_honest": found.is_honest}, indent=1))
    else:
        print("\n".join(report(found)))
    return found.is_honest
