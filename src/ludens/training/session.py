"""Train a game in one call, as `ludens train` does without its screen."""

from collections.abc import Mapping
from pathlib import Path

from ludens.errors import require_extra
from ludens.infer.evaluator import make_evaluator
from ludens.loading.game import Game
from ludens.loading.options import OptionValue
from ludens.nets.weights import new_net
from ludens.search.search import Search
from ludens.store.listing import run_folder
from ludens.store.run import Run
from ludens.training.config import Config
from ludens.training.evaluate import Place
from ludens.training.events import Silent, Watcher
from ludens.training.opening import Wish, default_name, open_run
from ludens.training.returns import check_returns


def train(
    game: Game,
    settings: Mapping[str, OptionValue] | None = None,
    run: str | Path = "",
    *,
    preset: str = "",
    device: str = "auto",
    precision: str = "auto",
    watcher: Watcher | None = None,
) -> Run:
    """Begin or resume a run and train until its budget is spent; return the run.

    Settings are named as in `ludens train --help`, such as {"budget.minutes": 5}. A run
    is a name or a folder; without one it is named after the game. A watcher is told how
    the training goes.
    """
    require_extra("train", "training")
    from ludens.training.loop import Training

    place = Place(device, precision)
    sets = [f"{name}={value}" for name, value in (settings or {}).items()]
    folder = run_folder(str(run) or default_name(game))
    wish = Wish(preset, sets=sets)
    opened, config = open_run(game, folder, wish, lambda c: try_out(game, c, place))
    with opened:
        Training(game, config, opened, watcher or Silent(), place).train()
    return Run.open(folder)


def try_out(game: Game, config: Config, place: Place) -> None:
    """Build what the settings ask for, so that mistakes show before a run is made."""
    check_returns(game, config)
    net = new_net(game, config.net, config.seed)
    evaluator = make_evaluator(net, place.device, place.precision)
    Search(game, config.search, config.selfplay.games, evaluator=evaluator)
