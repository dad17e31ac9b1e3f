"""Levels of strength: agents from weak to strong, with their Elo where it is known."""

from collections.abc import Mapping
from typing import Any

from ludens.loading.game import Game
from ludens.nets.shipped import shipped_net

Levels = Mapping[str, float | None]
"""Agents, the weakest first, with the Elo that was measured, None if it was not."""

ANY_GAME: Levels = dict.fromkeys(
    (
        "random",
        *(f"mcts:sims={n}" for n in (10, 30, 100, 300, 1_000, 3_000)),
        *(f"net:sims={n}" for n in (64, 256, 1_024)),
    )
)


def levels_of(game: Game) -> list[dict[str, Any]]:
    """Return the levels of a game, the weakest first.

    A game may have measured ones: LEVELS in its file, by the options that are changed.
    """
    options = game.spec.removeprefix(game.name).removeprefix(":")
    levels: Levels = game.plain.LEVELS.get(options, ANY_GAME)
    has_net = shipped_net(game) is not None
    agents = [name for name in levels if has_net or name.partition(":")[0] != "net"]
    return [
        {"level": number, "agent": agent, "elo": levels[agent]}
        for number, agent in enumerate(agents, 1)
    ]
