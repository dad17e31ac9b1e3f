"""Levels of strength: simulations that are about the same step of Elo apart."""

from typing import Any

from ludens.loading import Game
from ludens.nets.finding import shipped_net

SIMS = (10, 30, 100, 300, 1_000, 3_000, 10_000)
NET_SIMS = (1, 4, 16, 64, 256, 1_024)


def levels_of(game: Game) -> list[dict[str, Any]]:
    """Return the levels of a game, the weakest first."""
    agents = ["random", *(f"mcts:sims={sims}" for sims in SIMS)]
    if shipped_net(game) is not None:
        agents += [f"net:sims={sims}" for sims in NET_SIMS[2:]]
    return [
        {"level": level, "agent": agent, "elo": None}
        for level, agent in enumerate(agents, 1)
    ]
