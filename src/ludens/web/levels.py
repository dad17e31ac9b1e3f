"""Levels of strength: agents in steps of Elo that were measured."""

from typing import Any

from ludens.loading.game import Game
from ludens.nets.finding import shipped_net

AGENTS = ("random", *(f"mcts:sims={n}" for n in (10, 30, 100, 300, 1_000, 3_000)))
NET_AGENTS = tuple(f"net:sims={n}" for n in (64, 256, 1_024))
ELO = {
    "tic_tac_toe": (-376, -193, -71, 0, 22, 59),
    "connect_four": (-870, -551, -308, 0, 94, 317, 393),
    "gomoku:size=9": (-1285, -647, -386, 0, 399, 718),
    "pyrga": (-748, -223, -74, 0, 96, 276, 303),
    "triple_triad": (-577, -289, -201, 0, 67, 123),
}
"""Of AGENTS, next to 100 simulations: `ludens rate` with 16 games of each two, connect
four 40. They are within about 90 of the truth (95 %), in gomoku 180, random moves more.
What is missing was not measured."""


AHEAD_OF_NETS = ("gomoku:size=9",)
"""Where 1,000 simulations with rollouts beat the net that ships: 28 of 40 games won, 6
drawn, against net:sims=200."""


def levels_of(game: Game) -> list[dict[str, Any]]:
    """Return the levels of a game, the weakest first; nets come after rollouts."""
    known = ELO.get(game.spec, ())
    agents = AGENTS[: len(known)] if known else AGENTS
    if shipped_net(game) is not None and game.spec not in AHEAD_OF_NETS:
        agents += NET_AGENTS
    return [
        {"level": i + 1, "agent": agent, "elo": known[i] if i < len(known) else None}
        for i, agent in enumerate(agents)
    ]
