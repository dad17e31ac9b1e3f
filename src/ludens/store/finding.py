"""Find runs by their names, and nets: a file, one of a run, or a game's own."""

import os
from functools import lru_cache
from pathlib import Path

import platformdirs

from ludens.errors import UserError, did_you_mean, nearest
from ludens.files import is_plain
from ludens.loading.game import Game, game_files
from ludens.nets.shipped import MUZERO, net_file
from ludens.nets.weights import SUFFIX
from ludens.store.guard import FILE


def runs_folder() -> Path:
    """Return where runs are that have a name only."""
    chosen = os.environ.get("LUDENS_RUNS")
    return Path(chosen) if chosen else kept_in("runs")


def kept_in(name: str) -> Path:
    """Return a place in the folder for all that is kept: LUDENS_HOME, or the user's."""
    home = os.environ.get("LUDENS_HOME")
    return _path(home or platformdirs.user_data_dir("ludens", appauthor=False), name)


@lru_cache(8)
def _path(folder: str, name: str) -> Path:
    """Return the same path each time: Python interns the parts of a new one."""
    return Path(folder).absolute() / name


def run_folder(run: str) -> Path:
    """Return the folder of a run, there or not, given its name or a path."""
    is_name = Path(run).name == run and run not in ("", "..")
    return runs_folder() / run if is_name else Path(run)


def find_run(run: str) -> Path:
    """Return the folder of a run that is there, given its name or a path."""
    for folder in (run_folder(run), Path(run)):
        if is_plain(folder / FILE):
            return folder
    names = [folder.name for folder in run_folders()]
    raise UserError(f"there is no run {run!r}{nearest(run, names)}")


def run_folders() -> list[Path]:
    """Return the folders of runs that have a name only."""
    root = runs_folder()
    if not root.is_dir():
        return []
    try:
        return [path for path in root.iterdir() if path.is_dir()]
    except OSError as error:
        raise UserError(f"cannot list run {root}: {error.strerror}") from None


def find_net(text: str, game: Game | None = None) -> Path:
    """Return the file of a net: FILE, RUN or RUN@ITERATION; no text: the game's own.

    "muzero" is the game's own with a learned model. If no game is given, the text may
    be one. A run of the same name comes first.
    """
    if not text or text.endswith(SUFFIX):
        return net_file(text, game)
    name, iteration = _split(text)
    try:
        folder = find_run(name)
    except UserError:
        if game is None:
            _require_known(text)
        elif text != MUZERO:
            raise
        return net_file(text, game)
    return _net_of_run(folder, iteration)


def _require_known(text: str) -> None:
    """Refuse a word that is neither a run nor a game, and say what would be right."""
    games = game_files()
    if ":" in text or text.endswith(".py") or text in games:
        return
    names = [*games, *(folder.name for folder in run_folders())]
    what = f"; a net is a file ({SUFFIX}), a run (RUN or RUN@40) or a game"
    raise UserError(f"there is no net {text!r}{did_you_mean(text, names) or what}")


def _split(text: str) -> tuple[str, int | None]:
    """Split RUN@ITERATION; the name of a run may have an @ too."""
    name, at, iteration = text.rpartition("@")
    if at and iteration.isdecimal():
        return name, int(iteration)
    return text, None


def _net_of_run(folder: Path, iteration: int | None) -> Path:
    from ludens.store.run import Run  # agents without a run need nothing of it

    with Run.open(folder) as run:
        nets = run.nets()
    if not nets:
        raise UserError(f"run {folder.name} has no net yet")
    number = max(nets) if iteration is None else iteration
    if number not in nets:
        kept = ", ".join(map(str, nets))
        raise UserError(
            f"run {folder.name} has no net of iteration {number}; it has {kept}"
        )
    return nets[number]
