"""Does more search play better? Matches, and moves compared with exact play."""

from typing import Annotated

import numpy as np
import typer

from ludens.agents import make_agent
from ludens.arena.elo import elo_estimate
from ludens.arena.match import Contest, MatchTally
from ludens.loading.game import load_game
from ludens.solver.exact import Solver
from positions import random_state
from script import run

GAMES = ("tic_tac_toe", "connect_four", "gomoku:size=9", "pyrga", "triple_triad")
FEW, MANY = 100, 1000
LADDER = (10, 30, 100, 300, 1000, 3000, 10_000)
STONES = 14


def match(spec: str, first: str, second: str, num_games: int) -> tuple[MatchTally, str]:
    """Play a match; return the tally and the Elo difference with its interval."""
    tally = Contest(load_game(spec), (first, second)).tally(num_games // 2)
    elo = elo_estimate(tuple(tally.pairs))
    return tally, f"{elo.value:+.0f} [{elo.low:+.0f}, {elo.high:+.0f}]"


def right_moves(sims: int, num_positions: int) -> tuple[int, float]:
    """Return how often a search picks an optimal move, and the outcome it gives away.

    Positions of connect four in which some move is not optimal, solved exactly.
    """
    game = load_game("connect_four")
    generator, solver = np.random.default_rng(1), Solver(game)
    right, lost, count = 0, 0, 0
    while count < num_positions:
        state = random_state(game, STONES, generator)
        outcomes = {a: v.outcome for a, v in solver.values(state).items()}
        best = max(outcomes.values())
        if min(outcomes.values()) == best:
            continue
        chosen = make_agent(f"mcts:sims={sims},rollouts=1", game, count).choose(state)
        right += outcomes[chosen] == best
        lost += best - outcomes[chosen]
        count += 1
    return right, lost / num_positions


def main(
    num_games: Annotated[
        int, typer.Option("--games", help="Games of a match.", metavar="N", min=2)
    ] = 100,
    num_positions: Annotated[
        int, typer.Option("--positions", help="Solved ones.", metavar="N", min=1)
    ] = 200,
) -> None:
    """Measure what more simulations bring: matches, and moves in solved positions."""
    print(f"mcts:sims={MANY} against mcts:sims={FEW}, one rollout a leaf")
    print(f"{'game':<16}{'won':>6}{'drawn':>7}{'lost':>6}  Elo (95 %)")
    for spec in GAMES:
        tally, elo = match(spec, f"mcts:sims={MANY}", f"mcts:sims={FEW}", num_games)
        counts = f"{tally.wins:>6}{tally.draws:>7}{tally.losses:>6}"
        print(f"{spec:<16}{counts}  {elo}", flush=True)
    tally, _ = match("tic_tac_toe", "mcts:sims=5000", "solver", num_games)
    print(f"tic_tac_toe, mcts:sims=5000 against the solver: {tally}")
    print(f"\nconnect four, {num_positions} positions with {STONES} stones, solved")
    print(f"{'sims':>7}{'optimal':>10}{'outcome lost':>15}")
    for sims in LADDER:
        right, lost = right_moves(sims, num_positions)
        print(f"{sims:>7,}{right / num_positions:>10.1%}{lost:>15.3f}", flush=True)


if __name__ == "__main__":
    run(main)
