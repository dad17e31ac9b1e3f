"""Positions as jobs: states and a net in, what a search thinks of them out."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from ludens.cluster.wire import Facts, pack
from ludens.loading.game import Game
from ludens.search.config import SearchConfig
from ludens.search.model import Evaluator
from ludens.selfplay.again import Thoughts, search_positions
from ludens.settings import read_settings

POSITIONS = "positions"


@dataclass(frozen=True)
class PositionsJob:
    """Positions to search, with all that decides what is found."""

    game: str
    net: str
    """The SHA-256 of its bytes."""
    search: SearchConfig
    seeds: Sequence[int]
    num_trees: int
    states: bytes

    def to_bytes(self) -> bytes:
        """Return the job as a message."""
        facts = {
            "kind": POSITIONS,
            "game": self.game,
            "nets": [self.net],
            "search": asdict(self.search),
            "seeds": list(self.seeds),
            "num_trees": self.num_trees,
        }
        return pack(facts, [self.states])

    @classmethod
    def of(cls, facts: Facts, contents: Sequence[bytes]) -> "PositionsJob":
        """Return the job of a message."""
        return cls(
            facts["game"],
            facts["nets"][0],
            read_settings(SearchConfig, facts["search"], "a job"),
            facts["seeds"],
            facts["num_trees"],
            contents[0],
        )

    def think(self, game: Game, evaluator: Evaluator) -> Thoughts:
        """Search the positions."""
        states = np.frombuffer(self.states, game.states(1).dtype)
        how = (game, self.search, evaluator, states, self.seeds, self.num_trees)
        found = search_positions(*how)
        assert found is not None
        return found


def pack_thoughts(thoughts: Thoughts, figures: Facts) -> bytes:
    """Return thoughts as a message, with what it took to have them."""
    contents = [thoughts.policies.tobytes(), thoughts.values.tobytes()]
    return pack({"figures": figures}, contents)
