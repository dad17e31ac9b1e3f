"""A net that has learned a game of OpenSpiel, against OpenSpiel's own tree search.

The search knows the rules and plays random games to their ends; the net knows what it
has seen, and plans with its learned model.
"""

from typing import Annotated, Any

import pyspiel
import typer

from ludens.agents import Agent, Limit, Maker
from ludens.agents.agent import NO_LIMIT
from ludens.arena.elo import elo_estimate
from ludens.arena.match import Contest
from ludens.arena.play import Player
from ludens.errors import UserError
from ludens.loading.game import load_game
from ludens.state import State
from script import run

PREFIX = "pyspiel:"
EXPLORATION = 2.0
"""UCT's constant, as in OpenSpiel's own examples."""
MEMORY_MB = 500


class SpielSearch(Agent):
    """OpenSpiel's C++ search with one random game a leaf."""

    name = "OpenSpiel's MCTS"

    def __init__(self, name: str, sims: int, seed: int) -> None:
        super().__init__(seed)
        self._game: Any = pyspiel.load_game(name)
        rollouts = pyspiel.RandomRolloutEvaluator(1, seed % 2**31)
        how = (EXPLORATION, sims, MEMORY_MB, True, seed % 2**31, False)
        self._bot: Any = pyspiel.MCTSBot(self._game, rollouts, *how)

    def choose(self, state: State, limit: Limit = NO_LIMIT) -> int:
        """Play the history again in OpenSpiel's own state, and search there."""
        theirs = self._game.new_initial_state()
        for action in state.history:
            theirs.apply_action(action)
        return int(self._bot.step(theirs))


def spiel_player(name: str, sims: int) -> Player:
    """Return one who plays by OpenSpiel's search."""

    def make(seed: int, num_games: int = 1) -> Agent:
        return SpielSearch(name, sims, seed)

    maker: Maker = make
    return Player(f"{SpielSearch.name}, {sims} sims", maker)


def main(
    weights: Annotated[str, typer.Argument(help="A run, or a net's file.")],
    spec: Annotated[str, typer.Option("--game", help="Such as pyspiel:breakthrough.")],
    sims: Annotated[int, typer.Option(help="Simulations of the net.", min=1)] = 64,
    others: Annotated[
        list[int] | None, typer.Option("--bot-sims", help="Of OpenSpiel's search.")
    ] = None,
    num_games: Annotated[
        int, typer.Option("--games", help="Games of a match.", metavar="N", min=2)
    ] = 100,
    seed: Annotated[int, typer.Option(help="Decides the openings.")] = 0,
) -> None:
    """Measure a net by matches in pairs with sides swapped: score and Elo."""
    if not spec.startswith(PREFIX):
        raise UserError(f"{spec} is not a game of OpenSpiel; write {PREFIX}NAME")
    game, ours = load_game(spec), f"net:weights={weights},sims={sims}"
    for number in others or [100, 1000]:
        theirs = spiel_player(spec.removeprefix(PREFIX), number)
        contest = Contest(game, (ours, theirs), seed=seed, threads=1)
        tally = contest.tally(num_games // 2)
        elo = elo_estimate(tuple(tally.pairs))
        points = (tally.wins + tally.draws / 2) / tally.num_games
        print(
            f"{spec}: {ours} against {theirs.name}: {tally}, {points:.1%},"
            f" {tally.num_distinct} games different;"
            f" Elo {elo.value:+.0f} [{elo.low:+.0f}, {elo.high:+.0f}]",
            flush=True,
        )


if __name__ == "__main__":
    run(main)
