"""Other people's searches, each driven the way its users drive it, when installed.

A function makes a contender, or raises ImportError where the peer is not installed.
"""

from importlib import import_module
from typing import Any

from ludens.bench.speed import Run


def mctx(policy: str, num_games: int, sims: int) -> Run:
    """Search connect four with mctx over pgx's rules, compiled, with outputs of 0."""
    import jax
    import jax.numpy as jnp
    import mctx
    import pgx

    env = pgx.make("connect_four")
    search = {"gumbel": mctx.gumbel_muzero_policy, "puct": mctx.muzero_policy}[policy]

    def mask(state: Any) -> Any:
        lowest = jnp.finfo(jnp.float32).min
        return jnp.where(state.legal_action_mask, 0.0, lowest)

    def step(params: Any, key: Any, action: Any, state: Any) -> Any:
        mover = state.current_player
        state = jax.vmap(env.step)(state, action)
        output = mctx.RecurrentFnOutput(
            reward=state.rewards[jnp.arange(num_games), mover],
            discount=jnp.where(state.terminated, 0.0, -1.0),
            prior_logits=mask(state),
            value=jnp.zeros(num_games),
        )
        return output, state

    def run(states: Any, key: Any) -> Any:
        root = mctx.RootFnOutput(
            prior_logits=mask(states), value=jnp.zeros(num_games), embedding=states
        )
        return search(
            params=None,
            rng_key=key,
            root=root,
            recurrent_fn=step,
            num_simulations=sims,
            invalid_actions=~states.legal_action_mask,
        ).action_weights

    compiled = jax.jit(run)
    states = jax.vmap(env.init)(jax.random.split(jax.random.PRNGKey(0), num_games))
    keys = iter(jax.random.split(jax.random.PRNGKey(1), 100_000))

    def once() -> int:
        compiled(states, next(keys)).block_until_ready()
        return num_games * sims

    return once


def open_spiel(name: str, sims: int) -> Run:
    """Search with OpenSpiel's C++ bot, one random game for a leaf's value."""
    import pyspiel

    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, sims, 1000, False, 1, False)
    state = game.new_initial_state()

    def once() -> int:
        bot.step(state)
        return sims

    return once


class EvenNetwork:
    """What trimcts asks instead of a network: equal priors, value 0."""

    def evaluate_state(self, state: Any) -> tuple[dict[int, float], float]:
        """Return priors and value of one state."""
        actions = state.valid_actions()
        return dict.fromkeys(actions, 1 / len(actions)), 0.0

    def evaluate_batch(self, states: list[Any]) -> list[tuple[dict[int, float], float]]:
        """Return priors and value of each state."""
        return [self.evaluate_state(state) for state in states]


def trimcts(sims: int) -> Run:
    """Search triangle with trimcts over trianglengin, both C++.

    Version 1.3.0 gives all its simulations to one child of the root; its figure is that
    of its users all the same.
    """
    from trianglengin import EnvConfig, GameState
    from trimcts import SearchConfiguration, run_mcts

    import_module("trimcts.trimcts_cpp")  # its wheel can hold that of another Python
    state = GameState(EnvConfig(), initial_seed=1)
    config, network = SearchConfiguration(max_simulations=sims), EvenNetwork()

    def once() -> int:
        visits, _, _ = run_mcts(state, network, config)
        return sum(visits.values())

    return once
