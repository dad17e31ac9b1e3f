"""Make the golden trees of a learned model, grown by mctx's two MuZero policies.

Run by hand, in an environment that has mctx (`pip install mctx`) and ludens:

    python tests/golden/mctx/make_learned.py

The model is tests/search/toy_model.py: latents of whole numbers, so that nothing
depends on how a library rounds. Numbers are float64. With one player (the game
tests/search/guessing.py) there are rewards and a discount of 0.9; with two players
(tic-tac-toe) the discount is -1 and nothing is gained. What is illegal at the root is
masked there and allowed below. `gumbel_muzero_policy` has mctx's defaults.
`muzero_policy` is asked without noise, and with the values of two players as they are,
0 where nothing was tried: its own scale, by a node's siblings, is not that of MuZero's
paper.

`learned.json` has `searches`, a list of

    policy          "gumbel" or "puct"
    players         1 or 2
    moves           from the start to the root
    sims
    gumbel          [A] the Gumbel numbers of the root's actions; none for PUCT
    action          the action chosen; for PUCT it is drawn, and so left out
    action_weights  [A] the policy to learn
    visits, qvalues [A] of the root's actions
    tree            parent, action, visits, value, raw_value, reward [N], as in make.py
"""

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import mctx
import numpy as np
from make import numbers, write

FOLDER = Path(__file__).parent
sys.path.append(str(FOLDER.parents[1] / "search"))
from toy_model import MOD, ToyModel  # noqa: E402

from ludens import load_game  # noqa: E402

jax.config.update("jax_enable_x64", True)

GUESSING = str(FOLDER.parents[1] / "search" / "guessing.py")
ROOTS = {2: ("tic_tac_toe", ([], [4, 0], [0, 1, 2, 4, 3])), 1: (GUESSING, ([],))}
DISCOUNT = {1: 0.9, 2: -1.0}


def predict(model: ToyModel, latents: Any) -> tuple[Any, Any, Any]:
    """Return logits, value and reward at latents [B, D]."""
    sums = latents @ jnp.array(model.heads) % MOD
    reward = sums[:, -2] % 5 if model.num_players == 1 else 0 * sums[:, -2]
    logits = sums[:, : model.num_actions] / 16 - jnp.arange(model.num_actions) / 512
    return logits, sums[:, -1] / 32 - 1, reward


def step(model: ToyModel, action: Any, latents: Any) -> tuple[Any, Any]:
    """Return what follows from actions [B] at latents [B, D]."""
    turned = latents @ jnp.array(model.g)
    latents = (turned + jnp.array(model.choices)[action] + 1) % MOD
    logits, value, reward = predict(model, latents)
    discount = jnp.full(value.shape, DISCOUNT[model.num_players])
    output = mctx.RecurrentFnOutput(
        reward=reward * 1.0, discount=discount, prior_logits=logits, value=value
    )
    return output, latents


def as_they_are(tree: Any, index: Any) -> Any:
    """Return the values of a node's actions, 0 where nothing was tried."""
    return jnp.where(tree.children_visits[index] > 0, tree.qvalues(index), 0.0)


def plain_tree(tree: Any) -> dict[str, Any]:
    """Return the tree of the only position."""
    parents, action = np.array(tree.parents[0]), np.array(tree.action_from_parent[0])
    rewards = np.array(tree.children_rewards[0])[parents[1:], action[1:]]
    return {
        "parent": numbers(parents),
        "action": numbers(action),
        "visits": numbers(np.array(tree.node_visits[0])),
        "value": numbers(np.array(tree.node_values[0])),
        "raw_value": numbers(np.array(tree.raw_values[0])),
        "reward": [0, *numbers(rewards)],
    }


def search(players: int, moves: list[int], policy: str, sims: int) -> dict[str, Any]:
    """Search a position; return what is kept of it."""
    game = load_game(ROOTS[players][0], compiled=False)
    state = game.new(seed=1)
    for action in moves:
        state.apply(action)
    model = ToyModel(game, False, False)
    latents = jnp.array(model(state.observe()[None]).latents, jnp.int64)
    logits, value, _ = predict(model, latents)
    asked: dict[str, Any] = {
        "params": None,
        "rng_key": jax.random.PRNGKey(sims),
        "root": mctx.RootFnOutput(prior_logits=logits, value=value, embedding=latents),
        "recurrent_fn": lambda _, key, action, latent: step(model, action, latent),
        "num_simulations": sims,
        "invalid_actions": jnp.array(~state.legal_mask())[None],
    }
    if policy == "gumbel":
        output = mctx.gumbel_muzero_policy(**asked)
        chosen = {
            "gumbel": numbers(output.search_tree.extra_data.root_gumbel[0]),
            "action": int(output.action[0]),
        }
    else:
        as_is = {"dirichlet_fraction": 0.0, "qtransform": as_they_are}
        output, chosen = mctx.muzero_policy(**asked, **as_is), {}
    summary = output.search_tree.summary()
    about = {"policy": policy, "players": players, "moves": moves, "sims": sims}
    return about | chosen | {
        "action_weights": numbers(output.action_weights[0]),
        "visits": numbers(summary.visit_counts[0].astype(int)),
        "qvalues": numbers(summary.qvalues[0]),
        "tree": plain_tree(output.search_tree),
    }  # fmt: skip


def main() -> None:
    """Search every position and write the file."""
    searches = [
        search(players, moves, policy, sims)
        for players, (_, roots) in ROOTS.items()
        for moves in roots
        for policy in ("gumbel", "puct")[:players]
        for sims in (16, 50)
    ]
    versions = {"mctx": version("mctx"), "jax": jax.__version__}
    write("learned", versions | {"searches": searches})


if __name__ == "__main__":
    main()
