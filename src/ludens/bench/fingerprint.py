"""A fingerprint of fixed searches: it changes when what the search does changes."""

import hashlib

import numpy as np

from ludens.loading.game import game_files, load_game
from ludens.search.config import SearchConfig
from ludens.search.search import Search

CONFIGS = {
    "puct": SearchConfig(sims=200),
    "puct, rollouts and noise": SearchConfig(sims=100, rollouts=1, noise_fraction=0.25),
    "gumbel": SearchConfig(sims=100, root="gumbel"),
    "gumbel, rollouts": SearchConfig(sims=64, root="gumbel", rollouts=2),
}
NUM_GAMES = 4


def fingerprint(names: list[str] | None = None, threads: int = 1) -> dict[str, str]:
    """Return a hash of the visits of every edge of the trees, for each game."""
    found = {}
    for name in names or sorted(game_files()):
        game = load_game(name)
        states = np.array([game.new(seed=s).raw for s in range(NUM_GAMES)])
        digest = hashlib.sha256()
        for config in CONFIGS.values():
            search = Search(game, config, NUM_GAMES, threads, is_lazy=True)
            search.reset(states, range(NUM_GAMES))
            search.run()
            for g in range(NUM_GAMES):
                count = int(search.forest.heads[g].num_edges)
                edges = search.forest.edges[g, :count]
                for field in ("action", "child", "visits", "proof"):
                    digest.update(np.ascontiguousarray(edges[field]).tobytes())
        found[name] = digest.hexdigest()[:16]
    return found


def main() -> None:
    """Print the fingerprint of each game."""
    for name, value in fingerprint().items():
        print(f"{name:<14}{value}")
