"""Play games with an exported file, the way muzero-general does; print what happens.

This is a program for an interpreter of its own, `python -I player.py FILE GAMES SEED`,
in which there is no Ludens. A line of its output is a game, as JSON.
"""

import base64
import importlib.util
import json
import random
import sys
import time
import zlib
from typing import Any


def load(path: str) -> Any:
    """Run the file as a module, without what it must not need."""
    for name in ("ludens", "numba", "torch"):
        sys.modules[name] = None  # type: ignore[assignment]  # as if not installed
    spec = importlib.util.spec_from_file_location("exported", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def play(game: Any, max_moves: int, choices: random.Random, by_expert: bool) -> Any:
    """Play one game; return its positions, what follows the end, and the seconds."""
    positions, seconds = [_position(game, (game.reset(), 0.0, False), None)], 0.0
    while not positions[-1]["done"] and len(positions) <= max_moves:
        legal = positions[-1]["legal"]
        action = game.expert_agent() if by_expert else choices.choice(legal)
        begun = time.process_time()
        moved = game.step(action)
        seconds += time.process_time() - begun
        positions.append(_position(game, moved, action))
    beyond = None
    if positions[-1]["done"]:
        action = choices.choice(positions[-1]["legal"] or [0])
        beyond = _position(game, game.step(action), action)
    return {"positions": positions, "beyond": beyond, "seconds": seconds}


def _position(game: Any, moved: Any, action: Any) -> Any:
    seen, reward, done = moved
    content = base64.b64encode(zlib.compress(seen.tobytes(), 1)).decode()
    return {
        "action": action,
        "outcomes": list(getattr(game, "outcomes", ())),
        "observation": [str(seen.dtype), list(seen.shape), content],
        "reward": reward,
        "done": done,
        "legal": game.legal_actions(),
        "to_play": game.to_play(),
    }


def main(path: str, games: str, seed: str) -> None:
    """Print as many games as are asked for; the second is the expert's."""
    module = load(path)
    game, config = module.Game(int(seed)), module.MuZeroConfig()
    choices = random.Random(int(seed))
    for number in range(int(games)):
        by_expert = number == 1
        print(json.dumps(play(game, config.max_moves, choices, by_expert)), flush=True)
    game.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
