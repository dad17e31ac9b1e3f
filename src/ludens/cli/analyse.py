"""`ludens analyse`: what an agent thinks of a position."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludens.cli import options
from ludens.formats.words import plural

if TYPE_CHECKING:
    from ludens.agents.analysis import Analysis
    from ludens.state import State


def run(
    game: options.Game,
    moves: options.Moves = "",
    agent: options.Agent = "mcts:sims=10000",
    seed: options.Seed = 0,
    setup: options.Setup = "",
    top: Annotated[int, options.count("Moves to list.", 1)] = 10,
    json: options.Json = False,
    svg: Annotated[
        Path | None,
        typer.Option(help="A picture of it to write.", metavar="FILE"),
    ] = None,
) -> None:
    """Analyse a position: candidate moves and the main line."""
    from ludens.agents import make_agent
    from ludens.agents.compiling import prepare_agents
    from ludens.cli.screen import draw
    from ludens.errors import UserError
    from ludens.loading.game import load_game

    rules = load_game(game)
    prepare_agents(rules, [agent])
    state = rules.new(seed, setup)
    state.apply_moves(moves)
    if state.is_over:
        raise UserError("the game is over in this position")
    analysis = make_agent(agent, rules, seed).analyse(state.copy())
    if svg is not None:
        _write_picture(svg, state, analysis, agent)
    if json:
        from ludens.formats.strict import to_json

        print(to_json(analysis.to_json(top)))
        return
    print(f"{draw(state)}\n")
    print(format_analysis(analysis, top))


def _write_picture(
    file: Path, state: "State", analysis: "Analysis", agent: str
) -> None:
    """Draw where an agent would move, and what its network expects."""
    from ludens.agents.networks import named_net
    from ludens.files import write_text
    from ludens.infer.openvino import value_shares
    from ludens.nets.fitting import fit_net
    from ludens.nets.value import points
    from ludens.pictures.heat import Outlook, draw_thoughts

    net, outlook = named_net(agent, state.game), None
    if net is not None and net.card.config.value != "scalar":
        planes = state.observe(fit_net(net, state.game)[1])
        shares = value_shares(net, planes[None])[0].tolist()
        pairs = sorted(zip(points(net.card.config).tolist(), shares, strict=True))
        outlook = Outlook(*zip(*pairs, strict=True))
    write_text(file, draw_thoughts(state, analysis, outlook))


def format_analysis(analysis: "Analysis", top: int) -> str:
    """Return the table of candidate moves, the best first, and the main line."""
    what = analysis.measure
    lines = [f"{'move':>8}{'visits':>10}{what:>10}{'lcb':>8}{'prior':>8}  proof"]
    for info in analysis.moves[:top]:
        rate, bound = (f"{v:.3f}" for v in (info.winrate, info.lcb))
        bound = "-" if info.lcb in (float("inf"), -float("inf")) else bound
        if info.visits == 0 and analysis.visits > 0:
            rate = bound = "-"
        lines.append(
            f"{info.move:>8}{info.visits:>10,}{rate:>10}{bound:>8}{info.prior:>8.3f}"
            f"  {info.proof}"
        )
    if len(analysis.moves) > top:
        lines.append(f"{'...':>8} {len(analysis.moves) - top} more")
    proof = f", proven {analysis.proof}" if analysis.proof else ""
    full = "; the memory for the tree was used up" if analysis.is_full else ""
    lines.append(
        f"\nplayer {analysis.player} to move: {what} {analysis.winrate:.3f}{proof}"
        f" ({plural(analysis.visits, 'visit')}{full})"
    )
    if analysis.is_imagined:
        lines.append("(imagined by a learned model; lines end where it errs)")
    if analysis.discount < 1:
        lines.append(
            f"(outlook: rewards to come, each times {analysis.discount:g} a move)"
        )
    lines.append(f"main line: {' '.join(analysis.moves[0].pv)}")
    return "\n".join(lines)
