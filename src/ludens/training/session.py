"""A session of training: a run is opened, made or gone on with, and trained."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ludens.cluster.address import ClusterWish
from ludens.cluster.hands import Cluster
from ludens.errors import UserError, require_extra
from ludens.loading.game import Game
from ludens.loading.options import OptionValue
from ludens.nets.config import fit
from ludens.nets.weights import new_net
from ludens.store.database import is_run
from ludens.store.finding import run_folder
from ludens.store.run import Run
from ludens.training.config import (
    Config,
    Values,
    parse_config,
    read_config,
    read_file,
    read_sets,
    to_toml,
)
from ludens.training.evaluate import Place
from ludens.training.generating import refuse_selfplay
from ludens.training.origin import (
    check_origin,
    check_same,
    find_origin,
    layer_of,
    method_of,
)
from ludens.training.presets import preset_layers
from ludens.training.progress import Silent, Watcher
from ludens.training.trial import try_out

FIXED = (
    *("seed", "net", "selfplay.shares", "cluster.lag", "learn.optimizer"),
    *("evaluate.solved_positions", "evaluate.solving_seconds"),
)
"""What a run is made with and keeps."""

SHARES = 32
"""Of an iteration that a cluster plays, unless the settings of a new run say else."""


@dataclass(frozen=True)
class Wish:
    """The settings that somebody gives."""

    preset: str = ""
    toml: Path | None = None
    sets: Sequence[str] = ()
    method: str = ""
    is_spread: bool = False
    """Whether a cluster is to play."""
    origin: str = ""
    """The net to begin with: FILE, RUN, RUN@ITERATION or a game; "": random weights."""

    def all_sets(self) -> list[str]:
        """Return the settings given for a run that exists already."""
        models = {"": [], "alphazero": ["net.model=rules"]}
        return [*models.get(self.method, ["net.model=learned"]), *self.sets]


def default_name(game: Game) -> str:
    """Return what a run of a game is called if nobody says, fit for a folder."""
    _, _, options = game.spec.removeprefix(game.name).partition(":")
    words = f"{Path(game.name).stem} {options}"
    return re.sub(r"[^\w.]+", "-", words).strip("-.")


def open_run(
    game: Game, folder: Path, wish: Wish, check: Callable[[Config], object]
) -> tuple[Run, Config]:
    """Go on with the run of a folder, with the settings wished for, or make it.

    `check` raises what is wrong with the settings, before anything is written.
    """
    facts = {"game": game.spec, "rules_hash": game.behaviour}
    if not is_run(folder):
        origin = find_origin(wish.origin)
        method = method_of(origin, wish.method)
        layer = layer_of(origin, game, method)
        config = read_config(game, wish.preset, wish.toml, wish.sets, method, layer)
        check_origin(origin, game, config.net)
        if wish.is_spread and config.selfplay.shares == 0:
            config = replace(config, selfplay=replace(config.selfplay, shares=SHARES))
        check(config)
        facts |= {"seed": str(config.seed), "players": str(game.num_players)}
        run = Run.start(folder, to_toml(config), facts, origin)
        if run.facts().get("config") == to_toml(config):
            return run, config  # else another has just made it
    else:
        with Run.open(folder) as known:
            theirs = known.facts().get("game", "")
        if game.name.endswith(".py") and Path(theirs).name == Path(game.spec).name:
            facts["game"] = theirs  # a game file may be called from another folder
        run = Run.open(folder, write=True, facts=facts)
    try:
        refuse_selfplay(run)
        check_same(run, wish.origin)
        return run, _go_on(run, game, wish, check)
    except BaseException:
        run.close()
        raise


def open_cluster(
    address: str, workers: int, game: Game, config: Config, precision: str = "auto"
) -> Cluster:
    """Connect to a cluster that plays for a training, or start one on this machine."""
    own = config.cluster
    wish = ClusterWish(address, workers, own.threads, own.device, precision)
    net = new_net(game, config.net, config.seed)
    return Cluster(wish, game, net, config.selfplay.num_threads)


def _go_on(
    run: Run, game: Game, wish: Wish, check: Callable[[Config], object]
) -> Config:
    """Return the settings of a run, changed as wished."""
    written = run.facts().get("config", "")
    stored = parse_config(written, f"the config of run {run.name}")
    given = read_file(wish.toml) if wish.toml else {}
    texts = given.pop("", {})
    preset = wish.preset or str(texts.get("preset", stored.preset))
    if preset != stored.preset:
        preset_layers(
            game, preset, wish.method
        )  # one that does not exist is refused for that
        raise UserError(
            f"run {run.name} has preset {stored.preset}, not {preset};"
            " start another run, or change settings with --set"
        )
    if texts.get("game", game.spec) != game.spec:
        raise UserError(f"{wish.toml} is for {texts['game']}, not for {game.spec}")
    config = _lay_over(_lay_over(stored, given), read_sets(wish.all_sets()))
    config = replace(config, net=fit(config.net, game)[0])
    for name in FIXED:
        old, new = _value(stored, name), _value(config, name)
        if old != new:
            what = f" {old}, not {new}" if name == "seed" else ""
            raise UserError(
                f"run {run.name} keeps its {name}{what}; start another run with --run"
            )
    check(config)
    if config != stored:
        run.save_config(to_toml(config))
    return config


def _lay_over(config: Config, values: Values) -> Config:
    """Put values by section and setting on top of settings."""
    changed: dict[str, Any] = {
        section: replace(getattr(config, section), **given)
        for section, given in values.items()
        if section != "seed"
    }
    if "seed" in values:
        changed["seed"] = int(values["seed"]["seed"])
    return replace(config, **changed)


def _value(config: Config, name: str) -> object:
    """Return a section, or a setting of one such as evaluate.games."""
    found: object = config
    for part in name.split("."):
        found = getattr(found, part)
    return found


def train(
    game: Game,
    settings: Mapping[str, OptionValue] | None = None,
    run: str | Path = "",
    *,
    preset: str = "",
    method: str = "",
    device: str = "auto",
    precision: str = "auto",
    watcher: Watcher | None = None,
    cluster: str = "",
    workers: int = 0,
    from_net: str | Path = "",
    records: str | Path = "",
) -> Run:
    """Begin or resume a run and train until its budget is spent; return the run.

    Settings are named as in `ludens train --help`, such as {"budget.minutes": 5}. A run
    is a name or a folder; without one it is named after the game. A watcher is told how
    the training goes. A cluster is HOST:PORT, or auto: one that is started here.
    `from_net` is the net to begin with, `records` games to learn from first.
    """
    require_extra("train", "training")
    from ludens.training.loop import Training
    from ludens.training.records import Records, open_records

    place = Place(device, precision)
    sets = [f"{name}={value}" for name, value in (settings or {}).items()]
    folder = run_folder(str(run) or default_name(game))
    wish = Wish(preset, None, sets, method, cluster != "", str(from_net))
    source: Records | None = None

    def check(config: Config) -> None:
        nonlocal source
        try_out(game, config, place)
        if records:
            source = open_records(game, Path(records), config.replay)
            if not is_run(folder):
                source.read()

    opened, config = open_run(game, folder, wish, check)
    with ExitStack() as stack:
        stack.enter_context(opened)
        hands = None
        if cluster:
            hands = open_cluster(cluster, workers, game, config, precision)
            stack.enter_context(hands)
        told = watcher or Silent()
        training = Training(game, config, opened, told, place, cluster=hands)
        if source is not None:
            training.learn_from_records(source)
        training.train()
    return Run.open(folder)
