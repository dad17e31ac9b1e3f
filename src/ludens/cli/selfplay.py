"""`ludens selfplay`: games of a net against itself, into a run, a folder or a file."""

from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludens.cli import options
from ludens.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludens.agents.networks import NetChoice
    from ludens.cli.keeping import Keeping
    from ludens.loading.game import Game
    from ludens.nets.weights import Net
    from ludens.selfplay.share import SharePlayed
    from ludens.training.config import Config

AGENT = "Such as net:weights=RUN,sims=50."


def run(
    game: options.Game,
    agent: Annotated[str, typer.Option(help=AGENT, metavar="NET")] = "net",
    run: Annotated[
        str,
        typer.Option(help="A run to begin or go on with.", metavar="NAME|PATH"),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(help="Or a folder, or FILE.safetensors.", metavar="DIR|FILE"),
    ] = None,
    games: Annotated[int, options.count("Games in all, each to its end.", 1)] = 100,
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="As in `train`, such as search.sims=50.", metavar="X=Y"
        ),
    ] = None,
    seed: options.Seed = 0,
    kind: options.Format = "json",
    threads: options.PlayThreads = None,
    cluster: options.Cluster = "",
    workers: options.Workers = 0,
    json: options.Json = False,
) -> None:
    """Let a net play against itself as in training, and keep the games."""
    from ludens.agents.compiling import leaves_of, proofs_of, search_tasks
    from ludens.cli.keeping import IntoFiles, IntoRun
    from ludens.cli.screen import progress
    from ludens.cluster.status import knock
    from ludens.loading.ahead import prepare
    from ludens.loading.game import load_game
    from ludens.nets.fitting import seen_by
    from ludens.nets.weights import check_net, load_net
    from ludens.store.finding import find_net, run_folder
    from ludens.training.generating import find_player, open_generating

    if cluster:
        knock(cluster)
    if (out is None) == (not run):
        raise UserError("say where the games go: --run NAME, or --out DIR|FILE")
    rules, (choice, searching) = load_game(game), _read_agent(agent)
    given = [*searching, *(sets or ()), f"seed={seed}"]
    with ExitStack() as stack:
        keeping: Keeping
        if out is None:
            folder = run_folder(run)
            player = find_player(rules, folder, choice.weights)
            rules = seen_by(player.net.card, rules)
            settings = _settings(rules, player.net, given, threads)
            opened = open_generating(rules, folder, settings, player)
            keeping = IntoRun(stack.enter_context(opened), games)
        else:
            net = load_net(find_net(choice.weights, rules))
            rules = seen_by(net.card, rules)
            check_net(net, rules)
            settings = _settings(rules, net, given, threads)
            keeping = IntoFiles(rules, net, settings, out, games, kind)
        leaves, codes = leaves_of(settings.net), settings.net.codes
        how, proofs = settings.search, proofs_of(vars(settings.search))
        prepare(rules, search_tasks(how.root, leaves, True, codes, proofs))
        is_cut = False
        try:
            with (
                _shares(rules, keeping, choice, cluster, workers) as shares,
                progress(games) as show,
            ):
                for played in shares:
                    keeping.keep(played)
                    show(keeping.num_games, "")
        except KeyboardInterrupt:
            if not keeping.num_games:
                raise
            is_cut = True
        keeping.end(json)
    if is_cut:
        raise typer.Exit(130)


def _read_agent(text: str) -> "tuple[NetChoice, list[str]]":
    """Return the net of an agent, and what it says of the search as settings."""
    from ludens.agents.networks import NetChoice
    from ludens.loading.game import parse_spec
    from ludens.search.config import SearchConfig
    from ludens.settings import options_of, read_settings

    name, given = parse_spec(text)
    if name != "net":
        raise UserError(
            f"--agent cannot be {name}: games to learn from are those of a net,"
            " such as net:weights=RUN,sims=50"
        )
    searching = {k: v for k, v in given.items() if k in options_of(SearchConfig)}
    chosen = {k: v for k, v in given.items() if k not in searching}
    choice = read_settings(NetChoice, chosen, "the net of self-play")
    return choice, [f"search.{key}={value}" for key, value in searching.items()]


def _settings(
    game: "Game", net: "Net", sets: list[str], threads: int | None
) -> "Config":
    """Return the settings of a training, with the net that there is."""
    from dataclasses import replace

    from ludens.training.config import read_config

    learned = "muzero" if net.card.config.is_learned else ""
    config = read_config(game, sets=sets, method=learned)
    selfplay = config.selfplay
    if threads is not None:
        selfplay = replace(selfplay, threads=threads)
    return replace(config, net=net.card.config, selfplay=selfplay)


@contextmanager
def _shares(
    game: "Game", keeping: "Keeping", choice: "NetChoice", address: str, workers: int
) -> "Iterator[Iterator[SharePlayed]]":
    """Give what plays the games, share after share; then let the cluster go."""
    from ludens.cluster import shares as on_cluster
    from ludens.cluster.address import ClusterWish
    from ludens.cluster.matches import announced
    from ludens.infer.evaluator import make_evaluator
    from ludens.selfplay.worker import play_games

    config, net, cut = keeping.settings, keeping.net, keeping.shares()
    threads = config.selfplay.num_threads
    how = (game, config.search, config.selfplay)
    if not address:
        evaluator = make_evaluator(net, choice.device, choice.precision, threads)
        yield play_games(*how, evaluator, cut)
        return
    own = config.cluster
    wish = ClusterWish(address, workers, own.threads, own.device, choice.precision)
    with announced(wish, game, net, threads) as cluster:
        yield on_cluster.play_games(cluster, *how, net, cut)
