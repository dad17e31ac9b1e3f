"""Gumbel's search against trees that mctx grew (tests/golden/mctx/make.py)."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from linear_net import evaluate

from ludens import State, load_game
from ludens.search.config import SearchConfig
from ludens.search.gumbel import visit_schedule
from ludens.search.search import Roots, Search

FOLDER = Path(__file__).parents[1] / "golden" / "mctx"
OTHERS = {"schedule", "learned"}
NAMES = sorted({file.stem for file in FOLDER.glob("*.json")} - OTHERS)
GAME = load_game("connect_four")


def golden(name: str) -> Any:
    """Return what a golden file holds."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def position(moves: list[int]) -> State:
    """Return the position after some moves."""
    state = GAME.new()
    for action in moves:
        state.apply(action)
    return state


def search_again(moves: list[int], theirs: Any) -> tuple[Search, Roots]:
    """Search as mctx did, with its Gumbel numbers."""
    config = SearchConfig(
        sims=theirs["sims"],
        root="gumbel",
        max_considered=theirs["max_considered"],
        gumbel_scale=-1,
        proofs=False,
    )
    search = Search(GAME, config, evaluator=evaluate)
    search.reset(np.array([position(moves).raw]), [1])
    search.forest.noise[0] = theirs["gumbel"]
    return search, search.run()


def plain_tree(search: Search) -> dict[str, Any]:
    """Return the tree as the golden files show it."""
    nodes = search.forest.nodes[0, : search.forest.heads[0].num_nodes]
    edges = search.forest.edges[0]
    sign = np.where(nodes["to_play"] == 1, -1, 1)
    over = nodes["num_edges"] == 0
    value = sign * nodes["total"] / nodes["visits"]
    return {
        "parent": nodes["parent"].tolist(),
        "action": [-1, *edges["action"][nodes["parent_edge"][1:]].tolist()],
        "visits": nodes["visits"].tolist(),
        "value": np.where(over, 0.0, value),
        "raw_value": np.where(over, 0.0, sign * nodes["value"]),
        "over": np.flatnonzero(over).tolist(),
    }


@pytest.mark.parametrize(
    "table",
    golden("schedule")["tables"],
    ids=lambda t: f"{t['max_considered']}-of-{t['sims']}",
)
def test_schedule_of_visits_is_that_of_mctx(table: Any) -> None:
    for considered, sequence in enumerate(table["table"]):
        assert visit_schedule(considered, table["sims"]) == sequence


@pytest.mark.parametrize("name", NAMES)
def test_network_says_the_same_here_as_in_mctx(name: str) -> None:
    theirs = golden(name)
    logits, values, *_ = evaluate(position(theirs["moves"]).observe()[None])
    assert logits[0].tolist() == theirs["root_logits"]
    assert values[0] == theirs["root_value"]


@pytest.mark.parametrize("name", NAMES)
def test_tree_is_that_of_mctx_node_by_node(name: str) -> None:
    position = golden(name)
    for theirs in position["searches"]:
        ours = plain_tree(search_again(position["moves"], theirs)[0])
        for field in ("parent", "action", "visits", "over"):
            assert ours[field] == theirs["tree"][field]
        for field in ("value", "raw_value"):
            assert ours[field] == pytest.approx(theirs["tree"][field], abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_root_teaches_and_chooses_what_it_does_in_mctx(name: str) -> None:
    position = golden(name)
    for theirs in position["searches"]:
        _, roots = search_again(position["moves"], theirs)
        assert roots.chosen[0] == theirs["action"]
        assert roots.visits[0].tolist() == theirs["visits"]
        assert roots.means[0] == pytest.approx(theirs["qvalues"], abs=1e-12)
        assert roots.policy[0] == pytest.approx(theirs["action_weights"], abs=1e-6)
