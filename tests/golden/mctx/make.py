"""Make the golden trees: connect four searched by mctx's gumbel_muzero_policy.

Run by hand, in an environment that has mctx (`pip install mctx`) and ludens:

    python tests/golden/mctx/make.py

The network is tests/search/linear_net.py. Numbers are float64. The search is mctx's
with its defaults: qtransform_completed_by_mix_value (value_scale 0.1, maxvisit_init 50,
rescaled, mixed value), gumbel_scale 1, no action masked. Two players: the discount is
-1; the end of the game has reward 1 for the mover's win, discount 0, value 0. Nothing
is proven, and each simulation makes one node, except that mctx goes on below the end of
a game: those nodes are left out here (the discount of 0 makes them count for nothing),
so a tree can have fewer nodes than simulations. No column is full anywhere in a tree,
because mctx knows no illegal actions below the root.

Each position is one file `<name>.json`:

    mctx, jax       versions that made it
    moves           actions (columns) from the empty board; all 7 columns can be played
    root_logits     [7] what the network says of the position
    root_value      and its value, for the player to move
    searches        a list of
        sims, max_considered   settings: num_simulations, max_num_considered_actions
        gumbel          [7] the Gumbel numbers of the root's actions
        action          the action chosen
        action_weights  [7] the improved policy, which a network would learn
        visits          [7] of the root's actions; they sum to sims
        qvalues         [7] of the root's actions, for the player to move; 0: unvisited
        tree            nodes in the order they were made; node 0 is the root
            parent      [N] number of the parent; -1 for the root
            action      [N] action from the parent; -1 for the root
            visits      [N] including the one that made the node; the root has sims + 1.
                        They are also the visits of the edge from the parent.
            value       [N] mean value, for the player to move there; 0 at the end
            raw_value   [N] what the network said; 0 at the end
            over        the nodes where the game is over, always won by the mover

`schedule.json` holds what get_table_of_considered_visits says: `tables`, a list of
{max_considered, sims, table}. Row m of a table [max_considered + 1, sims] is for m
actions.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import mctx
import numpy as np
from mctx._src.seq_halving import get_table_of_considered_visits

FOLDER = Path(__file__).parent
sys.path.append(str(FOLDER.parents[1] / "search"))
from linear_net import (  # noqa: E402
    LOGIT_UNIT,
    NUM_ACTIONS,
    NUM_INPUTS,
    VALUE_UNIT,
    weights,
)

from ludens import load_game  # noqa: E402

jax.config.update("jax_enable_x64", True)

POSITIONS = {
    "empty": [],
    "middle": [3, 3, 2, 4],
    "win_in_one": [3, 0, 3, 0, 3, 1],
    "must_block": [3, 0, 3, 1, 3],
    "open_three": [2, 0, 3, 0, 4],
    "scattered": [6, 1, 0, 5, 2, 2, 4, 1, 5, 0],
}
SIMS = (8, 16, 32, 50, 100)
MAX_CONSIDERED = (4, 7, 16)
SCHEDULES = ((1, 5), (2, 7), (4, 16), (7, 50), (16, 8), (16, 32), (16, 100), (30, 64))
LINES = [
    [(row + i * down, column + i * right) for i in range(4)]
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    for row in range(6)
    for column in range(7)
    if 0 <= row + 3 * down < 6 and 0 <= column + 3 * right < 7
]
LINE_CELLS = jnp.array([[7 * row + column for row, column in line] for line in LINES])
WEIGHTS = jnp.array(weights())


def network(planes: Any) -> tuple[Any, Any]:
    """Return logits [7] and value of planes [2, 6, 7]."""
    sums = WEIGHTS @ planes.reshape(NUM_INPUTS)
    value = jnp.clip(sums[NUM_ACTIONS], 1 - VALUE_UNIT, VALUE_UNIT - 1) / VALUE_UNIT
    return sums[:NUM_ACTIONS] / LOGIT_UNIT, value


def step(action: Any, state: Any) -> tuple[Any, Any]:
    """Drop a disc for the player to move; turn the board for the other."""
    height = state["planes"].sum(axis=(0, 1))[action]
    own = state["planes"][0].at[5 - height, action].set(1)
    has_won = jnp.any(jnp.all(own.reshape(42)[LINE_CELLS] == 1, axis=1))
    planes = jnp.stack([state["planes"][1], own])
    over = has_won | state["over"]
    logits, value = network(planes)
    output = mctx.RecurrentFnOutput(
        reward=jnp.where(has_won & ~state["over"], 1.0, 0.0),
        discount=jnp.where(over, 0.0, -1.0),
        prior_logits=logits,
        value=jnp.where(over, 0.0, value),
    )
    return output, {"planes": planes, "over": over}


def search(states: Any, seed: int, sims: int, max_considered: int) -> Any:
    """Search all positions at once."""
    logits, value = jax.vmap(network)(states["planes"])
    root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=states)
    return mctx.gumbel_muzero_policy(
        params=None,
        rng_key=jax.random.PRNGKey(seed),
        root=root,
        recurrent_fn=lambda _, key, action, state: jax.vmap(step)(action, state),
        num_simulations=sims,
        max_num_considered_actions=max_considered,
    )


def root_planes(moves: list[int]) -> Any:
    """Return the planes of a position as our own rules show them."""
    game = load_game("connect_four", compiled=False)
    state = game.new()
    for action in moves:
        state.apply(action)
    return np.asarray(state.observe(), np.int64)


def numbers(array: Any) -> list[Any]:
    """Return the numbers to 15 digits, without the zeros that say nothing."""
    if np.issubdtype(array.dtype, np.integer):
        return [int(x) for x in array]
    return [int(x) if x == int(x) else float(f"{x:.15g}") for x in map(float, array)]


def plain_tree(tree: Any, b: int) -> dict[str, Any]:
    """Return the tree of one position without the nodes below the end of a game."""
    parents, over = np.array(tree.parents[b]), np.array(tree.embeddings["over"][b])
    keep = np.array([parent < 0 or not over[parent] for parent in parents])
    number = np.where(keep, np.cumsum(keep) - 1, -1)
    nodes = np.flatnonzero(keep)
    inner = nodes[~over[nodes]]
    heights = np.array(tree.embeddings["planes"][b]).sum(axis=(1, 2))
    if (heights[inner] == 6).any():
        raise SystemExit("a column is full somewhere in the tree: take other positions")
    value = np.where(over, 0.0, np.array(tree.node_values[b]))
    visits = np.array(tree.node_visits[b])
    action = np.array(tree.action_from_parent[b])
    edge = np.array(tree.children_visits[b])[parents[nodes[1:]], action[nodes[1:]]]
    assert (edge == visits[nodes[1:]]).all()
    return {
        "parent": [-1, *numbers(number[parents[nodes[1:]]])],
        "action": numbers(action[nodes]),
        "visits": numbers(visits[nodes]),
        "value": numbers(value[nodes]),
        "raw_value": numbers(np.array(tree.raw_values[b])[nodes]),
        "over": numbers(number[nodes[over[nodes]]]),
    }


def plain_search(output: Any, b: int) -> dict[str, Any]:
    """Return what is kept of the search of one position."""
    summary = output.search_tree.summary()
    return {
        "gumbel": numbers(output.search_tree.extra_data.root_gumbel[b]),
        "action": int(output.action[b]),
        "action_weights": numbers(output.action_weights[b]),
        "visits": numbers(summary.visit_counts[b].astype(int)),
        "qvalues": numbers(summary.qvalues[b]),
        "tree": plain_tree(output.search_tree, b),
    }


def write(name: str, content: Any) -> None:
    """Write JSON with a line for every list of numbers."""
    text = json.dumps(content, indent=1)
    lines = text.replace(",\n", ",\0").replace("\n", "\0").split("\0")
    packed: list[str] = []
    for line in lines:
        bare = line.strip()
        is_number = bare.rstrip(",").lstrip("-")[:1].isdigit()
        if packed and (is_number or (bare[:1] == "]" and packed[-1][-1:].isdigit())):
            packed[-1] += bare
        else:
            packed.append(line)
    (FOLDER / f"{name}.json").write_text("\n".join(packed) + "\n", encoding="utf-8")


def main() -> None:
    """Search every position with all settings and write the files."""
    planes = jnp.stack([jnp.array(root_planes(moves)) for moves in POSITIONS.values()])
    states = {"planes": planes, "over": jnp.zeros(len(planes), bool)}
    logits, values = jax.vmap(network)(planes)
    searches: list[list[dict[str, Any]]] = [[] for _ in POSITIONS]
    for seed, (sims, considered) in enumerate(
        (sims, considered) for sims in SIMS for considered in MAX_CONSIDERED
    ):
        compiled = jax.jit(search, static_argnums=(1, 2, 3))
        output = compiled(states, seed, sims, considered)
        for b, found in enumerate(searches):
            settings = {"sims": sims, "max_considered": considered}
            found.append(settings | plain_search(output, b))
    versions = {"mctx": version("mctx"), "jax": version("jax")}
    for b, (name, moves) in enumerate(POSITIONS.items()):
        head = {"moves": moves, "root_logits": numbers(logits[b])}
        head["root_value"] = float(values[b])
        write(name, versions | head | {"searches": searches[b]})
    tables = [
        {
            "max_considered": considered,
            "sims": sims,
            "table": get_table_of_considered_visits(considered, sims),
        }
        for considered, sims in SCHEDULES
    ]
    write("schedule", versions | {"tables": tables})


if __name__ == "__main__":
    main()
