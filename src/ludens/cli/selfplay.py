"""`ludens selfplay`: games of a net against itself, into a folder or a file."""

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludens.cli import options
from ludens.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludens.formats.record import Record
    from ludens.loading.game import Game
    from ludens.nets.weights import Net
    from ludens.selfplay.share import GameRecord, SharePlayed
    from ludens.training.config import Config


def run(
    game: options.Game,
    out: Annotated[
        Path,
        typer.Option(
            help="A folder, or FILE.safetensors.",
            metavar="DIR|FILE",
        ),
    ],
    net: Annotated[
        str,
        typer.Option(help="A file or a run; else the game's own.", metavar="NET"),
    ] = "",
    games: Annotated[int, options.count("Games to play, each to its end.", 1)] = 100,
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
    from ludens.agents.compiling import leaves_of, search_tasks
    from ludens.cli.screen import progress
    from ludens.cluster.status import knock
    from ludens.loading.ahead import prepare
    from ludens.loading.game import load_game
    from ludens.nets.weights import check_net, load_net
    from ludens.store.finding import find_net

    if cluster:
        knock(cluster)
    rules = load_game(game)
    loaded = load_net(find_net(net, rules))
    check_net(loaded, rules)
    settings = _settings(rules, loaded, [*(sets or ()), f"seed={seed}"], threads)
    keeping = _Keeping(rules, loaded, out, games, kind, seed)
    root, leaves = settings.search.root, leaves_of(settings.net)
    prepare(rules, search_tasks(root, leaves, True, settings.net.codes))
    is_cut = False
    try:
        with (
            _shares(rules, settings, loaded, games, cluster, workers) as shares,
            progress(games) as show,
        ):
            for played in shares:
                keeping.keep(played)
                show(len(keeping.games), "")
    except KeyboardInterrupt:
        if not keeping.games:
            raise
        is_cut = True
    keeping.end(json)
    if is_cut:
        raise typer.Exit(130)


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
    game: "Game", config: "Config", net: "Net", games: int, address: str, workers: int
) -> "Iterator[Iterator[SharePlayed]]":
    """Give what plays the games, share after share; then let the cluster go."""
    from ludens.cluster import shares as on_cluster
    from ludens.cluster.address import ClusterWish
    from ludens.cluster.matches import announced
    from ludens.infer.evaluator import make_evaluator
    from ludens.selfplay.share import cut_games
    from ludens.selfplay.worker import play_games

    cut = cut_games(games, config.seed, net.card.iteration)
    threads = config.selfplay.num_threads
    how = (game, config.search, config.selfplay)
    if not address:
        yield play_games(*how, make_evaluator(net, threads=threads), cut)
        return
    own = config.cluster
    wish = ClusterWish(address, workers, own.threads, own.device)
    with announced(wish, game, net, threads) as cluster:
        yield on_cluster.play_games(cluster, *how, net, cut)


class _Keeping:
    """Where games go: a file each in a folder, or all in one file at the end."""

    def __init__(
        self, game: "Game", net: "Net", out: Path, games: int, kind: str, seed: int
    ) -> None:
        from ludens.cli.archive import Archive
        from ludens.store.arrays import SUFFIX

        self.game, self.net, self.out, self.seed = game, net, out, seed
        self.games: list[GameRecord] = []
        self._archive: Archive | None = None
        if out.suffix != SUFFIX:
            if game.environment is not None:
                raise UserError(
                    f"episodes of {game.spec} are no records; write FILE{SUFFIX}"
                )
            self._archive = Archive(game, out, games, kind)
        elif out.exists():
            raise UserError(f"{out} exists; name another file")

    def keep(self, played: "SharePlayed") -> None:
        """Keep the games of a share."""
        games = sorted(played.games, key=lambda one: one.number)
        self.games += games
        if self._archive is not None:
            for one in games:
                self._archive.keep(one.number, self._record(one))

    def _record(self, one: "GameRecord") -> "Record":
        from ludens.formats.record import Record
        from ludens.state import State

        state = State.replay(self.game, one.history.tolist())
        name = f"net {one.net}"
        agreed: Any = int(one.result) if one.ending == "resigned" else None
        return Record.of(state, (name,) * self.game.num_players, agreed=agreed)

    def end(self, as_json: bool) -> None:
        """Write the file, if all go into one, and say what was played."""
        from ludens.cli.screen import print_json
        from ludens.formats.words import percent, plural, points
        from ludens.store.arrays import save_games
        from ludens.training.progress import results_of

        games, players = self.games, self.game.num_players
        if self._archive is None:
            texts = {"game": self.game.spec, "seed": str(self.seed)}
            save_games(games, self.game.num_actions, self.out, texts)
        positions = sum(one.num_positions for one in games)
        results = results_of(games, players)
        facts = {"games": len(games), "positions": positions, **results}
        if as_json:
            print_json({"game": self.game.spec, "out": str(self.out), **facts})
            return
        words = f"{plural(len(games), 'game')} with {plural(positions, 'position')}"
        if players == 2:
            first, drawn = percent(results["first_wins"]), percent(results["drawn"])
            words += f"; the first player won {first}, {drawn} were drawn"
        else:
            words += f"; mean score {points(results['played_score'])}"
        print(f"Wrote {self.out}: {words}.")
