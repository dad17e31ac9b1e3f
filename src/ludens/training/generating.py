"""A run of self-play alone: games that a net plays, kept without learning."""

from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from ludens.errors import UserError, command
from ludens.loading.game import Game
from ludens.nets.fitting import seen_by
from ludens.nets.weights import Net, check_net, load_net
from ludens.selfplay.share import Share, SharePlayed, Tally, cut_games
from ludens.store.database import is_run
from ludens.store.finding import find_net
from ludens.store.origin import Origin, read_origin
from ludens.store.run import Run
from ludens.training.config import Config, parse_config, to_toml
from ludens.training.origin import check_same
from ludens.training.progress import figures_of, rates_of

KIND, SELFPLAY = "kind", "selfplay"
"""The fact of a run that says that nothing is learned in it."""


def find_player(game: Game, folder: Path, source: str) -> Origin:
    """Return the net that plays: the run's own, if there is one, else the source's."""
    if not is_run(folder):
        net = load_net(find_net(source, game))
        origin = Origin(source or f"the net that ships with {game.spec}", net)
    else:
        with Run.open(folder) as run:
            _check_kind(run)
            check_same(run, source, game)
            kept = read_origin(folder, run.facts())
        if kept is None:
            raise UserError(f"run {folder} is damaged: it does not say who plays")
        origin = kept
    check_net(origin.net, seen_by(origin.net.card, game))
    return origin


def _check_kind(run: Run) -> None:
    if run.facts().get(KIND) != SELFPLAY:
        raise UserError(f"run {run.name} is one of a training; name another run")


def refuse_selfplay(run: Run) -> None:
    """Refuse to learn in a run of self-play alone."""
    facts = run.facts()
    if facts.get(KIND) == SELFPLAY:
        learn = command("train", facts.get("game", "GAME"), "--records", run.name)
        raise UserError(
            f"run {run.name} has self-play only; learn from it in another run: {learn}"
        )


def open_generating(
    game: Game, folder: Path, config: Config, player: Origin
) -> "Generating":
    """Open the run, or make it, for games with these settings."""
    facts = {"game": game.spec, "rules_hash": game.behaviour}
    more = {"seed": str(config.seed), "players": str(game.num_players), KIND: SELFPLAY}
    known = is_run(folder)
    run = Run.start(folder, to_toml(config), facts if known else facts | more, player)
    try:
        _check_kind(run)
        written = run.facts().get("config", "")
        stored = parse_config(written, f"the config of run {run.name}")
        _check_settings(run, stored, config)
        return Generating(game, run, player.net, config)
    except BaseException:
        run.close()
        raise


def _check_settings(run: Run, stored: Config, config: Config) -> None:
    """Refuse other settings than those of the games that are there."""
    threads = stored.selfplay.threads  # they decide nothing
    config = replace(config, selfplay=replace(config.selfplay, threads=threads))
    for name, old, new in _differences(stored, config, ""):
        raise UserError(
            f"run {run.name} keeps its {name} {old}, not {new};"
            " start another run with --run"
        )


def _differences(old: Any, new: Any, name: str) -> Iterable[tuple[str, Any, Any]]:
    """Give the settings that are not the same."""
    if is_dataclass(old):
        for field in fields(old):
            pair = getattr(old, field.name), getattr(new, field.name)
            yield from _differences(*pair, f"{name}.{field.name}".lstrip("."))
    elif old != new:
        yield name, old, new


class Generating:
    """A run that is open for games; each share of them is an iteration.

    The net that plays is the run's net 0.
    """

    def __init__(self, game: Game, run: Run, player: Net, config: Config) -> None:
        self.game, self.run, self.config = game, run, config
        card = replace(player.card, iteration=0, run=run.name)
        self.net = Net(card, player.tensors)
        if run.newest_iteration is None:
            run.commit_net(0, self.net, None, {})
        if pending := run.pending():  # a process was killed between its two commits
            known = pending.metrics | {"seconds": pending.seconds}
            run.commit_net(pending.number, None, None, known)
        self._tally = Tally()
        self._began_s = self._kept_s = perf_counter()

    def __enter__(self) -> "Generating":
        return self

    def __exit__(self, *_: object) -> None:
        self.run.close()

    @property
    def num_games(self) -> int:
        """How many games there are."""
        return self.run.next_number

    def shares(self, num_games: int) -> list[Share]:
        """Return what is left to play of so many games in all."""
        return cut_games(num_games, self.config.seed, 0, self.num_games)

    def keep(self, played: SharePlayed) -> None:
        """Commit the games of a share."""
        number = (self.run.newest_iteration or 0) + 1
        now_s = perf_counter()
        seconds = now_s - self._kept_s
        self._tally += played.tally
        metrics = figures_of(played, seconds, self.game.num_players)
        # Shares are played side by side: their speed is that of all so far.
        speeds = rates_of(self._tally, now_s - self._began_s)
        metrics |= {n: x for n, x in speeds.items() if n.endswith("_per_s")}
        self.run.commit_games(number, played.games, [], metrics)
        self.run.commit_net(number, None, None, metrics | {"seconds": seconds})
        self._kept_s = now_s

    def facts(self) -> dict[str, float]:
        """Return how many games and positions there are, and how games ended."""
        totals = self.run.totals()
        facts: dict[str, float] = {"games": totals.games, "positions": totals.positions}
        if totals.games == 0:
            return facts
        if self.game.num_players == 1:
            score = sum(tally.score for tally in self.run.tallies())
            return facts | {"played_score": score / totals.games}
        wins, draws, _ = self.run.results()
        shares = {"first_wins": wins / totals.games, "drawn": draws / totals.games}
        return facts | shares
