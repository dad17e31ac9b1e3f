"""`ludens play`: a game at the terminal."""

from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludens.cli import options
from ludens.cli.web import Host, Open, Port, serve
from ludens.errors import UserError, nearest

if TYPE_CHECKING:
    from ludens.agents import Agent
    from ludens.cli.onlookers import Trees
    from ludens.formats.record import Record
    from ludens.state import State

_SIDES = ("first", "second", "0", "1")


def run(
    game: Annotated[
        str,
        typer.Argument(
            help="A game (gomoku:size=9), rules file or saved game.",
            metavar="GAME",
            show_default=False,
        ),
    ],
    vs: Annotated[
        str,
        typer.Option(
            help="human or an agent; else net, or mcts if none ships.",
            metavar="WHO",
            show_default=False,
        ),
    ] = "",
    side: Annotated[
        str, typer.Option(help="Who you are: first, second, 0 or 1.", metavar="SIDE")
    ] = "first",
    seed: Annotated[
        int | None, options.count("Decides dice and deals; else random.")
    ] = None,
    setup: options.Setup = "",
    openings: options.Openings = None,
    rules: options.Rules = "",
    seconds: Annotated[
        float, options.seconds("Time for a hint or a solver's move.")
    ] = 10,
    watch: Annotated[
        bool, typer.Option("--watch", help="Look on while the agent plays alone.")
    ] = False,
    pace: Annotated[
        float | None,
        typer.Option(
            help="With --watch: least time for a move.", metavar="S", min=0, max=60
        ),
    ] = None,
    load: Annotated[
        Path | None,
        typer.Option(help="A saved game of GAME to go on with.", metavar="FILE"),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(help="Write the game when you leave.", metavar="FILE"),
    ] = None,
    kind: options.Format = "",
    trees: options.Trees = None,
    skin: Annotated[
        str,
        typer.Option(
            help="plain, unicode or ascii; else LUDENS_SKIN.",
            metavar="NAME",
            show_default=False,
        ),
    ] = "",
    web: Annotated[bool, typer.Option("--web", help="Play in the browser.")] = False,
    host: Host = "127.0.0.1",
    port: Port = None,
    open_page: Open = True,
) -> None:
    """Play a game: type moves, or help at the prompt. Or watch an agent play."""
    from ludens.agents.compiling import prepare_agents
    from ludens.cli.skins import choose_skin
    from ludens.cli.table import Table, place_for

    choose_skin(skin)
    if side not in _SIDES:
        raise UserError(f"there is no side {side!r}{nearest(side, _SIDES)}")
    if web and trees:
        raise UserError("--trees is for a game at the terminal; the page has its own")
    if (web and (load or save)) or (watch and save):
        raise UserError("--load and --save are for a game that you play here")
    if openings and (web or setup or load or _is_saved(game)):
        raise UserError("--openings is for a new game at the terminal, without --setup")
    if web:
        files, asked = _page_of(game, rules)
        asked |= {"vs": vs, "side": side, "setup": setup}
        asked |= {} if seed is None else {"seed": str(seed)}
        from ludens.agents import runs_commands

        offered = [vs] if runs_commands(vs) else []
        serve(files, asked, host, port, open_page, agents=offered)
        return
    saved = _find_saved(game, load, kind)
    state = _open(saved, str(load or game), seed, setup, rules)
    state = _after_random_plies(state, openings) if openings else state
    usual = _usual_agent(state)
    prepare_agents(state.game, [vs or usual])
    if watch:
        _watch(state, vs or usual, seconds, pace, trees)
        return
    place = None if save is None else place_for(str(save))
    if vs and state.game.num_players == 1:
        raise UserError(
            f"{state.game.name} is for one player: leave --vs out, or add --watch"
        )
    vs = vs or usual
    seats = _seats(state, vs, side, seconds)
    agents = [agent for agent in seats if agent is not None]
    grown = _open_trees(trees, agents)
    for agent in agents:
        agent.open()
    table = Table(state, seats, vs, seconds, saved, grown)
    try:
        table.play()
    finally:
        if place is not None:
            table.save(place)


def _usual_agent(state: "State") -> str:
    """Return who plays if nobody is named: in an environment, the net of its run."""
    from ludens.nets.shipped import usual_agent
    from ludens.store.finding import find_net
    from ludens.training.session import default_name

    if state.game.environment is not None:
        name = default_name(state.game)
        with suppress(UserError):
            find_net(name, state.game)
            return f"net:weights={name}"
    return usual_agent(state.game)


def _watch(
    state: "State",
    who: str,
    seconds: float,
    pace: float | None,
    trees: Path | None,
) -> None:
    """Let an agent play for all players."""
    from ludens.cli.exhibition import Exhibition, show_episode

    if who == "human":
        raise UserError("--watch shows an agent; name one by --vs")
    with closing(_make(who, state, seconds)) as agent:
        if state.game.environment is not None:
            if trees:
                state.game.require_rules("--trees")
            show_episode(state, agent, who, pace)
        else:
            Exhibition(state, agent, who, pace, _open_trees(trees, [agent])).play()


def _open_trees(folder: Path | None, agents: "list[Agent]") -> "Trees | None":
    """Make a folder for trees, if one is wanted and somebody grows them."""
    from ludens.cli.onlookers import Trees

    if folder is None:
        return None
    if not any(agent.search for agent in agents):
        raise UserError("no agent here grows a tree; use mcts or net")
    return Trees(folder)


def _make(who: str, state: "State", seconds: float) -> "Agent":
    """Return an agent; the limit is for one that may never end, and no engine's."""
    from ludens.agents import Limit, make_agent, runs_commands

    limit = Limit(seconds=None if runs_commands(who) else seconds)
    return make_agent(who, state.game, state.seed or 0, limit)


def _page_of(game: str, rules: str) -> tuple[list[Path], dict[str, str]]:
    """Return the files that a page needs for a game, and how it asks for it."""
    from ludens.loading.game import load_game, parse_spec

    files = [Path(parse_spec(text)[0]) for text in (game, rules) if ".py" in text]
    if _is_saved(game):
        return [*files, Path(game)], {"record": Path(game).stem}
    load_game(game).require_rules("the page")  # says at once if there is none
    return files, {"game": game.removeprefix(f"{Path(game).parent}/")}


def _is_saved(game: str) -> bool:
    """Tell whether a saved game is meant, by its suffix."""
    from ludens.formats.registry import SUFFIXES

    return Path(game).suffix.lower() in SUFFIXES


def _find_saved(game: str, load: Path | None, kind: str) -> "Record | None":
    """Return the saved game to go on with, None if a new one is meant."""
    from ludens.formats.boards import Asked
    from ludens.formats.registry import load_played
    from ludens.loading.game import load_game

    if load is not None:
        return load_played(load, None, Asked.of(load_game(game)), kind)
    return load_played(Path(game), name=kind) if _is_saved(game) else None


def _open(
    record: "Record | None", game: str, seed: int | None, setup: str, rules: str
) -> "State":
    """Start a game, or take up a saved one where it was left."""
    from ludens.loading.game import load_game
    from ludens.rng import new_seed

    if seed is None:
        seed = new_seed()
    if record is None:
        return load_game(game).new(seed, setup)
    if setup:
        raise UserError("a saved game has its own start: leave --setup out")
    try:
        state = record.replay(record.load_game(rules))
    except UserError as error:
        raise UserError(f"{game}: {error}") from None
    state.roll_from(seed)
    return state


def _after_random_plies(state: "State", plies: int) -> "State":
    """Return a game like a new one that begins with so many random plies."""
    from ludens.arena.openings import draw_openings

    state.game.require_rules("--openings")
    return next(draw_openings(state.game, state.seed or 0, plies)).begin(state.game)


def _seats(
    state: "State", vs: str, side: str, seconds: float
) -> "tuple[Agent | None, ...]":
    """Return who moves for each player, None for a person."""
    if state.game.num_players == 1:
        return (None,)
    if vs == "human":
        return (None, None)
    agent = _make(vs, state, seconds)
    starter = max(state.to_play, 0)
    player = int(side) if side.isdigit() else (starter + _SIDES.index(side)) % 2
    return (None, agent) if player == 0 else (agent, None)
