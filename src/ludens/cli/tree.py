"""`ludens tree`: a search tree as a picture."""

from pathlib import Path
from typing import Annotated

import typer

from ludens.cli import options
from ludens.errors import UserError


def run(
    game: options.Game,
    out: Annotated[
        Path, typer.Option(help="A .svg or .dot file to write.", metavar="FILE")
    ] = Path("tree.svg"),
    moves: options.Moves = "",
    agent: options.Agent = "mcts:sims=1000",
    seed: options.Seed = 0,
    setup: options.Setup = "",
    depth: Annotated[int, options.count("Plies to show.", 1, max=50)] = 3,
    min_visits: Annotated[int, options.count("Least visits shown.", 1)] = 2,
    width: Annotated[int, options.count("Most children shown.", 1)] = 6,
) -> None:
    """Write the tree of a search as SVG or Graphviz DOT."""
    from ludens.agents import make_agent
    from ludens.agents.compiling import prepare_agents
    from ludens.files import write_text
    from ludens.loading.game import load_game
    from ludens.pictures.tree import grow_branch, to_dot, to_svg

    draw = {".svg": to_svg, ".dot": to_dot}.get(out.suffix)
    if draw is None:
        raise UserError(f"cannot write {out}: name a file that ends in .svg or .dot")
    rules = load_game(game)
    prepare_agents(rules, [agent])
    state = rules.new(seed, setup)
    state.apply_moves(moves)
    searcher = make_agent(agent, rules, seed)
    if searcher.search is None:
        raise UserError(f"the agent {agent!r} grows no tree; use mcts or net")
    if state.is_over:
        raise UserError("the game is over in this position")
    searcher.analyse(state.copy())
    tree = grow_branch(searcher.search, state, depth, min_visits, width)
    write_text(out, draw(tree))
    print(f"Wrote {out}: {tree.visits:,} visits, drawn to depth {depth}.")
