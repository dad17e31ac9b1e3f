"""Trees over a learned model against those of mctx (golden/mctx/make_learned.py)."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shared import GUESSING, load
from toy_model import ToyModel

from ludens.search.config import SearchConfig
from ludens.search.search import Roots, Search

FILE = Path(__file__).parents[1] / "golden" / "mctx" / "learned.json"
SEARCHES = json.loads(FILE.read_text(encoding="utf-8"))["searches"]
HOW: dict[str, dict[str, Any]] = {
    "gumbel": {"root": "gumbel", "gumbel_scale": -1},
    "puct": {"root": "puct", "fpu": "constant", "fpu_value": 0.0},
}


def name_of(theirs: Any) -> str:
    """Return what tells a search from the others."""
    facts = (theirs[key] for key in ("policy", "players", "sims"))
    return "-".join(map(str, [*facts, len(theirs["moves"])]))


def search_again(theirs: Any) -> tuple[Search, Roots]:
    """Search as mctx did, with its Gumbel numbers."""
    game = load(GUESSING if theirs["players"] == 1 else "tic_tac_toe")
    state = game.new(seed=1)
    for action in theirs["moves"]:
        state.apply(action)
    how = HOW[theirs["policy"]]
    discount = 0.9 if theirs["players"] == 1 else 1.0
    config = SearchConfig(sims=theirs["sims"], discount=discount, **how)
    search = Search(game, config, evaluator=ToyModel(game, False, False))
    search.reset(np.array([state.raw]), [1])
    if "gumbel" in theirs:  # ours are those of the root's edges
        legal = state.legal_actions()
        search.forest.noise[0, : len(legal)] = np.array(theirs["gumbel"])[legal]
    return search, search.run()


@pytest.mark.parametrize("theirs", SEARCHES, ids=name_of)
def test_tree_of_a_model_is_that_of_mctx_node_by_node(theirs: Any) -> None:
    search, roots = search_again(theirs)
    nodes = search.forest.nodes[0, : search.forest.heads[0].num_nodes]
    sign = np.where(nodes["to_play"] == 1, -1, 1)
    edges = nodes["parent_edge"][1:]
    actions = search.forest.edges["action"][0, edges].tolist()
    tree = theirs["tree"]
    assert nodes["parent"].tolist() == tree["parent"]
    assert [-1, *actions] == tree["action"]
    assert nodes["visits"].tolist() == tree["visits"]
    assert nodes["reward"].tolist() == tree["reward"]
    means = sign * nodes["total"] / nodes["visits"]
    assert means == pytest.approx(tree["value"], abs=1e-9)
    assert sign * nodes["value"] == pytest.approx(tree["raw_value"], abs=1e-9)
    assert roots.visits[0].tolist() == theirs["visits"]
    assert roots.policy[0] == pytest.approx(theirs["action_weights"], abs=1e-6)
    assert roots.chosen[0] == theirs.get("action", roots.chosen[0])
